package jq

// list is an immutable sequence that is cheap to change one element at a time.
// It is a slice at first. An element added to the newest version of a slice
// goes into its spare room, and a long list of which an element is replaced
// becomes a tree, so a loop that builds a value step by step takes linear time.
type list[T any] struct {
	flat []T
	// used is how much of the slice its versions hold; nil where nobody may
	// write behind flat.
	used *int
	tree *tree[T]
}

// tree is a list in pieces. shift is its height in bits.
type tree[T any] struct {
	root  *node[T]
	size  int
	shift uint
}

// node is a leaf of up to 32 elements or a branch of up to 32 nodes.
type node[T any] struct {
	branch []*node[T]
	leaf   []T
}

const (
	nodeBits = 5
	nodeSize = 1 << nodeBits
	// treeFrom is the length from which replacing an element makes a tree.
	treeFrom = 64
)

func listOf[T any](items []T) list[T] { return list[T]{flat: items} }

func (l *list[T]) len() int {
	if l.tree != nil {
		return l.tree.size
	}
	return len(l.flat)
}

func (l *list[T]) at(i int) T {
	if l.tree == nil {
		return l.flat[i]
	}
	n := l.tree.root
	for s := l.tree.shift; s > 0; s -= nodeBits {
		n = n.branch[i>>s&(nodeSize-1)]
	}
	return n.leaf[i&(nodeSize-1)]
}

// all returns the elements as a slice, which must not be changed.
func (l *list[T]) all() []T {
	if l.tree != nil {
		l.flat = l.tree.root.collect(make([]T, 0, l.tree.size))
		l.tree, l.used = nil, nil
	}
	return l.flat
}

func (n *node[T]) collect(to []T) []T {
	to = append(to, n.leaf...)
	for _, b := range n.branch {
		to = b.collect(to)
	}
	return to
}

func (l *list[T]) slice(from, to int) list[T] {
	return list[T]{flat: l.all()[from:to:to]}
}

func (l *list[T]) add(v T) list[T] {
	if l.tree != nil {
		return l.addToTree(v)
	}
	n := len(l.flat)
	if l.used != nil && *l.used == n && n < cap(l.flat) {
		*l.used++
		return list[T]{flat: append(l.flat, v), used: l.used}
	}
	grown := make([]T, n+1, n+n/2+1)
	copy(grown, l.flat)
	grown[n] = v
	used := n + 1
	return list[T]{flat: grown, used: &used}
}

func (l *list[T]) set(i int, v T) list[T] {
	if l.tree == nil {
		if len(l.flat) < treeFrom {
			changed := append([]T(nil), l.flat...)
			changed[i] = v
			return list[T]{flat: changed}
		}
		t := plant(l.flat)
		return t.set(i, v)
	}
	t := l.tree
	return list[T]{tree: &tree[T]{t.root.set(i, t.shift, v), t.size, t.shift}}
}

func (n *node[T]) set(i int, shift uint, v T) *node[T] {
	at := i >> shift & (nodeSize - 1)
	if shift == 0 {
		leaf := append([]T(nil), n.leaf...)
		leaf[at] = v
		return &node[T]{leaf: leaf}
	}
	branch := append([]*node[T](nil), n.branch...)
	branch[at] = branch[at].set(i, shift-nodeBits, v)
	return &node[T]{branch: branch}
}

func (l *list[T]) addToTree(v T) list[T] {
	root, size, shift := l.tree.root, l.tree.size, l.tree.shift
	if size == 1<<(shift+nodeBits) {
		root, shift = &node[T]{branch: []*node[T]{root}}, shift+nodeBits
	}
	return list[T]{tree: &tree[T]{root.add(size, shift, v), size + 1, shift}}
}

func (n *node[T]) add(i int, shift uint, v T) *node[T] {
	if n == nil {
		n = &node[T]{}
	}
	if shift == 0 {
		leaf := make([]T, len(n.leaf), len(n.leaf)+1)
		copy(leaf, n.leaf)
		return &node[T]{leaf: append(leaf, v)}
	}
	at := i >> shift & (nodeSize - 1)
	branch := make([]*node[T], at+1)
	copy(branch, n.branch)
	branch[at] = branch[at].add(i, shift-nodeBits, v)
	return &node[T]{branch: branch}
}

// plant makes a tree of a slice, whose memory its leaves share.
func plant[T any](items []T) list[T] {
	var level []*node[T]
	for i := 0; i < len(items); i += nodeSize {
		end := min(i+nodeSize, len(items))
		level = append(level, &node[T]{leaf: items[i:end:end]})
	}
	shift := uint(0)
	for len(level) > 1 {
		var above []*node[T]
		for i := 0; i < len(level); i += nodeSize {
			end := min(i+nodeSize, len(level))
			above = append(above, &node[T]{branch: level[i:end:end]})
		}
		level, shift = above, shift+nodeBits
	}
	return list[T]{tree: &tree[T]{level[0], len(items), shift}}
}
