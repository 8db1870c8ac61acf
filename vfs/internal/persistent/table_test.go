package persistent

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// agree reports whether a table holds what a map does, in order.
func agree(t *testing.T, table *Table[int, int], model map[int]int) {
	t.Helper()
	if table.Len() != len(model) {
		t.Fatalf("length %d, want %d", table.Len(), len(model))
	}
	want := slices.Sorted(maps.Keys(model))
	var got []int
	table.Ascend(-1, func(k, v int) bool {
		if model[k] != v {
			t.Fatalf("%d is %d, want %d", k, v, model[k])
		}
		got = append(got, k)
		return true
	})
	if !slices.Equal(got, want) {
		t.Fatalf("keys %v, want %v", got, want)
	}
	if len(want) > 2 {
		from := want[len(want)/2]
		table.Ascend(from, func(k, _ int) bool {
			if k != from {
				t.Fatalf("ascending from %d begins at %d", from, k)
			}
			return false
		})
	}
}

// TestAgainstAMap changes a table at random and takes copies on the way: none
// may see what is changed after it.
func TestAgainstAMap(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		var table Table[int, int]
		model := map[int]int{}
		e := NextEpoch(true)
		type copied struct {
			table Table[int, int]
			model map[int]int
		}
		var copies []copied
		keys := 20 << (seed % 8)
		for i := range 4000 {
			k := r.IntN(keys)
			switch {
			case r.IntN(3) == 0 || i > 3500 && r.IntN(4) > 0:
				table.Delete(e, k)
				delete(model, k)
			case i%7 == 0:
				k = keys + i // in order, as inodes come
				fallthrough
			default:
				table.Set(e, k, i)
				model[k] = i
			}
			if v, ok := table.Get(k); ok != (func() bool { _, ok := model[k]; return ok })() || v != model[k] {
				t.Fatalf("seed %d: Get(%d) = %d, %v", seed, k, v, ok)
			}
			if r.IntN(200) == 0 {
				copies = append(copies, copied{table, maps.Clone(model)})
				e = NextEpoch(false)
			}
		}
		agree(t, &table, model)
		for _, c := range copies {
			agree(t, &c.table, c.model)
		}
	}
}

func TestKeysInOrderFillTheirNodes(t *testing.T) {
	var table Table[int, int]
	e := NextEpoch(true)
	for i := range 10_000 {
		table.Set(e, i, i)
	}
	nodes := 0
	var count func(n *node[int, int])
	count = func(n *node[int, int]) {
		nodes++
		for _, c := range n.children {
			count(c)
		}
	}
	count(table.root)
	if limit := 10_000/fanout + 10_000/fanout/10; nodes > limit {
		t.Errorf("%d nodes, at most %d are needed", nodes, limit)
	}
}
