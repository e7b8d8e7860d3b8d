package lower

import (
	"strings"
	"testing"

	"github.com/sgrun/sgrun/fallback/exec"
	"github.com/sgrun/sgrun/fallback/lane"
	"github.com/sgrun/sgrun/spirv/asm"
	"github.com/sgrun/sgrun/spirv/module"
)

// lowered lowers the host module with edits, old and new text by turns.
func lowered(t *testing.T, edit ...string) (*lane.Program, error) {
	t.Helper()
	b, err := asm.Assemble([]byte(strings.NewReplacer(edit...).Replace(host)), asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := module.New(b)
	if err != nil {
		t.Fatal(err)
	}
	return Lower(m, Options{Entry: m.EntryPoints[0], BuiltIn: exec.BuiltInComponents})
}

// TestDialect takes an entry point for what its execution model says, also where the module declares both capabilities.
func TestDialect(t *testing.T) {
	for _, c := range []struct {
		edit   []string
		shader bool
	}{
		{nil, false},
		{[]string{"OpCapability Kernel", "OpCapability Kernel\nOpCapability Shader"}, false},
		{[]string{"OpCapability Kernel", "OpCapability Shader", "OpEntryPoint Kernel", "OpEntryPoint GLCompute"}, true},
		{[]string{"OpCapability Kernel", "OpCapability Kernel\nOpCapability Shader", "OpEntryPoint Kernel", "OpEntryPoint GLCompute"}, true},
	} {
		p, err := lowered(t, c.edit...)
		if err != nil {
			t.Fatal(err)
		}
		if p.Shader != c.shader {
			t.Errorf("%q: shader %v", c.edit, p.Shader)
		}
	}
}

// TestBuiltInTypes refuses built-in variables of another shape than theirs.
func TestBuiltInTypes(t *testing.T) {
	try := func(builtIn, typ string) error {
		_, err := lowered(t, "OpEntryPoint Kernel %main \"main\"", "OpEntryPoint Kernel %main \"main\" %b", "%void =", "OpDecorate %b BuiltIn "+builtIn+"\n%void =",
			"%fn =", "%v3 = OpTypeVector %u32 3\n%v4 = OpTypeVector %u32 4\n%p = OpTypePointer Input "+typ+"\n%b = OpVariable %p Input\n%fn =",
			"%x = OpIAdd %u32 %c %c", "%x = OpLoad "+typ+" %b")
		return err
	}
	for _, c := range []struct {
		builtIn, typ string
		ok           bool
	}{
		{"GlobalInvocationId", "%v3", true}, {"GlobalInvocationId", "%v4", false}, {"GlobalInvocationId", "%u32", false},
		{"LocalInvocationIndex", "%u32", true}, {"LocalInvocationIndex", "%v3", false},
		{"SubgroupEqMask", "%v4", true}, {"SubgroupEqMask", "%v3", false}, {"FragCoord", "%v4", false},
	} {
		if err := try(c.builtIn, c.typ); (err == nil) != c.ok {
			t.Errorf("%s as %s: %v", c.builtIn, c.typ, err)
		}
	}
}
