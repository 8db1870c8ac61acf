package jq

import (
	"math"
	"sort"
)

// getIndex is .[key].
func getIndex(v, key Value) (Value, error) {
	switch t := v.(type) {
	case *Object:
		if k, ok := key.(string); ok {
			value, _ := t.get(k)
			return value, nil
		}
	case *Array:
		switch k := key.(type) {
		case float64:
			i := arrayIndex(k)
			if i < 0 {
				i += t.Len()
			}
			if i < 0 || i >= t.Len() || k != math.Trunc(k) {
				return nil, nil
			}
			return t.At(i), nil
		case *Object:
			from, to, ok := sliceBounds(k, t.Len())
			if !ok {
				return nil, raise("Start and end indices of an array slice must be numbers")
			}
			return t.slice(from, to), nil
		case *Array:
			return indicesOf(t, k)
		}
	case string:
		if k, ok := key.(*Object); ok {
			from, to, ok := sliceBounds(k, textLength(t))
			if !ok {
				return nil, raise("Start and end indices of an string slice must be numbers")
			}
			return sliceText(t, from, to), nil
		}
	case nil:
		switch key.(type) {
		case string, float64, *Object:
			return nil, nil
		}
	}
	return nil, indexError(v, key)
}

func indexError(v, key Value) error {
	if k, ok := key.(string); ok && len(k) < 30 {
		return raise("Cannot index %s with string \"%s\"", typeName(v), k)
	}
	return raise("Cannot index %s with %s", typeName(v), typeName(key))
}

// noIndex is out of every array's range, also with a length added.
const noIndex = -1 << 50

// arrayIndex is a number as C converts it to an index.
func arrayIndex(f float64) int {
	if f != f || math.Abs(f) > 1<<40 {
		return noIndex
	}
	return int(f)
}

// sliceBounds reads {"start": n, "end": n} for a sequence of size elements.
func sliceBounds(key *Object, size int) (from, to int, ok bool) {
	start, hasStart := key.get("start")
	end, hasEnd := key.get("end")
	if !hasStart || !hasEnd {
		return 0, 0, false
	}
	first, last := 0.0, float64(size)
	if start != nil {
		if first, ok = start.(float64); !ok {
			return 0, 0, false
		}
	}
	if end != nil {
		if last, ok = end.(float64); !ok {
			return 0, 0, false
		}
	}
	clip := func(f float64) float64 {
		if f < 0 {
			f += float64(size)
		}
		return min(max(f, 0), float64(size))
	}
	first, last = clip(first), clip(last)
	if last < first {
		last = first
	}
	if first != first || last != last {
		return 0, 0, true
	}
	from, to = int(first), int(math.Ceil(last))
	return from, min(to, size), true
}

// indicesOf finds where the elements of part stand in a.
func indicesOf(a, part *Array) (Value, error) {
	var found []Value
	items, wanted := a.All(), part.All()
	for i := range items {
		if len(wanted) == 0 {
			break
		}
		for j := 0; ; j++ {
			if j == len(wanted) {
				found = append(found, float64(i))
				break
			}
			if i+j >= len(items) {
				break
			}
			if same, err := equal(items[i+j], wanted[j]); err != nil {
				return nil, err
			} else if !same {
				break
			}
		}
	}
	return newArray(found), nil
}

// setIndex is v with another value at key.
func (m *Machine) setIndex(v, key, value Value) (Value, error) {
	switch k := key.(type) {
	case string:
		switch t := v.(type) {
		case nil:
			return (&Object{}).set(k, value), m.memory.charge(entrySize)
		case *Object:
			return t.set(k, value), m.memory.charge(m.cost(t.Len(), entrySize))
		}
	case float64:
		switch t := v.(type) {
		case nil:
			return m.setElement(&Array{}, k, value)
		case *Array:
			return m.setElement(t, k, value)
		}
	case *Object:
		switch t := v.(type) {
		case nil:
			return m.setSlice(&Array{}, k, value)
		case *Array:
			return m.setSlice(t, k, value)
		}
	}
	return nil, indexError(v, key)
}

// cost is what one change of a list takes: all of a short one, a path of a tree.
func (m *Machine) cost(n, size int) int {
	if n >= treeFrom {
		n = 4 * nodeSize
	}
	return (n + 2) * size
}

func (m *Machine) setElement(a *Array, key float64, value Value) (Value, error) {
	n := a.Len()
	if key >= 1<<29 {
		return nil, raise("Array index too large")
	}
	i := arrayIndex(key)
	if i < 0 {
		i += n
	}
	if i < 0 {
		return nil, raise("Out of bounds negative array index")
	}
	if i < n {
		return a.set(i, value), m.memory.charge(m.cost(n, valueSize))
	}
	if err := m.memory.charge((i - n + 1) * valueSize); err != nil {
		return nil, err
	}
	for ; n < i; n++ {
		a = a.add(nil)
	}
	return a.add(value), nil
}

