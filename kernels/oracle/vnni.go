package oracle

// PackVNNI packs matrix b, b[row][column], for a matrix instruction that takes factor = 32/bits rows of a column at once:
// the word at packed row r and column n holds rows factor*r, factor*r+1, … of column n, the first one in its lowest bits.
// The number of rows must be a multiple of the factor.
func PackVNNI(b [][]uint64, bits int) [][]uint64 {
	factor := 32 / bits
	packed := make([][]uint64, len(b)/factor)
	for r := range packed {
		packed[r] = make([]uint64, len(b[0]))
		for n := range packed[r] {
			for j := 0; j < factor; j++ {
				packed[r][n] |= b[factor*r+j][n] << (bits * j)
			}
		}
	}
	return packed
}
