package lane

// Group says how an operation on the lanes of a sub-group works.
type Group struct {
	Scan    Scan
	Combine Op     // of Combine: the operation that joins two values; a Boolean one where Inst.Kind is Bool
	Source  Source // of Shuffle
	// Cluster is the number of neighbouring lanes that work as if they were a sub-group; 0: all lanes of the sub-group.
	Cluster   int
	Partition bool // of Combine: the lanes that work together are given as a set
}

// Scan says which lanes' values go into a lane's result.
type Scan uint8

// Scans.
const (
	ReduceAll     Scan = iota // those of all lanes
	InclusiveScan             // those of the lane and the lanes below
	ExclusiveScan             // those of the lanes below; in the first, the operation's identity
)

// Source says how a Shuffle finds the lane it reads, from the lane's own id within the sub-group and its operand.
type Source uint8

// Sources.
const (
	FromLane      Source = iota // the operand
	FromXor                     // id XOR operand
	FromBelow                   // id - operand
	FromAbove                   // id + operand
	FromRotated                 // (id + operand) within the cluster
	FromFirst                   // the first active lane; no operand
	FromBroadcast               // the operand of the first active lane: it must be the same in all
	FromQuad                    // the operand within the lane's four
	FromQuadSwap                // id XOR (operand + 1): across a row, a column or the diagonal of the four
)

// AtomicAccess says what an atomic access does.
type AtomicAccess struct {
	Mode AtomicMode
	// Combine makes the new value of the old one and the operand Src[1], of AtomicUpdate. Copy takes the operand alone.
	Combine Op
}

// AtomicMode is a kind of atomic access.
type AtomicMode uint8

// Kinds of atomic access.
const (
	AtomicLoad            AtomicMode = iota // Dst[0] is the value
	AtomicStore                             // Src[1] is the value
	AtomicUpdate                            // Dst[0] is the old value
	AtomicCompareExchange                   // Src[1] is stored where the value is Src[2]; Dst[0] is the old value
)
