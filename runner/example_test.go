package runner_test

import (
	"fmt"

	"github.com/sgrun/sgrun/runner"
	"github.com/sgrun/sgrun/runner/value"
)

func ExampleCompare() {
	p := &value.Parser{}
	got, _ := p.ParseArray("f32[3]:1,0x3f800001,2")
	want, _ := p.ParseArray("f32[3]:1")
	d, err := runner.Compare(got.Array, want.Array, runner.Comparison{Mode: runner.ModeULP, Max: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d differ\n", d.Different, d.Numbers)
	fmt.Println(d.First[0])
	// Output:
	// 1 of 3 differ
	// [2]: got 2 (0x40000000), want 1 (0x3f800000)
}
