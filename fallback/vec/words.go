package vec

import (
	"unsafe"

	"github.com/sgrun/sgrun/fallback/lane"
)

// This file has operations that treat a row as 64-bit words with one or several lanes in each, eight words (a line) a turn:
// two to eight times faster than lane by lane, for lanes of less than 64 bits.

// line returns the 64 bytes of a row from a byte on. Addresses are computed from bytes, not lanes, since the processor then
// does that on the side.
func line(p unsafe.Pointer, at int) *[8]uint64 { return (*[8]uint64)(unsafe.Add(p, at)) }

// everyLane returns a word that has v in each of its lanes.
func everyLane[T unsigned](v T) uint64 { return ^uint64(0) / uint64(^T(0)) * uint64(v) }

func not[T unsigned](dp, ap, _, _, _ unsafe.Pointer, lo, hi int) {
	size := bitSize[T]() / 8
	at, end := lo*size, hi*size
	for ; at+64 <= end; at += 64 {
		r, x := line(dp, at), line(ap, at)
		r[0], r[1], r[2], r[3] = ^x[0], ^x[1], ^x[2], ^x[3]
		r[4], r[5], r[6], r[7] = ^x[4], ^x[5], ^x[6], ^x[7]
	}
	d, a := rows1[T, T](dp, ap, at/size, hi)
	for i := range d {
		d[i] = ^a[i]
	}
}

func and[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	size := bitSize[T]() / 8
	at, end := lo*size, hi*size
	for ; at+64 <= end; at += 64 {
		r, x, y := line(dp, at), line(ap, at), line(bp, at)
		r[0], r[1], r[2], r[3] = x[0]&y[0], x[1]&y[1], x[2]&y[2], x[3]&y[3]
		r[4], r[5], r[6], r[7] = x[4]&y[4], x[5]&y[5], x[6]&y[6], x[7]&y[7]
	}
	d, a, b := rows2[T](dp, ap, bp, at/size, hi)
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func or[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	size := bitSize[T]() / 8
	at, end := lo*size, hi*size
	for ; at+64 <= end; at += 64 {
		r, x, y := line(dp, at), line(ap, at), line(bp, at)
		r[0], r[1], r[2], r[3] = x[0]|y[0], x[1]|y[1], x[2]|y[2], x[3]|y[3]
		r[4], r[5], r[6], r[7] = x[4]|y[4], x[5]|y[5], x[6]|y[6], x[7]|y[7]
	}
	d, a, b := rows2[T](dp, ap, bp, at/size, hi)
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xor[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	size := bitSize[T]() / 8
	at, end := lo*size, hi*size
	for ; at+64 <= end; at += 64 {
		r, x, y := line(dp, at), line(ap, at), line(bp, at)
		r[0], r[1], r[2], r[3] = x[0]^y[0], x[1]^y[1], x[2]^y[2], x[3]^y[3]
		r[4], r[5], r[6], r[7] = x[4]^y[4], x[5]^y[5], x[6]^y[6], x[7]^y[7]
	}
	d, a, b := rows2[T](dp, ap, bp, at/size, hi)
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

// ForUniform returns a primitive that may be used in place of For's where all lanes of the second operand are the same; the
// result is false where that is of no use.
func ForUniform(op lane.Op, kind lane.Kind) (Func, bool) {
	switch kind {
	case lane.I8:
		return uniformShift[uint8, int8](op)
	case lane.I16:
		return uniformShift[uint16, int16](op)
	case lane.I32:
		return uniformShift[uint32, int32](op)
	case lane.I64:
		return uniformShift[uint64, int64](op)
	}
	return nil, false
}

func uniformShift[U unsigned, S signed](op lane.Op) (Func, bool) {
	switch op {
	case lane.Shl:
		return shlUniform[U], true
	case lane.LShr:
		return lshrUniform[U], true
	case lane.AShr:
		return ashrUniform[U, S], true
	}
	return nil, false
}

// uniformAmount is how far such a shift goes.
func uniformAmount[T unsigned](bp unsafe.Pointer, lo int) uint64 {
	return uint64(row[T](bp, lo, lo+1)[0]) & uint64(bitSize[T]()-1)
}

// The loops say k&63 so that the compiler knows that k is less than 64.
func shlUniform[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	k := uniformAmount[T](bp, lo)
	keep := everyLane(^T(0) << k) // not what comes from a lane's neighbour
	size := bitSize[T]() / 8
	at, end := lo*size, hi*size
	for ; at+64 <= end; at += 64 {
		r, x := line(dp, at), line(ap, at)
		r[0], r[1], r[2], r[3] = x[0]<<(k&63)&keep, x[1]<<(k&63)&keep, x[2]<<(k&63)&keep, x[3]<<(k&63)&keep
		r[4], r[5], r[6], r[7] = x[4]<<(k&63)&keep, x[5]<<(k&63)&keep, x[6]<<(k&63)&keep, x[7]<<(k&63)&keep
	}
	d, a := rows1[T, T](dp, ap, at/size, hi)
	for i := range d {
		d[i] = a[i] << k
	}
}

func lshrUniform[T unsigned](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	k := uniformAmount[T](bp, lo)
	keep := everyLane(^T(0) >> k) // not what comes from a lane's neighbour
	size := bitSize[T]() / 8
	at, end := lo*size, hi*size
	for ; at+64 <= end; at += 64 {
		r, x := line(dp, at), line(ap, at)
		r[0], r[1], r[2], r[3] = x[0]>>(k&63)&keep, x[1]>>(k&63)&keep, x[2]>>(k&63)&keep, x[3]>>(k&63)&keep
		r[4], r[5], r[6], r[7] = x[4]>>(k&63)&keep, x[5]>>(k&63)&keep, x[6]>>(k&63)&keep, x[7]>>(k&63)&keep
	}
	d, a := rows1[T, T](dp, ap, at/size, hi)
	for i := range d {
		d[i] = a[i] >> k
	}
}

// ashrUniform puts copies of each lane's sign, the product of the bit and a lane's worth of ones, above what lshrUniform keeps.
func ashrUniform[U unsigned, S signed](dp, ap, bp, _, _ unsafe.Pointer, lo, hi int) {
	k, top := uniformAmount[U](bp, lo), uint64(bitSize[U]()-1)
	keep, ones, sign := everyLane(^U(0)>>k), uint64(^(^U(0) >> k)), everyLane(U(1))
	size := bitSize[U]() / 8
	at, end := lo*size, hi*size
	for ; at+64 <= end; at += 64 {
		r, x := line(dp, at), line(ap, at)
		r[0], r[1], r[2], r[3] = x[0]>>(k&63)&keep|x[0]>>(top&63)&sign*ones, x[1]>>(k&63)&keep|x[1]>>(top&63)&sign*ones, x[2]>>(k&63)&keep|x[2]>>(top&63)&sign*ones, x[3]>>(k&63)&keep|x[3]>>(top&63)&sign*ones
		r[4], r[5], r[6], r[7] = x[4]>>(k&63)&keep|x[4]>>(top&63)&sign*ones, x[5]>>(k&63)&keep|x[5]>>(top&63)&sign*ones, x[6]>>(k&63)&keep|x[6]>>(top&63)&sign*ones, x[7]>>(k&63)&keep|x[7]>>(top&63)&sign*ones
	}
	d, a := rows1[S, S](dp, ap, at/size, hi)
	for i := range d {
		d[i] = a[i] >> k
	}
}
