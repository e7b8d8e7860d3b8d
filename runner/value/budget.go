package value

// DefaultBudget is how many bytes the values of one launch may take together where nothing else is said: 4 GiB.
const DefaultBudget = 4 << 30

// Budget bounds the memory that values take together, so that a small text cannot ask for a large allocation. A nil Budget
// allows DefaultBudget to each value by itself. It is not safe for concurrent use.
type Budget struct{ left uint64 }

// NewBudget returns a budget of n bytes; 0 means DefaultBudget.
func NewBudget(n uint64) *Budget {
	if n == 0 {
		n = DefaultBudget
	}
	return &Budget{n}
}

// Left returns how many bytes are left.
func (b *Budget) Left() uint64 {
	if b == nil {
		return DefaultBudget
	}
	return b.left
}

// Take takes n bytes. Where fewer are left it takes none and returns a *BudgetError.
func (b *Budget) Take(n uint64) error {
	if left := b.Left(); n > left {
		return &BudgetError{Need: n, Left: left}
	}
	if b != nil {
		b.left -= n
	}
	return nil
}
