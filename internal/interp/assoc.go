package interp

// assoc is an associative array that lists its keys as bash does: the same
// hash, the same buckets, new keys at the head of theirs, four times the
// buckets when two keys a bucket are reached. Rows of buckets and their
// chains are shared between processes until written.
type assoc struct {
	epoch uint64
	rows  []*assocRow
	count int
	// copied is as an indexed array's.
	copied copies
}

const rowSize = 64

type assocRow struct {
	epoch   uint64
	buckets [rowSize]*entry
}

type entry struct {
	epoch uint64
	hash  uint32
	key   string
	value text
	next  *entry
}

const assocBuckets = 1024

// hashString is bash's: FNV-1 with 32 bits.
func hashString(s string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h *= 16777619
		h ^= uint32(int32(int8(s[i])))
	}
	return h
}

func newAssoc(epoch uint64) *assoc {
	return &assoc{epoch: epoch, rows: make([]*assocRow, assocBuckets/rowSize)}
}

func (a *assoc) len() int { return a.count }

func (a *assoc) place(hash uint32) (row, bucket int) {
	i := int(hash) & (len(a.rows)*rowSize - 1)
	return i / rowSize, i % rowSize
}

func (a *assoc) get(key string) (string, bool) {
	h := hashString(key)
	r, b := a.place(h)
	if a.rows[r] == nil {
		return "", false
	}
	for e := a.rows[r].buckets[b]; e != nil; e = e.next {
		if e.hash == h && e.key == key {
			return e.value.s, true
		}
	}
	return "", false
}

func (a *assoc) clone(epoch uint64) *assoc {
	c := &assoc{epoch: epoch, count: a.count, rows: make([]*assocRow, len(a.rows))}
	copy(c.rows, a.rows)
	return c
}

// own makes the row of a bucket writable.
func (a *assoc) own(r int) *assocRow {
	row := a.rows[r]
	if row == nil {
		row = &assocRow{epoch: a.epoch}
		a.rows[r] = row
	} else if row.epoch != a.epoch {
		c := *row
		c.epoch = a.epoch
		row = &c
		a.rows[r] = row
	}
	return row
}

// slot is the place of key in an array its caller owns, made when missing.
func (a *assoc) slot(key string) (t *text, fresh bool) {
	h := hashString(key)
	r, b := a.place(h)
	row := a.own(r)
	for at := &row.buckets[b]; *at != nil; at = &(*at).next {
		e := *at
		if e.epoch != a.epoch {
			a.copied.add(e.size(), e.epoch)
			e = &entry{epoch: a.epoch, hash: e.hash, key: e.key, value: e.value.shared(), next: e.next}
			*at = e
		}
		if e.hash == h && e.key == key {
			return &e.value, false
		}
	}
	if a.count >= len(a.rows)*rowSize*2 {
		a.rehash()
		r, b = a.place(h)
		row = a.own(r)
	}
	e := &entry{epoch: a.epoch, hash: h, key: key, next: row.buckets[b]}
	row.buckets[b] = e
	a.count++
	return &e.value, true
}

// rehash makes four times the buckets. Entries of other epochs are copied.
func (a *assoc) rehash() {
	old := a.rows
	a.rows = make([]*assocRow, len(old)*4)
	for _, row := range old {
		if row == nil {
			continue
		}
		for _, e := range row.buckets {
			for e != nil {
				next := e.next
				if e.epoch != a.epoch {
					a.copied.add(e.size(), e.epoch)
					e = &entry{epoch: a.epoch, hash: e.hash, key: e.key, value: e.value.shared()}
				}
				r, b := a.place(e.hash)
				to := a.own(r)
				e.next = to.buckets[b]
				to.buckets[b] = e
				e = next
			}
		}
	}
}

// remove deletes a key and returns its size.
func (a *assoc) remove(key string) (size int64, ok bool) {
	if _, ok := a.get(key); !ok {
		return 0, false
	}
	t, _ := a.slot(key) // makes the chain up to the key ours
	size = t.size() + int64(len(key))
	h := hashString(key)
	r, b := a.place(h)
	for at := &a.rows[r].buckets[b]; *at != nil; at = &(*at).next {
		if &(*at).value == t {
			*at = (*at).next
			a.count--
			return size, true
		}
	}
	return 0, false
}

// each visits the keys in bash's order until visit returns false.
func (a *assoc) each(visit func(key, value string) bool) {
	for _, row := range a.rows {
		if row == nil {
			continue
		}
		for _, e := range row.buckets {
			for ; e != nil; e = e.next {
				if !visit(e.key, e.value.s) {
					return
				}
			}
		}
	}
}

// size is the budget's charge for an entry.
func (e *entry) size() int64 { return e.value.size() + int64(len(e.key)) + elementCost }