func (m *Machine) setSlice(a *Array, key *Object, value Value) (Value, error) {
	from, to, ok := sliceBounds(key, a.Len())
	if !ok {
		return nil, raise("Start and end indices of an array slice must be numbers")
	}
	middle, ok := value.(*Array)
	if !ok {
		return nil, raise("A slice of an array can only be assigned another array")
	}
	n := a.Len() - (to - from) + middle.Len()
	if err := m.memory.charge(n * valueSize); err != nil {
		return nil, err
	}
	items := a.All()
	joined := append(make([]Value, 0, n), items[:from]...)
	joined = append(joined, middle.All()...)
	return newArray(append(joined, items[to:]...)), nil
}

func getPath(v Value, path []Value) (Value, error) {
	for _, key := range path {
		if v == nil {
			return nil, nil
		}
		var err error
		if v, err = getIndex(v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (m *Machine) setPath(v Value, path []Value, value Value, depth int) (Value, error) {
	if len(path) == 0 {
		return value, nil
	}
	if depth > maxDepth {
		return nil, raise("Path too deep")
	}
	inner, err := getIndex(v, path[0])
	if err != nil {
		return nil, err
	}
	if inner, err = m.setPath(inner, path[1:], value, depth+1); err != nil {
		return nil, err
	}
	return m.setIndex(v, path[0], inner)
}

// deletePaths removes every path of paths; what is not there is no error.
func (m *Machine) deletePaths(v Value, paths []Value) (Value, error) {
	ordered := append([]Value(nil), paths...)
	for _, p := range ordered {
		if _, ok := p.(*Array); !ok {
			return nil, raise("Path must be specified as array, not %s", typeName(p))
		}
	}
	if err := m.sortValues(ordered); err != nil {
		return nil, err
	}
	if len(ordered) == 0 {
		return v, nil
	}
	if ordered[0].(*Array).Len() == 0 {
		return nil, nil
	}
	return m.deleteSorted(v, ordered, 0)
}

// deleteSorted goes through paths that share their first keys: those that go
// on below a key are done first, then the keys that end here at once.
func (m *Machine) deleteSorted(v Value, paths []Value, depth int) (Value, error) {
	if depth > maxDepth {
		return nil, raise("Path too deep")
	}
	var keys []Value
	for i := 0; i < len(paths); {
		first := paths[i].(*Array)
		key := first.At(depth)
		j := i + 1
		for ; j < len(paths); j++ {
			if same, err := equal(key, paths[j].(*Array).At(depth)); err != nil {
				return nil, err
			} else if !same {
				break
			}
		}
		if first.Len() == depth+1 {
			keys = append(keys, key)
			i = j
			continue
		}
		inner, err := getIndex(v, key)
		if err != nil {
			return nil, err
		}
		if inner != nil {
			if inner, err = m.deleteSorted(inner, paths[i:j], depth+1); err != nil {
				return nil, err
			}
			if v, err = m.setIndex(v, key, inner); err != nil {
				return nil, err
			}
		}
		i = j
	}
	return m.deleteSiblings(v, keys)
}

// deleteSiblings removes keys from one value.
func (m *Machine) deleteSiblings(v Value, keys []Value) (Value, error) {
	if len(keys) == 0 {
		return v, nil
	}
	switch t := v.(type) {
	case nil:
		return nil, nil
	case *Object:
		return m.deleteKeys(t, keys)
	case *Array:
		return m.deleteElements(t, keys)
	}
	return nil, raise("Cannot delete fields from %s", typeName(v))
}

func (m *Machine) deleteKeys(o *Object, keys []Value) (Value, error) {
	drop := make(map[string]bool, len(keys))
	for _, k := range keys {
		name, ok := k.(string)
		if !ok {
			return nil, raise("Cannot delete %s field of object", typeName(k))
		}
		drop[name] = true
	}
	if err := m.memory.charge(o.Len() * entrySize); err != nil {
		return nil, err
	}
	rest := make([]entry, 0, o.Len())
	for _, e := range o.All() {
		if !drop[e.key] {
			rest = append(rest, e)
		}
	}
	return &Object{entries: listOf(rest)}, nil
}

func (m *Machine) deleteElements(a *Array, keys []Value) (Value, error) {
	n := a.Len()
	drop := make(map[int]bool, len(keys))
	type span struct{ from, to int }
	var spans []span
	for _, k := range keys {
		switch k := k.(type) {
		case float64:
			i := arrayIndex(k)
			if i < 0 {
				i += n
			}
			drop[i] = true
		case *Object:
			from, to, ok := sliceBounds(k, n)
			if !ok {
				return nil, raise("Start and end indices of an array slice must be numbers")
			}
			spans = append(spans, span{from, to})
		default:
			return nil, raise("Cannot delete %s element of array", typeName(k))
		}
	}
	if err := m.memory.charge(n * valueSize); err != nil {
		return nil, err
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].from < spans[j].from })
	rest := make([]Value, 0, n)
	reached := 0
	for i, item := range a.All() {
		for len(spans) > 0 && spans[0].from <= i {
			reached = max(reached, spans[0].to)
			spans = spans[1:]
		}
		if i >= reached && !drop[i] {
			rest = append(rest, item)
		}
	}
	return newArray(rest), nil
}
