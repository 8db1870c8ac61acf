package jq

import (
	"io"
	"math"
	"sort"
	"strings"
)

// builtin is the native function of a name with its number of arguments.
func builtin(key string) native {
	switch key {
	case "type/0":
		return func(_ *Machine, in Value, _ []Value) (Value, error) { return typeName(in), nil }
	case "length/0":
		return length
	case "utf8bytelength/0":
		return func(_ *Machine, in Value, _ []Value) (Value, error) {
			s, ok := in.(string)
			if !ok {
				return nil, typeError(in, "only strings have UTF-8 byte length")
			}
			return float64(len(s)), nil
		}
	case "keys/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) { return m.keys(in, true) }
	case "keys_unsorted/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) { return m.keys(in, false) }
	case "has/1":
		return has
	case "contains/1":
		return func(_ *Machine, in Value, args []Value) (Value, error) { return contains(in, args[0], 0) }
	case "add/0":
		return addAll
	case "error/0":
		return raiseInput
	case "error/1":
		return func(m *Machine, _ Value, args []Value) (Value, error) { return raiseInput(m, args[0], nil) }
	case "getpath/1":
		return getPathTracked
	case "setpath/2":
		return func(m *Machine, in Value, args []Value) (Value, error) {
			path, ok := args[0].(*Array)
			if !ok {
				return nil, raise("Path must be specified as an array")
			}
			return m.setPath(in, path.All(), args[1], 0)
		}
	case "delpaths/1":
		return func(m *Machine, in Value, args []Value) (Value, error) {
			paths, ok := args[0].(*Array)
			if !ok {
				return nil, raise("Paths must be specified as an array")
			}
			return m.deletePaths(in, paths.All())
		}
	case "env/0":
		return environment
	case "halt/0":
		return func(*Machine, Value, []Value) (Value, error) { return nil, &Halt{} }
	case "halt_error/1":
		return func(_ *Machine, in Value, args []Value) (Value, error) {
			status, ok := args[0].(float64)
			if !ok {
				return nil, typeError(in, "halt_error/1: number required")
			}
			return nil, &Halt{Status: int(status) & 0xff, Message: in, HasMessage: true}
		}
	case "input/0":
		return input
	case "debug/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) { return in, say(m.world.Debug, in) }
	case "stderr/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) { return in, say(m.world.Stderr, in) }
	case "input_filename/0":
		return func(m *Machine, _ Value, _ []Value) (Value, error) {
			if m.world.InputName != nil {
				if name, ok := m.world.InputName(); ok {
					return name, nil
				}
			}
			return nil, nil
		}
	case "input_line_number/0":
		return func(m *Machine, _ Value, _ []Value) (Value, error) {
			if m.world.InputLine == nil {
				return 0.0, nil
			}
			return float64(m.world.InputLine()), nil
		}
	case "builtins/0":
		return builtinNames
	case "get_search_list/0":
		return func(m *Machine, _ Value, _ []Value) (Value, error) { return m.loader.searchList(), nil }
	case "get_prog_origin/0", "get_jq_origin/0":
		return func(*Machine, Value, []Value) (Value, error) { return nil, nil }
	case "modulemeta/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) {
			name, ok := in.(string)
			if !ok {
				return nil, raise("modulemeta input module name must be a string")
			}
			return m.loader.meta(name)
		}
	}
	for _, table := range [...]func(string) native{sortBuiltin, textBuiltin, mathBuiltin, dateBuiltin} {
		if f := table(key); f != nil {
			return f
		}
	}
	return nil
}

func say(to func(Value) error, v Value) error {
	if to == nil {
		return nil
	}
	return to(v)
}

func length(_ *Machine, in Value, _ []Value) (Value, error) {
	switch v := in.(type) {
	case nil:
		return 0.0, nil
	case float64:
		return math.Abs(v), nil
	case string:
		return float64(textLength(v)), nil
	case *Array:
		return float64(v.Len()), nil
	case *Object:
		return float64(v.Len()), nil
	}
	return nil, typeError(in, "has no length")
}

func (m *Machine) keys(in Value, ordered bool) (Value, error) {
	switch v := in.(type) {
	case *Array:
		if err := m.memory.charge(v.Len() * valueSize); err != nil {
			return nil, err
		}
		keys := make([]Value, v.Len())
		for i := range keys {
			keys[i] = float64(i)
		}
		return newArray(keys), nil
	case *Object:
		if err := m.memory.charge(v.Len() * valueSize); err != nil {
			return nil, err
		}
		entries := v.All()
		if ordered {
			entries = v.sorted()
		}
		keys := make([]Value, len(entries))
		for i := range entries {
			keys[i] = entries[i].key
		}
		return newArray(keys), nil
	}
	return nil, typeError(in, "has no keys")
}

