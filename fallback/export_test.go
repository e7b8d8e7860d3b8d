package fallback

// Impatient are options of a device whose lanes give way at every back-edge, so that short loops do what otherwise only
// very long ones do.
var Impatient = Options{patience: 1}

// Narrow are options of a device whose gangs are single sub-groups. Lanes of a gang go in step, so that what they owe to a
// barrier only shows between gangs.
var Narrow = Options{narrow: true}
