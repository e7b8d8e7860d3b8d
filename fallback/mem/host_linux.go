package mem

import "golang.org/x/sys/unix"

const noReserve = unix.MAP_NORESERVE

// decommit gives the memory behind the bytes back, so that they read as zero when committed again.
func decommit(b []byte) {
	// A refusal only keeps memory longer; every access is checked before it is made.
	_ = unix.Madvise(b, unix.MADV_DONTNEED)
	_ = unix.Mprotect(b, unix.PROT_NONE)
}

// release returns a range that reserve gave. The range must be exactly as reserve returned it.
func release(b []byte) { _ = unix.Munmap(b) }
