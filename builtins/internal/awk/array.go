package awk

import (
	"sort"
	"strconv"
	"strings"
)

// entry is one element: a scalar or an array.
type entry struct {
	key   string
	v     value
	array *array
	order int
}

// array is an associative array. Its order is that of insertion until an order
// is asked for.
type array struct {
	elements map[string]*entry
	next     int
}

func newArray() *array { return &array{elements: map[string]*entry{}} }

// entryCost is what an element costs besides its text.
const entryCost = 128

func (a *array) get(m *machine, key string) *entry {
	e := a.elements[key]
	if e == nil {
		m.charge(entryCost + int64(len(key)))
		e = &entry{key: key, order: a.next}
		a.next++
		a.elements[key] = e
	}
	return e
}

func (a *array) set(m *machine, key string, v value) {
	e := a.get(m, key)
	if len(v.s) > 64 {
		m.charge(int64(len(v.s) - len(e.v.s)))
	}
	e.v = v
}

func (a *array) remove(m *machine, key string) {
	if e := a.elements[key]; e != nil {
		delete(a.elements, key)
		m.refund(entryCost + int64(len(key)))
	}
}

func (a *array) clear(m *machine) {
	m.refund(int64(len(a.elements)) * entryCost)
	a.elements = map[string]*entry{}
}

// isInteger reports a key that gawk keeps as an integer.
func isInteger(key string) (int64, bool) {
	if key == "" || len(key) > 18 || key[0] == '0' && len(key) > 1 || key == "-" || strings.HasPrefix(key, "-0") {
		return 0, false
	}
	n, err := strconv.ParseInt(key, 10, 64)
	return n, err == nil && key[0] != '+'
}

// keys lists an array in the order that PROCINFO["sorted_in"] asks for; without
// one it is gawk's own.
func (m *machine) keys(a *array) []*entry {
	list := make([]*entry, 0, len(a.elements))
	for _, e := range a.elements {
		list = append(list, e)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].order < list[j].order })
	order := ""
	if c := m.global("PROCINFO"); c.array != nil {
		if e := c.array.elements["sorted_in"]; e != nil {
			order = m.text(&e.v)
		}
	}
	if order == "" || order == "@unsorted" {
		return hashOrder(list)
	}
	m.sortEntries(list, order)
	return list
}

// sortEntries sorts by one of gawk's named orders or by a user's function.
func (m *machine) sortEntries(list []*entry, order string) {
	less := m.ordering(order)
	sort.SliceStable(list, func(i, j int) bool {
		m.check()
		return less(list[i], list[j]) < 0
	})
}

func (m *machine) ordering(order string) func(a, b *entry) int {
	switch order {
	case "@ind_str_asc":
		return func(a, b *entry) int { return m.compareText(a.key, b.key) }
	case "@ind_str_desc":
		return func(a, b *entry) int { return m.compareText(b.key, a.key) }
	case "@ind_num_asc":
		return compareIndexNumbers(m)
	case "@ind_num_desc":
		return reversed(compareIndexNumbers(m))
	case "@val_str_asc":
		return m.compareValueText
	case "@val_str_desc":
		return reversed(m.compareValueText)
	case "@val_num_asc":
		return m.compareValueNumbers
	case "@val_num_desc":
		return reversed(m.compareValueNumbers)
	case "@val_type_asc":
		return m.compareValueTypes
	case "@val_type_desc":
		return reversed(m.compareValueTypes)
	case "@ind_type_asc":
		return compareIndexNumbers(m)
	}
	fn := m.program.functions[order]
	if fn == nil || !fn.define {
		fatalf("sort comparison function `%s' is not defined", order)
	}
	return func(a, b *entry) int {
		v := m.call(fn, []value{input(a.key), a.v, input(b.key), b.v}, []*array{nil, a.array, nil, b.array})
		n := v.number()
		switch {
		case n < 0:
			return -1
		case n > 0:
			return 1
		}
		return 0
	}
}

func reversed(f func(a, b *entry) int) func(a, b *entry) int {
	return func(a, b *entry) int { return f(b, a) }
}

func (m *machine) compareText(a, b string) int {
	if m.ignoreCase {
		a, b = strings.ToLower(a), strings.ToLower(b)
	}
	return strings.Compare(a, b)
}

func compareIndexNumbers(m *machine) func(a, b *entry) int {
	return func(a, b *entry) int {
		x, y := stringNumber(a.key), stringNumber(b.key)
		if x != y {
			return sign(x - y)
		}
		return m.compareText(a.key, b.key)
	}
}

