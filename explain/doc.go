// Package explain shows where data goes: which bits of which lane of a sub-group an instruction puts into which lane, and
// which elements of a matrix a packing puts into which word.
//
// Three things can be explained:
//
//   - OpSubgroupBitcastShuffleINTEL, with NewBitcastShuffle (SPV_INTEL_subgroup_bitcast_shuffle, revision 1);
//   - OpGroupNonUniformShuffleXor, which GLSL calls subgroupShuffleXor, with NewShuffleXor;
//   - the VNNI packing of matrix B, with NewVNNI (package matrix).
//
// Each of them answers questions about single places (BitcastShuffle.Source, ShuffleXor.Source, VNNI.Element) and gives an
// Explanation of the whole, which writes itself as text, as a picture (SVG) or as a page (HTML).
//
// The mapping of the bitcast shuffle is computed here from the words of its specification and shares nothing with the
// emulator, so that the one can be held against the other.
package explain

// MaxSubGroupSize is the number of lanes of the largest sub-group that can be explained.
const MaxSubGroupSize = 128
