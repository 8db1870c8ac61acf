// Package jq is jq's language: its parser, its values and the machine that
// runs a program over them. It keeps to jq 1.6 where versions differ.
package jq

import (
	"sort"
	"strings"
	"unsafe"
)

// Value is a JSON value: nil, bool, float64, string, *Array or *Object. Values
// are immutable; a string is always valid UTF-8.
type Value any

// Array is a JSON array.
type Array struct {
	items list[Value]
	// seen is the last measurement that met the array.
	seen uint32
}

func newArray(items []Value) *Array { return &Array{items: listOf(items)} }

func (a *Array) Len() int           { return a.items.len() }
func (a *Array) At(i int) Value     { return a.items.at(i) }
func (a *Array) All() []Value       { return a.items.all() }
func (a *Array) add(v Value) *Array { return &Array{items: a.items.add(v)} }

func (a *Array) set(i int, v Value) *Array { return &Array{items: a.items.set(i, v)} }

func (a *Array) slice(from, to int) *Array {
	if from == 0 && to == a.Len() {
		return a
	}
	return &Array{items: a.items.slice(from, to)}
}

type entry struct {
	key   string
	value Value
}

// Object is a JSON object. Its keys stay in the order they came in.
type Object struct {
	entries list[entry]
	index   *index
	seen    uint32
}

// index finds the entries of an object with many keys. The versions of an
// object that grew from one another share it: a position past a version's end
// is another version's.
type index struct{ at map[string]int }

// indexedFrom is the size at which an index pays.
const indexedFrom = 12

func (o *Object) Len() int     { return o.entries.len() }
func (o *Object) All() []entry { return o.entries.all() }

func (o *Object) find(key string) int {
	n := o.entries.len()
	if n < indexedFrom {
		for i := range n {
			if o.entries.at(i).key == key {
				return i
			}
		}
		return -1
	}
	if o.index == nil {
		o.index = &index{at: make(map[string]int, n)}
		for i, e := range o.entries.all() {
			o.index.at[e.key] = i
		}
	}
	if i, ok := o.index.at[key]; ok && i < n {
		return i
	}
	return -1
}

func (o *Object) get(key string) (Value, bool) {
	if i := o.find(key); i >= 0 {
		return o.entries.at(i).value, true
	}
	return nil, false
}

func (o *Object) set(key string, v Value) *Object {
	if i := o.find(key); i >= 0 {
		return &Object{entries: o.entries.set(i, entry{key, v}), index: o.index}
	}
	n := o.entries.len()
	next := &Object{entries: o.entries.add(entry{key, v})}
	if o.index != nil && len(o.index.at) == n {
		next.index = o.index
		next.index.at[key] = n
	}
	return next
}

func (o *Object) without(key string) *Object {
	i := o.find(key)
	if i < 0 {
		return o
	}
	all := o.entries.all()
	rest := make([]entry, 0, len(all)-1)
	rest = append(append(rest, all[:i]...), all[i+1:]...)
	return &Object{entries: listOf(rest)}
}

// sorted returns the entries by key.
func (o *Object) sorted() []entry {
	all := append([]entry(nil), o.entries.all()...)
	sort.Slice(all, func(i, j int) bool { return all[i].key < all[j].key })
	return all
}

// objectBuilder collects keys for an object of its own; a later value takes
// the place of an earlier one.
type objectBuilder struct{ object *Object }

func (b *objectBuilder) set(key string, v Value) {
	if b.object == nil {
		b.object = &Object{}
	}
	o := b.object
	if i := o.find(key); i >= 0 {
		o.entries.flat[i].value = v
		return
	}
	o.entries.flat = append(o.entries.flat, entry{key, v})
	if o.index != nil {
		o.index.at[key] = len(o.entries.flat) - 1
	}
}

func (b *objectBuilder) done() *Object {
	if b.object == nil {
		return &Object{}
	}
	return &Object{entries: listOf(b.object.entries.flat), index: b.object.index}
}

func objectOf(pairs ...any) *Object {
	entries := make([]entry, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		entries = append(entries, entry{pairs[i].(string), pairs[i+1]})
	}
	return &Object{entries: listOf(entries)}
}

// kind is a value's type, in jq's order of types.
type kind uint8

const (
	kindNull kind = iota
	kindFalse
	kindTrue
	kindNumber
	kindString
	kindArray
	kindObject
)

func kindOf(v Value) kind {
	switch v := v.(type) {
	case bool:
		if v {
			return kindTrue
		}
		return kindFalse
	case float64:
		return kindNumber
	case string:
		return kindString
	case *Array:
		return kindArray
	case *Object:
		return kindObject
	}
	return kindNull
}

func typeName(v Value) string {
	switch v.(type) {
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case *Array:
		return "array"
	case *Object:
		return "object"
	}
	return "null"
}

func truth(v Value) bool { return v != nil && v != false }

// same reports whether two values are one: a path expression may pass its
// value on but not make a new one.
func same(a, b Value) bool {
	if s, ok := a.(string); ok {
		t, ok := b.(string)
		return ok && len(s) == len(t) && unsafe.StringData(s) == unsafe.StringData(t)
	}
	if x, ok := a.(float64); ok {
		y, ok := b.(float64)
		return ok && (x == y || x != x && y != y)
	}
	return a == b
}

// maxDepth bounds every walk over a value.
const maxDepth = 10000

// compare orders values as sort does. It gives up with an error on values
// nested too deep.
func compare(a, b Value, depth int) (int, error) {
	if depth > maxDepth {
		return 0, raise("Comparison too deep")
	}
	if ka, kb := kindOf(a), kindOf(b); ka != kb {
		return int(ka) - int(kb), nil
	}
	switch a := a.(type) {
	case float64:
		return compareNumbers(a, b.(float64)), nil
	case string:
		return strings.Compare(a, b.(string)), nil
	case *Array:
		return compareArrays(a, b.(*Array), depth)
	case *Object:
		return compareObjects(a, b.(*Object), depth)
	}
	return 0, nil
}

// compareNumbers puts NaN below every number, itself too.
func compareNumbers(a, b float64) int {
	switch {
	case a < b || a != a:
		return -1
	case a == b:
		return 0
	}
	return 1
}

func compareArrays(a, b *Array, depth int) (int, error) {
	for i := 0; ; i++ {
		switch doneA, doneB := i >= a.Len(), i >= b.Len(); {
		case doneA && doneB:
			return 0, nil
		case doneA:
			return -1, nil
		case doneB:
			return 1, nil
		}
		if c, err := compare(a.At(i), b.At(i), depth+1); c != 0 || err != nil {
			return c, err
		}
	}
}

func compareObjects(a, b *Object, depth int) (int, error) {
	left, right := a.sorted(), b.sorted()
	for i := 0; ; i++ {
		switch doneA, doneB := i >= len(left), i >= len(right); {
		case doneA && doneB:
			i = -1
		case doneA:
			return -1, nil
		case doneB:
			return 1, nil
		default:
			if c := strings.Compare(left[i].key, right[i].key); c != 0 {
				return c, nil
			}
			continue
		}
		break
	}
	for i := range left {
		if c, err := compare(left[i].value, right[i].value, depth+1); c != 0 || err != nil {
			return c, err
		}
	}
	return 0, nil
}

func equal(a, b Value) (bool, error) {
	c, err := compare(a, b, 0)
	return c == 0, err
}
