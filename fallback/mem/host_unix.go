//go:build unix

package mem

import "golang.org/x/sys/unix"

// reserve returns size bytes of address space without memory behind it.
func reserve(size uint64) ([]byte, error) {
	return unix.Mmap(-1, 0, int(size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|noReserve)
}

// commit makes reserved bytes accessible; they read as zero.
func commit(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE)
}
