//go:build unix && !linux

package mem

import "golang.org/x/sys/unix"

const noReserve = 0

// decommit makes the bytes read as zero when committed again. The systems here differ in what madvise promises, so the
// bytes are cleared by hand.
func decommit(b []byte) {
	if unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE) == nil {
		clear(b)
	}
	_ = unix.Mprotect(b, unix.PROT_NONE)
}

// release returns a range that reserve gave. The range must be exactly as reserve returned it.
func release(b []byte) { _ = unix.Munmap(b) }
