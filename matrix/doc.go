// Package matrix holds packed layouts of matrices as pure functions: where each element of a matrix lies once it has
// been packed, how to pack and unpack, and what went wrong when a packed matrix is not what it should be.
//
// # VNNI packing
//
// Matrix instructions such as OpSubgroupMatrixMultiplyAccumulateINTEL compute D = A*B + C and read matrix B (K rows, N
// columns) in words of 32 bits: each word holds several elements of one column, the lower row in the lower bits
// (SPV_INTEL_subgroup_matrix_multiply_accumulate, matrix B with elements of at most 16 bits). The number of
// elements in a word is the factor F:
//
//	element   F = 32/bits   word at packed row r, column n, from the low bits to the high bits
//	16 bits   2             B[2r][n]  B[2r+1][n]
//	8 bits    4             B[4r][n]  B[4r+1][n]  B[4r+2][n]  B[4r+3][n]
//	4 bits    8             B[8r][n]  B[8r+1][n]  ...         B[8r+7][n]
//
// Sixteen-bit elements, K=4, N=3. Each letter is an element; the matrix is row-major in memory:
//
//	      n=0 n=1 n=2            packed row 0:  [a d] [b e] [c f]     words 0 1 2
//	k=0    a   b   c             packed row 1:  [g j] [h k] [i l]     words 3 4 5
//	k=1    d   e   f      ->
//	k=2    g   h   i             in memory:     a d b e c f g j h k i l
//	k=3    j   k   l
//
// Eight-bit elements, K=4, N=3 of the same letters: one packed row of three words.
//
//	[a d g j] [b e h k] [c f i l]
//
// A sub-group of N lanes reads column n in lane n, so lane n gets word n of each packed row.
//
// # Padding
//
// Where K is not a multiple of F, the rows that are missing in the last packed row are zero: they add nothing to the
// product. Sixteen-bit elements, K=3:
//
//	packed row 1:  [g 0] [h 0] [i 0]
//
// # Leading dimensions
//
// A leading dimension is the distance from one row to the next. That of the source, [Layout.LD], counts elements; that
// of the packed matrix, [Layout.PackedLD], counts words of 32 bits (one word a column, so a packed row without a gap
// has PackedLD = N; counted in elements it is F times that, see [Layout.PackedStride]). The gaps between rows are
// neither read nor written.
//
// # Four-bit elements
//
// They lie two to a byte, the low nibble first: element i is in byte i/2, in bits 0 to 3 for even i and in bits 4 to 7
// for odd i. The leading dimension counts elements here too, so with an odd one every other row begins in the middle of
// a byte:
//
//	K=2, N=3, LD=3    byte 0: a | b<<4    byte 1: c | d<<4    byte 2: e | f<<4
//	K=2, N=3, LD=4    byte 0: a | b<<4    byte 1: c           byte 2: d | e<<4    byte 3: f
//
// A file whose rows are padded to whole bytes has the even leading dimension: 2*ceil(N/2).
//
// Elements of 16 bits and words are little-endian in the byte slices, whatever the host.
//
// # When it does not match
//
// [Check] compares a packed matrix with its original; if it is not the packing it says what it looks like instead.
// [FillDistinct] makes matrices for tests on which no wrong packing it knows can pass by accident.
package matrix
