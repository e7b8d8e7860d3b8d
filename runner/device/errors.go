package device

import "strings"

// Class says whose fault an error is and decides the exit status.
type Class uint8

// Classes of error with their exit status (docs/reference, "Exit status").
const (
	Usage       Class = iota // 2: wrong arguments, files, sizes
	Absent                   // 3: the device or backend is not here
	Unsupported              // 3: this device lacks what is needed, another could do it
	Module                   // 4: the module is invalid, or nothing here can run it
	Fault                    // 5: the kernel misbehaved
	Internal                 // 6: a bug in sgrun
)

// ExitStatus returns the exit status of sgrun for the class.
func (c Class) ExitStatus() int {
	return [...]int{Usage: 2, Absent: 3, Unsupported: 3, Module: 4, Fault: 5, Internal: 6}[c]
}

// Error is an error a user can act on: what happened, where, and what to try.
type Error struct {
	Class Class
	// Kind is a short stable word for machines: "out-of-bounds", "timeout", "missing-capability", …
	Kind string
	// Message is one sentence without the full stop.
	Message string
	// Where holds the places concerned, outermost first, as "key: value" pairs in order: kernel, instruction, work-item, …
	Where []Place
	// Try is what the user can do, as a sentence without the full stop; may be empty.
	Try string
	// Err is the cause, if any.
	Err error
}

// Place is one part of where an error happened.
type Place struct{ Key, Value string }

// Error returns the message, then each place and the advice on lines of their own.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Message)
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	for _, p := range e.Where {
		b.WriteString("\n  " + p.Key + ": " + p.Value)
	}
	if e.Try != "" {
		b.WriteString("\n  try: " + e.Try)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
