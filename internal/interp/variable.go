package interp

// attr is a set of a variable's attributes.
type attr uint16

const (
	attrExport attr = 1 << iota
	attrReadonly
	attrInteger
	attrLower
	attrUpper
	attrCapital
	attrTrace
	attrNameref
	attrIndexed
	attrAssoc
	// attrDynamic marks variables whose value special.go computes at each look.
	attrDynamic
	// attrNoUnset and attrNoAssign silently or loudly refuse (BASH_VERSINFO,
	// FUNCNAME ...): special.go.
	attrNoAssign
	attrNoUnset
)

const attrArray = attrIndexed | attrAssoc

// variable is one visible variable. It is changed in place only by the proc
// whose epoch it bears (proc.own); anybody else clones it first, so that
// processes share variables without locks. A variable that was declared but
// has no value has set == false and no elements.
type variable struct {
	value   text
	number  int64 // value as a number, when numeric
	numeric bool
	set     bool
	attrs   attr
	// level is the scope the variable was made in: 0 global, else the depth
	// of the function (or temporary environment) whose end removes it.
	level   int32
	indexed *indexed
	assoc   *assoc
	epoch   uint64
	// charged is what the budget holds for value.
	charged int64
}

func (v *variable) is(a attr) bool { return v != nil && v.attrs&a != 0 }

// hasValue reports what [ -v name ] asks: element 0 for arrays.
func (v *variable) hasValue() bool {
	_, ok := v.scalar()
	return ok
}

// scalar is what $name gives: element 0 of an array, element "0" of an
// associative one.
func (v *variable) scalar() (string, bool) {
	switch {
	case v == nil:
		return "", false
	case v.indexed != nil:
		return v.indexed.get(0)
	case v.assoc != nil:
		return v.assoc.get("0")
	}
	return v.value.s, v.set
}

// count is the number of elements, 1 for a set scalar.
func (v *variable) count() int {
	switch {
	case v == nil:
		return 0
	case v.indexed != nil:
		return v.indexed.len()
	case v.assoc != nil:
		return v.assoc.len()
	case v.set:
		return 1
	}
	return 0
}

// values appends all elements in bash's order.
func (v *variable) values(out []string) []string {
	switch {
	case v == nil:
	case v.indexed != nil:
		v.indexed.each(func(_ int64, s string) bool { out = append(out, s); return true })
	case v.assoc != nil:
		v.assoc.each(func(_, s string) bool { out = append(out, s); return true })
	case v.set:
		out = append(out, v.value.s)
	}
	return out
}

// symbol is an interned variable name.
type symbol int32

// page is what a table shares between processes.
type page struct {
	epoch uint64
	slots [pageSize]*variable
}

const (
	pageBits = 6
	pageSize = 1 << pageBits
)

// table holds a process's visible variables by symbol. A fork copies the list
// of pages; a page is cloned on the first write under a new epoch.
type table struct{ pages []*page }

func (t *table) get(s symbol) *variable {
	i := int(s >> pageBits)
	if i >= len(t.pages) || t.pages[i] == nil {
		return nil
	}
	return t.pages[i].slots[s&(pageSize-1)]
}

func (t *table) put(s symbol, v *variable, epoch uint64) {
	i := int(s >> pageBits)
	for i >= len(t.pages) {
		t.pages = append(t.pages, nil)
	}
	switch pg := t.pages[i]; {
	case pg == nil:
		t.pages[i] = &page{epoch: epoch}
	case pg.epoch != epoch:
		c := *pg
		c.epoch = epoch
		t.pages[i] = &c
	}
	t.pages[i].slots[s&(pageSize-1)] = v
}

// each visits all symbols that have a variable.
func (t *table) each(visit func(symbol, *variable)) {
	for i, pg := range t.pages {
		if pg == nil {
			continue
		}
		for j, v := range pg.slots {
			if v != nil {
				visit(symbol(i<<pageBits|j), v)
			}
		}
	}
}