func sign(f float64) int {
	switch {
	case f < 0:
		return -1
	case f > 0:
		return 1
	}
	return 0
}

// arraysLast orders a scalar before an array.
func arraysLast(a, b *entry) (order int, decided bool) {
	switch {
	case a.array != nil && b.array != nil:
		return 0, true
	case a.array != nil:
		return 1, true
	case b.array != nil:
		return -1, true
	}
	return 0, false
}

func (m *machine) compareValueText(a, b *entry) int {
	if o, ok := arraysLast(a, b); ok {
		return o
	}
	if o := m.compareText(m.text(&a.v), m.text(&b.v)); o != 0 {
		return o
	}
	return compareIndexNumbers(m)(a, b)
}

func (m *machine) compareValueNumbers(a, b *entry) int {
	if o, ok := arraysLast(a, b); ok {
		return o
	}
	x, y := a.v.number(), b.v.number()
	if x != y {
		return sign(x - y)
	}
	if o := m.compareText(m.text(&a.v), m.text(&b.v)); o != 0 {
		return o
	}
	return compareIndexNumbers(m)(a, b)
}

// compareValueTypes puts numbers before strings before arrays.
func (m *machine) compareValueTypes(a, b *entry) int {
	if o, ok := arraysLast(a, b); ok {
		return o
	}
	an, bn := a.v.isNumber(), b.v.isNumber()
	switch {
	case an && !bn:
		return -1
	case bn && !an:
		return 1
	case an:
		if x, y := a.v.number(), b.v.number(); x != y {
			return sign(x - y)
		}
	default:
		if o := m.compareText(m.text(&a.v), m.text(&b.v)); o != 0 {
			return o
		}
	}
	return compareIndexNumbers(m)(a, b)
}

// hashOrder is the order gawk walks an array in: negative integers, strings by
// hash, then integers upwards. list is in the order of insertion.
func hashOrder(list []*entry) []*entry {
	var negative, rest, positive []*entry
	for _, e := range list {
		switch n, ok := isInteger(e.key); {
		case !ok:
			rest = append(rest, e)
		case n < 0:
			negative = append(negative, e)
		default:
			positive = append(positive, e)
		}
	}
	sort.SliceStable(positive, func(i, j int) bool {
		a, _ := isInteger(positive[i].key)
		b, _ := isInteger(positive[j].key)
		return a < b
	})
	sort.SliceStable(negative, func(i, j int) bool {
		a, _ := isInteger(negative[i].key)
		b, _ := isInteger(negative[j].key)
		return integerHash(uint32(a))%13 < integerHash(uint32(b))%13
	})
	return append(append(negative, stringOrder(rest)...), positive...)
}

// tableSizes are the sizes a gawk string table grows through.
var tableSizes = [...]int{13, 127, 1021, 8191, 131071, 1048573, 8388593, 16777213}

// stringOrder lists string keys as gawk's str_array does: chained buckets, new
// entries in front, the table grown when it holds three times its size.
func stringOrder(list []*entry) []*entry {
	grown := 0
	table := make([][]*entry, tableSizes[0])
	put := func(e *entry) {
		h := int(stringHash(e.key)) % len(table)
		table[h] = append(table[h], e)
	}
	for n, e := range list {
		if n/len(table) > 2 && grown+1 < len(tableSizes) {
			old := table
			grown++
			table = make([][]*entry, tableSizes[grown])
			for _, bucket := range old {
				for k := len(bucket) - 1; k >= 0; k-- {
					put(bucket[k])
				}
			}
		}
		put(e)
	}
	out := make([]*entry, 0, len(list))
	for _, bucket := range table {
		for k := len(bucket) - 1; k >= 0; k-- {
			out = append(out, bucket[k])
		}
	}
	return out
}

// stringHash is the sdbm hash function that gawk uses.
func stringHash(s string) uint32 {
	var h uint32
	for i := 0; i < len(s); i++ {
		h = uint32(s[i]) + h<<6 + h<<16 - h
	}
	return h
}

// integerHash is SuperFastHash's final mix, which gawk uses for integers.
func integerHash(k uint32) uint32 {
	k ^= k << 3
	k += k >> 5
	k ^= k << 4
	k += k >> 17
	k ^= k << 25
	k += k >> 6
	return k
}
