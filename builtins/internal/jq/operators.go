package jq

import (
	"math"
	"strings"
)

// operator is the native function of an infix operator.
func operator(name string) native {
	switch name {
	case "+":
		return plus
	case "-":
		return minus
	case "*":
		return times
	case "/":
		return divide
	case "%":
		return modulo
	case "==":
		return func(_ *Machine, _ Value, args []Value) (Value, error) { return equal(args[0], args[1]) }
	case "!=":
		return func(_ *Machine, _ Value, args []Value) (Value, error) {
			same, err := equal(args[0], args[1])
			return !same, err
		}
	}
	return func(_ *Machine, _ Value, args []Value) (Value, error) {
		c, err := compare(args[0], args[1], 0)
		switch name {
		case "<":
			return c < 0, err
		case "<=":
			return c <= 0, err
		case ">":
			return c > 0, err
		}
		return c >= 0, err
	}
}

func plus(m *Machine, _ Value, args []Value) (Value, error) {
	a, b := args[0], args[1]
	if a == nil {
		return b, nil
	}
	if b == nil {
		return a, nil
	}
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			return x + y, nil
		}
	case string:
		if y, ok := b.(string); ok {
			return x + y, m.memory.charge(len(x) + len(y) + valueSize)
		}
	case *Array:
		if y, ok := b.(*Array); ok {
			return m.join(x, y)
		}
	case *Object:
		if y, ok := b.(*Object); ok {
			return m.merge(x, y)
		}
	}
	return nil, typeError2(a, b, "cannot be added")
}

// join appends b's elements to a; a few go where a has room.
func (m *Machine) join(a, b *Array) (Value, error) {
	n := b.Len()
	if a.Len() == 0 {
		return b, nil
	}
	if n <= 8 || a.items.tree != nil {
		if err := m.memory.charge(n * 2 * valueSize); err != nil {
			return nil, err
		}
		for i := range n {
			a = a.add(b.At(i))
		}
		return a, nil
	}
	if err := m.memory.charge((a.Len() + n) * valueSize); err != nil {
		return nil, err
	}
	joined := append(make([]Value, 0, a.Len()+n), a.All()...)
	return newArray(append(joined, b.All()...)), nil
}

func (m *Machine) merge(a, b *Object) (Value, error) {
	n := b.Len()
	if a.Len() == 0 {
		return b, nil
	}
	if n <= 4 {
		for _, e := range b.All() {
			if err := m.memory.charge(m.cost(a.Len(), entrySize)); err != nil {
				return nil, err
			}
			a = a.set(e.key, e.value)
		}
		return a, nil
	}
	if err := m.memory.charge((a.Len() + n) * entrySize); err != nil {
		return nil, err
	}
	var both objectBuilder
	for _, e := range a.All() {
		both.set(e.key, e.value)
	}
	for _, e := range b.All() {
		both.set(e.key, e.value)
	}
	return both.done(), nil
}

func minus(m *Machine, _ Value, args []Value) (Value, error) {
	a, b := args[0], args[1]
	if x, ok := a.(float64); ok {
		if y, ok := b.(float64); ok {
			return x - y, nil
		}
	}
	x, ok := a.(*Array)
	y, ok2 := b.(*Array)
	if !ok || !ok2 {
		return nil, typeError2(a, b, "cannot be subtracted")
	}
	return m.without(x, y)
}

// without is a but for the elements of b.
func (m *Machine) without(a, b *Array) (Value, error) {
	if err := m.memory.charge((a.Len() + b.Len()) * valueSize); err != nil {
		return nil, err
	}
	texts := make(map[string]bool)
	var others []Value
	for _, v := range b.All() {
		if s, ok := v.(string); ok {
			texts[s] = true
		} else {
			others = append(others, v)
		}
	}
	rest := []Value{}
	for _, v := range a.All() {
		if s, ok := v.(string); ok {
			if !texts[s] {
				rest = append(rest, v)
			}
			continue
		}
		drop := false
		for _, o := range others {
			same, err := equal(v, o)
			if err != nil {
				return nil, err
			}
			if drop = same; drop {
				break
			}
		}
		if err := m.ctx.Err(); err != nil {
			return nil, err
		}
		if !drop {
			rest = append(rest, v)
		}
	}
	return newArray(rest), nil
}

func times(m *Machine, _ Value, args []Value) (Value, error) {
	a, b := args[0], args[1]
	switch x := a.(type) {
	case float64:
		switch y := b.(type) {
		case float64:
			return x * y, nil
		case string:
			return m.repeat(y, x)
		}
	case string:
		if y, ok := b.(float64); ok {
			return m.repeat(x, y)
		}
	case *Object:
		if y, ok := b.(*Object); ok {
			return m.mergeDeep(x, y, 0)
		}
	}
	return nil, typeError2(a, b, "cannot be multiplied")
}

// repeat is s n times, at least once; null where n is not positive.
func (m *Machine) repeat(s string, n float64) (Value, error) {
	if !(n > 0) {
		return nil, nil
	}
	count := max(math.Trunc(n), 1)
	if count*float64(len(s)) > math.MaxInt32 {
		return nil, raise("Repeat string result too long")
	}
	if err := m.memory.charge(int(count) * len(s)); err != nil {
		return nil, err
	}
	return strings.Repeat(s, int(count)), nil
}

// mergeDeep merges objects that both have under a key.
func (m *Machine) mergeDeep(a, b *Object, depth int) (Value, error) {
	if depth > maxDepth {
		return nil, raise("Object merge too deep")
	}
	if err := m.memory.charge((a.Len() + b.Len()) * entrySize); err != nil {
		return nil, err
	}
	var both objectBuilder
	for _, e := range a.All() {
		both.set(e.key, e.value)
	}
	for _, e := range b.All() {
		value := e.value
		if y, ok := value.(*Object); ok {
			old, _ := a.get(e.key)
			if x, ok := old.(*Object); ok {
				var err error
				if value, err = m.mergeDeep(x, y, depth+1); err != nil {
					return nil, err
				}
			}
		}
		both.set(e.key, value)
	}
	return both.done(), nil
}

func divide(m *Machine, _ Value, args []Value) (Value, error) {
	a, b := args[0], args[1]
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			if y == 0 {
				return nil, typeError2(a, b, "cannot be divided because the divisor is zero")
			}
			return x / y, nil
		}
	case string:
		if y, ok := b.(string); ok {
			return m.split(x, y)
		}
	}
	return nil, typeError2(a, b, "cannot be divided")
}

func modulo(_ *Machine, _ Value, args []Value) (Value, error) {
	x, ok := args[0].(float64)
	y, ok2 := args[1].(float64)
	if !ok || !ok2 {
		return nil, typeError2(args[0], args[1], "cannot be divided (remainder)")
	}
	divisor := toInt64(y)
	if divisor == 0 {
		return nil, typeError2(args[0], args[1], "cannot be divided (remainder) because the divisor is zero")
	}
	// The most negative number has no absolute value.
	if divisor = max(divisor, -divisor); divisor < 0 {
		return 0.0, nil
	}
	return float64(toInt64(x) % divisor), nil
}

// toInt64 is C's conversion on a machine that answers the most negative number
// for what does not fit.
func toInt64(f float64) int64 {
	if f != f || f >= 1<<63 || f < -1<<63 {
		return math.MinInt64
	}
	return int64(f)
}

func negate(_ *Machine, in Value, _ []Value) (Value, error) {
	n, ok := in.(float64)
	if !ok {
		return nil, typeError(in, "cannot be negated")
	}
	return -n, nil
}
