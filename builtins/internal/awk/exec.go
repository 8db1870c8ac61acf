package awk

import (
	"io"
)

func (s *exprStmt) exec(m *machine) flow {
	s.x.eval(m)
	return flowNone
}

func (s *placedStmt) exec(m *machine) flow {
	m.at = s.at
	return s.stmt.exec(m)
}

func (s *block) exec(m *machine) flow {
	for _, one := range s.list {
		if f := one.exec(m); f != flowNone {
			return f
		}
	}
	return flowNone
}

func (s *ifStmt) exec(m *machine) flow {
	v := s.cond.eval(m)
	if v.truth() {
		return s.then.exec(m)
	}
	if s.other != nil {
		return s.other.exec(m)
	}
	return flowNone
}

// loopBody runs one round; done says that the loop is over and how.
func loopBody(m *machine, body stmt) (f flow, done bool) {
	m.check()
	switch f := body.exec(m); f {
	case flowNone, flowContinue:
		return flowNone, false
	case flowBreak:
		return flowNone, true
	default:
		return f, true
	}
}

func (s *whileStmt) exec(m *machine) flow {
	for {
		v := s.cond.eval(m)
		if !v.truth() {
			return flowNone
		}
		if f, done := loopBody(m, s.body); done {
			return f
		}
	}
}

func (s *doStmt) exec(m *machine) flow {
	for {
		if f, done := loopBody(m, s.body); done {
			return f
		}
		v := s.cond.eval(m)
		if !v.truth() {
			return flowNone
		}
	}
}

func (s *forStmt) exec(m *machine) flow {
	if s.init != nil {
		s.init.exec(m)
	}
	for {
		if s.cond != nil {
			v := s.cond.eval(m)
			if !v.truth() {
				return flowNone
			}
		}
		if f, done := loopBody(m, s.body); done {
			return f
		}
		if s.post != nil {
			s.post.exec(m)
		}
	}
}

func (s *forInStmt) exec(m *machine) flow {
	list := m.keys(s.array.get(m))
	m.charge(int64(len(list)) * 8)
	defer m.refund(int64(len(list)) * 8)
	for _, e := range list {
		s.to.assign(m, input(e.key))
		if f, done := loopBody(m, s.body); done {
			return f
		}
	}
	return flowNone
}

func (s *switchStmt) exec(m *machine) flow {
	v := s.value.eval(m)
	start := -1
	for i := range s.cases {
		c := &s.cases[i]
		if c.isDefault {
			continue
		}
		if c.re != nil {
			if m.matches(c.re, m.text(&v)) {
				start = i
				break
			}
			continue
		}
		w := c.value.eval(m)
		if v.isNumber() == w.isNumber() && m.compare(&v, &w) == 0 {
			start = i
			break
		}
	}
	for i := range s.cases {
		if start < 0 && s.cases[i].isDefault {
			start = i
		}
	}
	if start < 0 {
		return flowNone
	}
	for _, c := range s.cases[start:] {
		for _, one := range c.body {
			switch f := one.exec(m); f {
			case flowNone:
			case flowBreak:
				return flowNone
			default:
				return f
			}
		}
	}
	return flowNone
}

func (s *jumpStmt) exec(*machine) flow { return s.flow }

func (s *exitStmt) exec(m *machine) flow {
	if s.status != nil {
		v := s.status.eval(m)
		m.status = int(int64(v.number())) & 0xff
	}
	return flowExit
}

func (s *returnStmt) exec(m *machine) flow {
	var v value
	if s.value != nil {
		v = s.value.eval(m)
	}
	m.result = v
	return flowReturn
}

func (s *deleteStmt) exec(m *machine) flow {
	a := s.array.get(m)
	if s.index == nil {
		a.clear(m)
	} else {
		a.remove(m, m.subscript(s.index))
	}
	return flowNone
}

func (s *printStmt) exec(m *machine) flow {
	if s.redirect == 0 {
		s.write(m, m.out)
		return flowNone
	}
	v := s.to.eval(m)
	name := m.text(&v)
	if s.format || len(s.args) > 0 {
		// The arguments are evaluated before the file is opened.
		text := s.text(m)
		to := m.openOutput(name, s.redirect)
		to.write(m, text)
		return flowNone
	}
	to := m.openOutput(name, s.redirect)
	to.write(m, s.text(m))
	return flowNone
}

func (s *printStmt) write(m *machine, w io.Writer) {
	if !s.format && len(s.args) == 1 {
		v := s.args[0].eval(m)
		m.write(w, m.output(&v))
		m.write(w, m.ors)
		return
	}
	m.write(w, s.text(m))
}

func (s *printStmt) text(m *machine) string {
	if len(s.args) == 0 {
		return m.recordText() + m.ors
	}
	if s.format {
		values := make([]value, len(s.args))
		for i, x := range s.args {
			values[i] = x.eval(m)
		}
		return m.sprintf(m.text(&values[0]), values[1:])
	}
	b := result{m: m}
	for i, x := range s.args {
		if i > 0 {
			b.add(m.ofs)
		}
		v := x.eval(m)
		b.add(m.output(&v))
	}
	b.add(m.ors)
	return b.String()
}
