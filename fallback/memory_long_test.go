//go:build long

package fallback_test

import (
	"testing"

	"github.com/sgrun/sgrun/fallback"
	"github.com/sgrun/sgrun/fallback/internal/run"
	"github.com/sgrun/sgrun/runner/device"
)

// TestBufferOver4GiB stores at places far apart in a buffer of 6 GiB; only the pages it touches take memory.
func TestBufferOver4GiB(t *testing.T) {
	d := run.Device(t, fallback.Options{Memory: 16 << 30})
	const size = 6<<30 + 4
	b, err := d.NewBuffer(size)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	src := run.Source{Body: `
		%wide = OpUConvert %u64 %gid
		%k = OpIMul %u64 %wide %u64_402653184
		%p = OpInBoundsPtrAccessChain %p_CrossWorkgroup_u32 %out_buf %k
		%x = OpIAdd %u32 %gid %u32_1000
		OpStore %p %x
		OpReturn`}
	args := []device.Arg{{Kind: device.ArgBuffer, Index: 0, Name: "in"}, {Kind: device.ArgBuffer, Index: 1, Buffer: b, Name: "out"}}
	if got := src.Run(t, run.Options{Items: 5, Local: 5, Device: d, Args: args}); got.Err != nil {
		t.Fatal(got.Err)
	}
	for i := range uint64(5) {
		var w [4]byte
		if err := b.Read(w[:], i*402653184*4); err != nil {
			t.Fatal(err)
		}
		if v := run.FromWords(w[:])[0]; v != uint32(1000+i) {
			t.Errorf("place %d holds %d", i, v)
		}
	}
	got := src.Run(t, run.Options{Items: 6, Local: 6, Device: d, Args: args})
	checkFault(t, got.Err, "out-of-bounds", []string{"lane 5", "byte offset 8053063680 of buffer out (6442450948 bytes)"})
}
