package fallback

// Impatient are options of a device whose lanes give way at every back-edge, so that short loops do what otherwise only
// very long ones do.
var Impatient = Options{patience: 1}
