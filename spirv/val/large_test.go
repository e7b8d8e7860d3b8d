package val_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sgrun/sgrun/spirv/module"
	"github.com/sgrun/sgrun/spirv/val"
)

// TestLargeModules: the time to make the model, check and reflect stays close to linear in the module's size. The limit
// is generous, for slow and busy machines: what is quadratic takes minutes here.
func TestLargeModules(t *testing.T) {
	const limit = 20 * time.Second
	repeat := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	tests := map[string]string{
		"many instructions": kernel(repeat(30_000, func(i int) string { return fmt.Sprintf("%%x%d = OpIAdd %%u32 %%u32_1 %%u32_2\n", i) })),
		"many selections": shader(repeat(8000, func(i int) string {
			return fmt.Sprintf("OpSelectionMerge %%e%d None\nOpBranchConditional %%true %%a%d %%e%d\n%%a%d = OpLabel\nOpBranch %%e%d\n%%e%d = OpLabel\n", i, i, i, i, i, i)
		})),
		"many breaks out of one loop": shader("OpBranch %h\n%h = OpLabel\nOpLoopMerge %e %c None\nOpBranch %b\n%b = OpLabel\n" + repeat(25_000, func(i int) string {
			return fmt.Sprintf("OpSelectionMerge %%e%d None\nOpBranchConditional %%true %%a%d %%e%d\n%%a%d = OpLabel\nOpBranch %%e\n%%e%d = OpLabel\n", i, i, i, i, i)
		}) + "OpBranch %c\n%c = OpLabel\nOpBranchConditional %true %h %e\n%e = OpLabel\n"),
		"many loops": shader(repeat(4000, func(i int) string {
			return fmt.Sprintf("OpBranch %%h%d\n%%h%d = OpLabel\nOpLoopMerge %%e%d %%c%d None\nOpBranch %%b%d\n%%b%d = OpLabel\nOpBranchConditional %%true %%c%d %%e%d\n%%c%d = OpLabel\nOpBranch %%h%d\n%%e%d = OpLabel\n",
				i, i, i, i, i, i, i, i, i, i, i)
		})),
		"a large switch": shader("OpSelectionMerge %end None\nOpSwitch %u32_1 %end" + repeat(10_000, func(i int) string { return fmt.Sprintf(" %d %%k%d", i, i) }) + "\n" +
			repeat(10_000, func(i int) string { return fmt.Sprintf("%%k%d = OpLabel\nOpBranch %%end\n", i) }) + "%end = OpLabel"),
		"many entry points": kernelHead[:strings.Index(kernelHead, "OpEntryPoint")] +
			repeat(module.MaxEntryPoints, func(i int) string { return fmt.Sprintf("OpEntryPoint Kernel %%f%d \"f%d\" %%v\n", i, i) }) +
			"%void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%p = OpTypePointer Workgroup %u32\n%v = OpVariable %p Workgroup\n%fty = OpTypeFunction %void\n" +
			"%big = OpFunction %void None %fty\n%lb = OpLabel\n" + repeat(4000, func(i int) string { return fmt.Sprintf("%%x%d = OpLoad %%u32 %%v\n", i) }) + "OpReturn\nOpFunctionEnd\n" +
			repeat(module.MaxEntryPoints, func(i int) string {
				return fmt.Sprintf("%%f%d = OpFunction %%void None %%fty\n%%l%d = OpLabel\n%%r%d = OpFunctionCall %%void %%big\nOpReturn\nOpFunctionEnd\n", i, i, i)
			}),
		"wide types in many places": kernelHead[:strings.Index(kernelHead, "OpEntryPoint")] + "%void = OpTypeVoid\n%u32 = OpTypeInt 32 0\n%wide = OpTypeStruct" + strings.Repeat(" %u32", 16_000) + "\n" +
			repeat(8000, func(i int) string {
				return fmt.Sprintf("%%s%d = OpTypeStruct %%wide\n%%n%d = OpConstantNull %%s%d\n%%p%d = OpTypePointer CrossWorkgroup %%s%d\n%%v%d = OpVariable %%p%d CrossWorkgroup %%n%d\n", i, i, i, i, i, i, i, i)
			}),
	}
	for name, text := range tests {
		b := assembled(t, text)
		start := time.Now()
		m, err := module.New(b)
		if err == nil {
			err = val.Check(m)
			module.Reflect(m)
		}
		d := time.Since(start)
		if err != nil {
			t.Errorf("%s: %.300v", name, err)
		}
		if d > limit {
			t.Errorf("%s: %v", name, d)
		}
		t.Logf("%s: %d instructions, %v", name, len(b.Insts), d)
	}
}