func has(_ *Machine, in Value, args []Value) (Value, error) {
	switch key := args[0].(type) {
	case string:
		if o, ok := in.(*Object); ok {
			return o.find(key) >= 0, nil
		}
	case float64:
		if a, ok := in.(*Array); ok {
			i := arrayIndex(key)
			return i >= 0 && i < a.Len(), nil
		}
	}
	if in == nil {
		switch args[0].(type) {
		case string, float64:
			return false, nil
		}
	}
	return nil, raise("Cannot check whether %s has a %s key", typeName(in), typeName(args[0]))
}

func contains(a, b Value, depth int) (Value, error) {
	if depth > maxDepth {
		return nil, raise("Containment check too deep")
	}
	if kindOf(a) != kindOf(b) {
		return nil, typeError2(a, b, "cannot have their containment checked")
	}
	switch x := a.(type) {
	case *Object:
		for _, e := range b.(*Object).All() {
			inner, ok := x.get(e.key)
			if !ok {
				return false, nil
			}
			if in, err := containsPart(inner, e.value, depth); in != true || err != nil {
				return in, err
			}
		}
		return true, nil
	case *Array:
		for _, wanted := range b.(*Array).All() {
			found := false
			for _, item := range x.All() {
				in, err := containsPart(item, wanted, depth)
				if err != nil {
					return nil, err
				}
				if in == true {
					found = true
					break
				}
			}
			if !found {
				return false, nil
			}
		}
		return true, nil
	case string:
		return strings.Contains(x, b.(string)), nil
	}
	same, err := equal(a, b)
	return same, err
}

// containsPart is contains for parts, whose types may differ.
func containsPart(a, b Value, depth int) (Value, error) {
	if kindOf(a) != kindOf(b) {
		return false, nil
	}
	return contains(a, b, depth+1)
}

func raiseInput(_ *Machine, in Value, _ []Value) (Value, error) {
	if in == nil {
		return nil, errBacktrack
	}
	return nil, &Error{in}
}

func getPathTracked(m *Machine, in Value, args []Value) (Value, error) {
	path, ok := args[0].(*Array)
	if !ok {
		return nil, raise("Path must be specified as an array")
	}
	v, err := getPath(in, path.All())
	if err != nil {
		return nil, err
	}
	if !m.intact(in) {
		return nil, raise("Invalid path expression with result %s", excerpt(v, 30))
	}
	if m.tracked() {
		for _, key := range path.All() {
			m.addStep(key, v)
		}
		m.path.value = v
	}
	return v, nil
}

func environment(m *Machine, _ Value, _ []Value) (Value, error) {
	if m.env == nil {
		var b objectBuilder
		for _, pair := range m.world.Env {
			if name, value, ok := strings.Cut(pair, "="); ok {
				b.set(validText(name), validText(value))
			}
		}
		m.env = b.done()
	}
	return m.env, nil
}

func input(m *Machine, _ Value, _ []Value) (Value, error) {
	if m.world.Input == nil {
		return nil, raise("break")
	}
	v, err := m.world.Input()
	if err == io.EOF {
		return nil, raise("break")
	}
	return v, err
}

// addAll is the sum of the elements. Texts are joined at once.
func addAll(m *Machine, in Value, _ []Value) (Value, error) {
	var items []Value
	switch v := in.(type) {
	case *Array:
		items = v.All()
	case *Object:
		items = make([]Value, 0, v.Len())
		for _, e := range v.All() {
			items = append(items, e.value)
		}
	default:
		return nil, raise("Cannot iterate over %s (%s)", typeName(in), excerpt(in, excerptSize))
	}
	if len(items) > 2 && kindOf(items[0]) == kindString {
		return m.addTexts(items)
	}
	return m.addFrom(nil, items)
}

func (m *Machine) addFrom(sum Value, items []Value) (Value, error) {
	for i, item := range items {
		var err error
		if sum, err = plus(m, nil, []Value{sum, item}); err != nil {
			return nil, err
		}
		if i&(opsBetweenLooks-1) == 0 && m.ctx.Err() != nil {
			return nil, m.ctx.Err()
		}
	}
	return sum, nil
}

func (m *Machine) addTexts(items []Value) (Value, error) {
	size := 0
	for i, item := range items {
		s, ok := item.(string)
		if !ok {
			head, err := m.addFrom("", items[:i])
			if err != nil {
				return nil, err
			}
			return m.addFrom(head, items[i:])
		}
		size += len(s)
	}
	if err := m.memory.charge(size); err != nil {
		return nil, err
	}
	joined := make([]byte, 0, size)
	for _, item := range items {
		joined = append(joined, item.(string)...)
	}
	return string(joined), nil
}

