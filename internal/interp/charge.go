package interp

// slab is what a proc takes from the budget at a time.
const slab = 64 << 10

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
	want := n - p.credit + slab
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
