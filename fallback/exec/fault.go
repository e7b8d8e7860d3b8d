package exec

import (
	"fmt"
	"strings"

	"github.com/sgrun/sgrun/runner/device"
)

// Fault ends a launch: the kernel did something that cannot go on, or was stopped.
type Fault struct {
	Kind    string // "out-of-bounds", "null-pointer", "instruction-budget", "stopped", "unreachable", …
	Message string // one sentence without the full stop
	At      int32  // index of the SPIR-V instruction; -1 where there is none
	Places  []device.Place
	Try     string
	Err     error
}

func (f *Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.Message)
	for _, p := range f.Places {
		fmt.Fprintf(&b, "\n  %s: %s", p.Key, p.Value)
	}
	return b.String()
}

func (f *Fault) place(key, value string) {
	f.Places = append(f.Places, device.Place{Key: key, Value: value})
}

// fail records that a lane went wrong. The gang stops after the operation that is being executed.
func (g *gang) fail(at int32, lane int, kind, message, try string) {
	if g.fault != nil {
		return
	}
	f := &Fault{Kind: kind, Message: message, At: at, Try: try}
	size := g.w.run.env.SubGroupSize
	f.place("work-item", fmt.Sprintf("global %s, local %s, work-group %s, sub-group %d, lane %d",
		triple(g.globalID(lane)), triple(g.localID(lane)), triple(g.w.group), (g.first+lane)/size, (g.first+lane)%size))
	g.fault = f
}

func triple(v [3]uint64) string { return fmt.Sprintf("(%d,%d,%d)", v[0], v[1], v[2]) }
