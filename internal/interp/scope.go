package interp

import "slices"

// frame is one level of dynamic scope: a function call, a sourced file, or the
// temporary environment of a command. Frames are shared with forks; a proc
// that changes one of another epoch puts a clone in its place first.
type frame struct {
	epoch  uint64
	parent *frame
	kind   frameKind
	// level is the scope depth of variables made here; depth counts frames.
	level, depth int32
	// undo holds what the frame's end puts back, in order of being hidden.
	undo []hidden
	// function is what runs (kind frameFunction); name is its name, or "source".
	function *function
	name     string
	// file is the source file that runs in the frame; line where the call stands.
	file string
	line int
	// options is what local - saved.
	options *savedOptions
	// args are the positional parameters of the call, for BASH_ARGV.
	args []string
}

type frameKind uint8

const (
	frameFunction frameKind = iota
	frameSource
	frameTemporary
)

// hidden is a variable that a frame's own one hides; nil when there was none.
type hidden struct {
	symbol symbol
	old    *variable
}

type savedOptions struct {
	options optionSet
}

// push opens a scope. The caller fills the frame.
func (p *proc) push(kind frameKind) *frame {
	f := &frame{epoch: p.epoch, parent: p.frame, kind: kind, level: 1}
	if p.frame != nil {
		f.level, f.depth = p.frame.level+1, p.frame.depth+1
	}
	p.frame = f
	return f
}

// pop closes the innermost scope and puts back what it hid.
func (p *proc) pop() {
	f := p.frame
	p.uncover(f)
	if f.options != nil {
		p.options = f.options.options
	}
	p.frame = f.parent
}

// uncover puts back the variables that f hides; it is the innermost frame that
// hides any.
func (p *proc) uncover(f *frame) {
	for i := len(f.undo) - 1; i >= 0; i-- {
		h := f.undo[i]
		p.discard(p.vars.get(h.symbol))
		p.vars.put(h.symbol, h.old, p.epoch)
		p.changed(h.symbol)
	}
}

// popTo closes scopes down to and with the one of that depth.
func (p *proc) popTo(depth int32) {
	for p.frame != nil && p.frame.depth >= depth {
		p.pop()
	}
}

// swap exchanges the variables of the innermost frame with what they hide.
func (p *proc) swap() {
	f := p.ownFrame(p.frame)
	for i := len(f.undo) - 1; i >= 0; i-- {
		h := &f.undo[i]
		visible := p.vars.get(h.symbol)
		p.vars.put(h.symbol, h.old, p.epoch)
		h.old = visible
		p.changed(h.symbol)
	}
}

// ownFrame makes f, an enclosing frame, writable and returns it.
func (p *proc) ownFrame(f *frame) *frame {
	for at := &p.frame; *at != nil; at = &(*at).parent {
		if (*at).epoch != p.epoch {
			c := **at
			c.epoch = p.epoch
			c.undo = slices.Clone(c.undo)
			if *at == f {
				f = &c
			}
			*at = &c
		}
		if *at == f {
			return f
		}
	}
	return f
}

// function is the innermost function's frame, nil outside functions.
func (p *proc) functionFrame() *frame {
	for f := p.frame; f != nil; f = f.parent {
		if f.kind == frameFunction {
			return f
		}
	}
	return nil
}

// hide gives frame f a fresh variable s that hides the visible one, or returns
// the one that f has already.
func (p *proc) hide(f *frame, s symbol) *variable {
	if v := p.vars.get(s); v != nil && v.level == f.level {
		return p.own(s, v)
	}
	f = p.ownFrame(f)
	f.undo = append(f.undo, hidden{s, p.vars.get(s)})
	p.charge(variableCost)
	v := &variable{level: f.level, epoch: p.epoch}
	p.vars.put(s, v, p.epoch)
	return v
}

// global is the variable s outside all functions: what declare -g means.
func (p *proc) global(s symbol) *variable {
	v := p.vars.get(s)
	for f := p.frame; f != nil; f = f.parent {
		for i := len(f.undo) - 1; i >= 0; i-- {
			if f.undo[i].symbol == s {
				v = f.undo[i].old
			}
		}
	}
	return v
}

// putGlobal replaces the variable s outside all functions.
func (p *proc) putGlobal(s symbol, v *variable) {
	var outer *frame
	for f := p.frame; f != nil; f = f.parent {
		if slices.ContainsFunc(f.undo, func(h hidden) bool { return h.symbol == s }) {
			outer = f
		}
	}
	if outer == nil {
		p.vars.put(s, v, p.epoch)
		return
	}
	outer = p.ownFrame(outer)
	for i := range outer.undo {
		if outer.undo[i].symbol == s {
			outer.undo[i].old = v
			return
		}
	}
}

// own is v, the visible variable of s, as this proc may change it in place.
func (p *proc) own(s symbol, v *variable) *variable {
	if v.epoch == p.epoch {
		return v
	}
	c := *v
	c.value = c.value.shared()
	c.epoch = p.epoch
	c.charged = p.reclaim(v.charged, v.epoch)
	p.vars.put(s, &c, p.epoch)
	return &c
}