func sortBuiltin(key string) native {
	switch key {
	case "sort/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) {
			a, ok := in.(*Array)
			if !ok {
				return nil, typeError(in, "cannot be sorted, as it is not an array")
			}
			items := append([]Value(nil), a.All()...)
			if err := m.memory.charge(len(items) * valueSize); err != nil {
				return nil, err
			}
			return newArray(items), m.sortValues(items)
		}
	case "_sort_by/1":
		return func(m *Machine, in Value, args []Value) (Value, error) {
			order, a, err := m.sortedBy(in, args[0])
			if err != nil {
				return nil, err
			}
			items := make([]Value, len(order))
			for i, at := range order {
				items[i] = a.At(at)
			}
			return newArray(items), nil
		}
	case "_group_by/1":
		return groupBy
	case "min/0", "max/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) { return m.extreme(in, in, key == "max/0") }
	case "_min_by/1", "_max_by/1":
		return func(m *Machine, in Value, args []Value) (Value, error) {
			return m.extreme(in, args[0], key == "_max_by/1")
		}
	}
	return nil
}

// sorter sorts by keys, stably. It stops comparing after an error.
type sorter struct {
	m     *Machine
	keys  []Value
	order []int
	err   error
	steps int
}

func (s *sorter) Len() int      { return len(s.order) }
func (s *sorter) Swap(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] }
func (s *sorter) Less(i, j int) bool {
	if s.err != nil {
		return false
	}
	if s.steps++; s.steps&(opsBetweenLooks-1) == 0 {
		s.err = s.m.ctx.Err()
	}
	c, err := compare(s.keys[s.order[i]], s.keys[s.order[j]], 0)
	if err != nil {
		s.err = err
	}
	return c < 0 || c == 0 && s.order[i] < s.order[j]
}

func (m *Machine) order(keys []Value) ([]int, error) {
	if err := m.memory.charge(len(keys) * 8); err != nil {
		return nil, err
	}
	s := sorter{m: m, keys: keys, order: make([]int, len(keys))}
	for i := range s.order {
		s.order[i] = i
	}
	sort.Sort(&s)
	return s.order, s.err
}

func (m *Machine) sortValues(values []Value) error {
	order, err := m.order(values)
	if err != nil {
		return err
	}
	sorted := make([]Value, len(values))
	for i, at := range order {
		sorted[i] = values[at]
	}
	copy(values, sorted)
	return nil
}

// sortedBy orders the elements of in by the keys beside them.
func (m *Machine) sortedBy(in, keys Value) ([]int, *Array, error) {
	a, ok := in.(*Array)
	k, ok2 := keys.(*Array)
	switch {
	case !ok || !ok2:
		return nil, nil, typeError2(in, keys, "cannot be sorted, as they are not both arrays")
	case a.Len() != k.Len():
		return nil, nil, typeError2(in, keys, "have wrong length")
	}
	if err := m.memory.charge(a.Len() * valueSize); err != nil {
		return nil, nil, err
	}
	order, err := m.order(k.All())
	return order, a, err
}

func groupBy(m *Machine, in Value, args []Value) (Value, error) {
	order, a, err := m.sortedBy(in, args[0])
	if err != nil {
		return nil, err
	}
	keys := args[0].(*Array)
	var groups, group []Value
	for i, at := range order {
		if i > 0 {
			same, err := equal(keys.At(order[i-1]), keys.At(at))
			if err != nil {
				return nil, err
			}
			if !same {
				groups, group = append(groups, newArray(group)), nil
			}
		}
		group = append(group, a.At(at))
	}
	if group != nil {
		groups = append(groups, newArray(group))
	}
	return newArray(groups), m.memory.charge((len(order) + len(groups)) * valueSize)
}

// extreme is the first least or the last greatest element by key.
func (m *Machine) extreme(in, keys Value, greatest bool) (Value, error) {
	a, ok := in.(*Array)
	k, ok2 := keys.(*Array)
	switch {
	case !ok || !ok2:
		return nil, typeError2(in, keys, "cannot be iterated over")
	case a.Len() != k.Len():
		return nil, typeError2(in, keys, "have wrong length")
	case a.Len() == 0:
		return nil, nil
	}
	best := 0
	for i := 1; i < a.Len(); i++ {
		c, err := compare(k.At(i), k.At(best), 0)
		if err != nil {
			return nil, err
		}
		if c >= 0 == greatest {
			best = i
		}
	}
	return a.At(best), nil
}
