package jq

import "context"

// meter draws the memory a program's values take from a budget. What is made
// is added up; when it exceeds what was drawn, what is still held is measured
// and more is drawn only if that is needed.
type meter struct {
	// ctx ends what makes large things.
	ctx  context.Context
	take func(int64) error
	give func(int64)
	// roots add what is reachable to a measurement.
	roots []func(*measurement)
	mark  uint32
	// used counts since the last measurement, drawn is what was taken.
	used, drawn int64
}

const (
	// valueSize is what a value takes besides its text.
	valueSize = 24
	entrySize = 48
	// containerSize is an array or object before its elements.
	containerSize = 64
	meterStep     = 1 << 20
)

// charge counts n bytes that are about to be made.
func (m *meter) charge(n int) error {
	if m == nil || m.take == nil {
		return nil
	}
	if n > 1<<16 && m.ctx != nil {
		if err := m.ctx.Err(); err != nil {
			return err
		}
	}
	m.used += int64(n)
	if m.used <= m.drawn {
		return nil
	}
	m.used = m.held() + int64(n)
	// Measuring takes time in proportion to what is held: it has to pay for as
	// much as is made until the next time.
	if m.used <= m.drawn-m.drawn/4 {
		return nil
	}
	more := max(m.used*2-m.drawn, meterStep)
	err := m.take(more)
	if err != nil {
		if more = m.used + m.used/4 - m.drawn; more > 0 {
			err = m.take(more)
		}
	}
	if err == nil {
		m.drawn += more
	}
	return err
}

// held measures what is reachable.
func (m *meter) held() int64 {
	m.mark++
	c := measurement{id: m.mark}
	for _, root := range m.roots {
		root(&c)
	}
	c.run()
	return c.total
}

// addRoot makes root part of measurements until the function it returns is
// called.
func (m *meter) addRoot(root func(*measurement)) (remove func()) {
	if m == nil {
		return func() {}
	}
	n := len(m.roots)
	m.roots = append(m.roots, root)
	return func() { m.roots = m.roots[:n] }
}

// close gives everything back.
func (m *meter) close() {
	if m.give != nil {
		m.give(m.drawn)
	}
	m.drawn, m.used = 0, 0
}

// measurement adds up what values hold, each array and object once.
type measurement struct {
	id    uint32
	total int64
	todo  []Value
}

func (c *measurement) add(v Value) {
	switch v := v.(type) {
	case string:
		c.total += int64(len(v)) + valueSize
	case *Array:
		if v.seen != c.id {
			v.seen = c.id
			c.todo = append(c.todo, v)
		}
	case *Object:
		if v.seen != c.id {
			v.seen = c.id
			c.todo = append(c.todo, v)
		}
	}
}

func (c *measurement) run() {
	for len(c.todo) > 0 {
		v := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		switch v := v.(type) {
		case *Array:
			c.total += containerSize + int64(max(v.items.len(), cap(v.items.flat)))*valueSize
			for i := range v.items.len() {
				c.add(v.items.at(i))
			}
		case *Object:
			c.total += containerSize + int64(max(v.entries.len(), cap(v.entries.flat)))*entrySize
			for i := range v.entries.len() {
				e := v.entries.at(i)
				c.total += int64(len(e.key))
				c.add(e.value)
			}
		}
	}
}
