package explain

import (
	"fmt"
	"strings"
)

// Error says what cannot be explained, and what can.
type Error struct {
	// Parameter is what was wrong: "from", "to", "sub-group size", "bits", "rows" or "columns".
	Parameter string
	// Message is one sentence without the full stop.
	Message string
	// Allowed lists what would be accepted, in lines.
	Allowed []string
}

// Error returns the message and what is allowed.
func (e *Error) Error() string {
	return e.Message + "; allowed: " + strings.Join(e.Allowed, "; ")
}

// checkSize returns an *Error for a sub-group that cannot be.
func checkSize(lanes int) error {
	return checkRange("sub-group size", "a sub-group of %d lanes cannot be explained", lanes, MaxSubGroupSize)
}

// checkRange returns an *Error with a message about n unless it is 1 to most.
func checkRange(parameter, format string, n, most int) error {
	if n >= 1 && n <= most {
		return nil
	}
	return &Error{Parameter: parameter, Message: fmt.Sprintf(format, n), Allowed: []string{fmt.Sprintf("1 to %d", most)}}
}
