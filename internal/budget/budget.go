// Package budget bounds the memory a script can make its host hold.
package budget

import (
	"fmt"
	"sync/atomic"
)

// Budget is one shell's account. Everything whose size a script decides is
// charged before it is allocated and released when dropped. A nil *Budget is
// unlimited. Safe for concurrent use.
type Budget struct {
	limit int64
	used  atomic.Int64
	peak  atomic.Int64
}

// Exceeded is the error of a charge that does not fit.
type Exceeded struct{ Limit int64 }

func (e *Exceeded) Error() string {
	return fmt.Sprintf("memory budget of %d bytes exceeded", e.Limit)
}

// New makes a budget of limit bytes; zero or less is unlimited.
func New(limit int64) *Budget { return &Budget{limit: limit} }

// Charge takes n bytes, or takes nothing and returns *Exceeded.
func (b *Budget) Charge(n int64) error {
	if b == nil || n <= 0 {
		return nil
	}
	used := b.used.Add(n)
	if b.limit > 0 && (used > b.limit || used < 0) {
		b.used.Add(-n)
		return &Exceeded{Limit: b.limit}
	}
	for {
		p := b.peak.Load()
		if used <= p || b.peak.CompareAndSwap(p, used) {
			return nil
		}
	}
}

// Release gives back n bytes charged before.
func (b *Budget) Release(n int64) {
	if b == nil || n <= 0 {
		return
	}
	b.used.Add(-n)
}

// Limit is the bound in bytes, 0 when there is none.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return b.limit
}

// Used is what is charged now; Peak the most that ever was.
func (b *Budget) Used() int64 {
	if b == nil {
		return 0
	}
	return b.used.Load()
}

// Peak is the most that was ever charged at once.
func (b *Budget) Peak() int64 {
	if b == nil {
		return 0
	}
	return b.peak.Load()
}
