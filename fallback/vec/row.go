package vec

import "unsafe"

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

type signed interface {
	int8 | int16 | int32 | int64
}

type integer interface{ unsigned | signed }

type float interface{ float32 | float64 }

type number interface{ integer | float }

// rowAlign is the alignment of rows in bytes: a cache line, and the widest vector register.
const rowAlign = 64

// Alloc returns zeroed memory for rows, without pointers, that starts at a multiple of 64 bytes.
func Alloc(bytes int) []byte {
	buf := make([]byte, bytes+rowAlign-1)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(buf))) % rowAlign)
	return buf[skip : skip+bytes : skip+bytes]
}

// row returns the lanes lo to hi-1 of a row.
func row[T any](p unsafe.Pointer, lo, hi int) []T {
	return unsafe.Slice((*T)(p), hi)[lo:hi]
}

// eight returns the lanes lo to lo+7 of a row: code that takes eight lanes a turn computes one address for all of them.
func eight[T any](p unsafe.Pointer, lo int) *[8]T {
	var zero T
	return (*[8]T)(unsafe.Add(p, uintptr(lo)*unsafe.Sizeof(zero)))
}

// rows1, rows2, … return the lanes lo to hi-1 of a result's and its operands' rows. The slices have one length, and the
// compiler sees that: loops over them have no bounds checks.
func rows1[D, A any](dp, ap unsafe.Pointer, lo, hi int) (d []D, a []A) {
	d = row[D](dp, lo, hi)
	return d, row[A](ap, lo, hi)[:len(d)]
}

func rows2[T any](dp, ap, bp unsafe.Pointer, lo, hi int) (d, a, b []T) {
	d = row[T](dp, lo, hi)
	return d, row[T](ap, lo, hi)[:len(d)], row[T](bp, lo, hi)[:len(d)]
}

// bitSize returns the width of T in bits.
func bitSize[T any]() int {
	var zero T
	return 8 * int(unsafe.Sizeof(zero))
}

// words returns the words of a Bool row up to that of lane hi-1.
func words(p unsafe.Pointer, hi int) []uint64 {
	return unsafe.Slice((*uint64)(p), (hi+63)>>6)
}

// wordEnd returns the end of those of the lanes lo to hi-1 that share the word of lane lo.
func wordEnd(lo, hi int) int { return min(hi, lo|63+1) }

// lowBits returns a word with the lowest n bits set, 1 ≤ n ≤ 64.
func lowBits(n int) uint64 { return ^uint64(0) >> (uint(64-n) & 63) }

// setBits puts the lowest n bits of v at lane lo and the lanes that follow in its word.
func setBits(word *uint64, lo, n int, v uint64) {
	if n == 64 {
		*word = v
		return
	}
	mask := lowBits(n) << (uint(lo) & 63)
	*word = *word&^mask | v<<(uint(lo)&63)&mask
}

// bit returns 1 for true and 0 for false; the compiler makes it branch-free.
func bit(c bool) (b uint64) {
	if c {
		b = 1
	}
	return b
}
