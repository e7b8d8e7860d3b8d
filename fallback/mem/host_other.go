//go:build !unix

package mem

import "errors"

// Where there is no mmap, allocations are pointer-free Go slices: the collector does not move them, and the allocation
// keeps them alive. There is no window, so 32-bit modules are refused there.
func reserve(size uint64) ([]byte, error) {
	if size >= windowSize {
		return nil, errors.ErrUnsupported
	}
	return make([]byte, size), nil
}

func commit([]byte) error { return nil }

func decommit([]byte) {}

func release([]byte) {}
