package interp

// slab is the most a proc takes from the budget in advance; it starts with
// little, as most processes need little.
const slab = 64 << 10

func (p *proc) advance() int64 { return min(slab, max(1<<10, p.held/4)) }

// charge takes n bytes (gives back, when negative) for data that outlives the
// command. false: the budget is used up, the message is out and the run ends.
func (p *proc) charge(n int64) bool {
	p.held += n
	if p.credit >= n {
		p.credit -= n
		if p.credit > 4*slab {
			p.session.config.Budget.Release(p.credit - slab)
			p.credit = slab
		}
		return true
	}
	want := n - p.credit + p.advance()
	if err := p.session.config.Budget.Charge(want); err != nil {
		want = n - p.credit
		if err := p.session.config.Budget.Charge(want); err != nil {
			p.held -= n
			p.limit(err.Error())
			return false
		}
	}
	p.credit += want - n
	return true
}

// release gives back what charge took.
func (p *proc) release(n int64) {
	if n != 0 {
		p.charge(-n)
	}
}

// scratch charges n bytes that live until the simple command ends.
func (p *proc) scratch(n int64) bool {
	if !p.charge(n) {
		return false
	}
	p.scratched += n
	return true
}

// gather charges n bytes that a buffer is about to take and a string is made of
// afterwards: while the buffer grows it is held twice.
func (p *proc) gather(n int) bool { return p.scratch(3 * int64(n)) }

// settle gives all of the proc's charges back: it is over.
func (p *proc) settle() {
	p.session.config.Budget.Release(p.held + p.credit)
	p.held, p.credit = 0, 0
}

// statusLimit is the status of a run that reached one of its bounds.
const statusLimit = 137

// limit ends the run: one of its bounds has been reached.
func (p *proc) limit(what string) {
	if p.run.limited.CompareAndSwap(false, true) {
		p.errorf("%s", what)
	}
	p.run.finish(statusLimit)
	p.status = statusLimit
	p.flow = flowKilled
}

// visibleUntil is the epoch up to which values of this proc may still be seen
// by a living child, 0 when there is none. Charges parked for children that
// are gone are given back on the way.
func (p *proc) visibleUntil() uint64 {
	for n := len(p.children); n > 0; n-- {
		if s := p.children[n-1]; s.refs.Load() > 0 {
			return s.epoch
		}
		p.children = p.children[:n-1]
	}
	if p.late != 0 {
		p.held -= p.late
		p.credit += p.late
		p.late = 0
	}
	return 0
}

// settleCopies charges what of an array was copied to be written: for good
// when the original is the parent's, until no child sees it when it is ours.
func (p *proc) settleCopies(c *copies) {
	if c.size == 0 {
		return
	}
	size, epoch := c.size, c.epoch
	*c = copies{}
	if epoch <= p.born {
		p.charge(size)
	} else if epoch <= p.visibleUntil() {
		p.charge(size)
		p.late += size
	}
}

// reclaimElements is what the elements of an array give back when it goes.
func (p *proc) reclaimElements(v *variable) int64 {
	var n int64
	if v.indexed != nil {
		for _, c := range v.indexed.chunks {
			n += p.reclaim(c.size(), c.epoch)
		}
	}
	if v.assoc != nil {
		for _, row := range v.assoc.rows {
			if row == nil {
				continue
			}
			for _, e := range row.buckets {
				for ; e != nil; e = e.next {
					n += p.reclaim(e.size(), e.epoch)
				}
			}
		}
	}
	return n
}

// reclaim is what of n bytes, charged for a value of the given epoch, may be
// given back now: nothing while a child may see the value, or when it is the
// parent's.
func (p *proc) reclaim(n int64, epoch uint64) int64 {
	switch {
	case n == 0 || epoch == p.epoch:
		return n
	case epoch <= p.born:
		return 0
	case epoch <= p.visibleUntil():
		p.late += n
		return 0
	}
	return n
}
