// Package persistent has the map that makes snapshots cheap.
package persistent

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// fanout is the most entries of one node.
const fanout = 32

// Table is a persistent map in key order: a B-tree whose nodes carry the epoch
// they were made in. A writer changes nodes of its own epoch in place and
// copies all others, so copying the struct and taking a new epoch is a
// snapshot. Deleting leaves nodes thin and drops them only when empty.
type Table[K cmp.Ordered, V any] struct {
	root   *node[K, V]
	length int
}

// node is a leaf with values, or inner with children; an inner node's keys are
// lower bounds of its children's.
type node[K cmp.Ordered, V any] struct {
	epoch    uint64
	keys     []K
	values   []V
	children []*node[K, V]
}

// Epoch says which nodes a writer may change: those it made, or all while
// nobody else holds any.
type Epoch struct {
	Number uint64
	Alone  bool
}

// epochs are unique in the process: a node of another's snapshot is never taken
// for an own one.
var epochs atomic.Uint64

// NextEpoch is a new epoch.
func NextEpoch(alone bool) Epoch { return Epoch{Number: epochs.Add(1), Alone: alone} }

// Owns reports whether what was made in that epoch may be changed in place.
func (e Epoch) Owns(number uint64) bool { return e.Alone || e.Number == number }

// Len is the number of keys.
func (t *Table[K, V]) Len() int { return t.length }

// find is the place of k in keys.
func find[K cmp.Ordered](keys []K, k K) (int, bool) { return slices.BinarySearch(keys, k) }

// child is the index of the child that k belongs to.
func (n *node[K, V]) child(k K) int {
	i, found := find(n.keys, k)
	if found || i == 0 {
		return i
	}
	return i - 1
}

// Get is the value of k.
func (t *Table[K, V]) Get(k K) (v V, ok bool) {
	n := t.root
	if n == nil {
		return v, false
	}
	for n.children != nil {
		n = n.children[n.child(k)]
	}
	if i, found := find(n.keys, k); found {
		return n.values[i], true
	}
	return v, false
}

func (n *node[K, V]) mutable(e Epoch) *node[K, V] {
	if e.Owns(n.epoch) {
		return n
	}
	return &node[K, V]{epoch: e.Number, keys: slices.Clone(n.keys), values: slices.Clone(n.values), children: slices.Clone(n.children)}
}

// Set stores v under k.
func (t *Table[K, V]) Set(e Epoch, k K, v V) {
	if t.root == nil {
		t.root = &node[K, V]{epoch: e.Number, keys: []K{k}, values: []V{v}}
		t.length = 1
		return
	}
	left, right, added := t.root.set(e, k, v)
	if right != nil {
		left = &node[K, V]{epoch: e.Number, keys: []K{left.keys[0], right.keys[0]}, children: []*node[K, V]{left, right}}
	}
	t.root = left
	if added {
		t.length++
	}
}

func (n *node[K, V]) set(e Epoch, k K, v V) (self, right *node[K, V], added bool) {
	n = n.mutable(e)
	if n.children == nil {
		i, found := find(n.keys, k)
		if found {
			n.values[i] = v
			return n, nil, false
		}
		n.keys = slices.Insert(n.keys, i, k)
		n.values = slices.Insert(n.values, i, v)
		return n, n.split(e, i), true
	}
	i := n.child(k)
	child, more, added := n.children[i].set(e, k, v)
	n.children[i] = child
	n.keys[i] = child.keys[0]
	if more != nil {
		n.keys = slices.Insert(n.keys, i+1, more.keys[0])
		n.children = slices.Insert(n.children, i+1, more)
		return n, n.split(e, i+1), added
	}
	return n, nil, added
}

// split halves a node that is too full. One that grew at its end keeps all but
// the last, so that keys made in order fill their nodes.
func (n *node[K, V]) split(e Epoch, grown int) *node[K, V] {
	if len(n.keys) <= fanout {
		return nil
	}
	at := len(n.keys) / 2
	if grown == len(n.keys)-1 {
		at = grown
	}
	right := &node[K, V]{epoch: e.Number, keys: slices.Clone(n.keys[at:])}
	clear(n.keys[at:])
	n.keys = n.keys[:at]
	if n.children != nil {
		right.children = slices.Clone(n.children[at:])
		clear(n.children[at:])
		n.children = n.children[:at]
	} else {
		right.values = slices.Clone(n.values[at:])
		clear(n.values[at:])
		n.values = n.values[:at]
	}
	return right
}

// Delete removes k.
func (t *Table[K, V]) Delete(e Epoch, k K) {
	if _, ok := t.Get(k); !ok {
		return
	}
	t.length--
	t.root = t.root.delete(e, k)
	for t.root != nil && len(t.root.children) == 1 {
		t.root = t.root.children[0]
	}
}

// delete removes a key that is there; nil is an empty node.
func (n *node[K, V]) delete(e Epoch, k K) *node[K, V] {
	n = n.mutable(e)
	if n.children == nil {
		i, _ := find(n.keys, k)
		n.keys = slices.Delete(n.keys, i, i+1)
		n.values = slices.Delete(n.values, i, i+1)
	} else {
		i := n.child(k)
		if child := n.children[i].delete(e, k); child != nil {
			n.children[i] = child
			n.keys[i] = child.keys[0]
		} else {
			n.keys = slices.Delete(n.keys, i, i+1)
			n.children = slices.Delete(n.children, i, i+1)
		}
	}
	if len(n.keys) == 0 {
		return nil
	}
	return n
}

// Ascend visits the keys from k on in order until visit answers false.
func (t *Table[K, V]) Ascend(k K, visit func(K, V) bool) {
	if t.root != nil {
		t.root.ascend(k, visit)
	}
}

func (n *node[K, V]) ascend(k K, visit func(K, V) bool) bool {
	if n.children != nil {
		for i := n.child(k); i < len(n.children); i++ {
			if !n.children[i].ascend(k, visit) {
				return false
			}
		}
		return true
	}
	i, _ := find(n.keys, k)
	for ; i < len(n.keys); i++ {
		if !visit(n.keys[i], n.values[i]) {
			return false
		}
	}
	return true
}
