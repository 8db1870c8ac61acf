package builtins

import (
	"bytes"
	"io"

	"github.com/vsh-project/vsh/internal/lines"
)

// xargsReader splits the input into items.
type xargsReader struct {
	xargs *xargsCommand
	r     io.Reader
	block []byte
	at    int
	// item is the last line read for -I.
	item []byte
	// lineNumber counts lines for -L.
	lineNumber int
	warned     bool
	over       bool
	failure    error
	unread     error // what ended the input before its end
}

// next reads up to the end of an item that ends a line (or of any, with a
// delimiter), pushing the items on the way. It is false at the end of input.
func (in *xargsReader) next() (bool, error) {
	if in.over {
		return false, in.failure
	}
	if in.xargs.delimiter >= 0 {
		return in.delimited()
	}
	return in.line()
}

// take is the next byte; false at the end of the input.
func (in *xargsReader) take() (byte, bool) {
	for tries := 0; in.at == len(in.block); tries++ {
		if in.block == nil {
			in.block = make([]byte, 0, lines.BlockSize)
		}
		if in.failure = in.xargs.ctx.Err(); in.failure != nil || tries > 100 {
			return 0, false
		}
		n, err := in.r.Read(in.block[:cap(in.block)])
		in.block, in.at = in.block[:n], 0
		if err != nil && n == 0 {
			if in.failure = in.xargs.ctx.Err(); in.failure == nil && err != io.EOF {
				in.unread = err
			}
			return 0, false
		}
	}
	c := in.block[in.at]
	in.at++
	return c, true
}

func (in *xargsReader) close() { in.block = nil }

// add appends a byte to the item, which must stay shorter than what a command
// can take.
func (in *xargsReader) add(c byte) error {
	x := in.xargs
	if len(in.item) >= x.maxChars-x.initialChars-1 {
		if err := x.abandon(); err != nil {
			return err
		}
		return x.fatalf("argument line too long")
	}
	in.item = append(in.item, c)
	return nil
}

// give hands the item over; -I takes it from the reader itself.
func (in *xargsReader) give() error {
	if in.xargs.replaces {
		return nil
	}
	return in.xargs.push(in.text())
}

// text is the item as a command gets it: C's strings end at a NUL.
func (in *xargsReader) text() string {
	text, _, _ := bytes.Cut(in.item, []byte{0})
	return string(text)
}

func (in *xargsReader) delimited() (bool, error) {
	in.item = in.item[:0]
	for {
		c, ok := in.take()
		if !ok {
			in.over = true
			if in.failure != nil || len(in.item) == 0 {
				return false, in.failure
			}
			in.lineNumber++
			return true, in.give()
		}
		if int(c) == in.xargs.delimiter {
			in.lineNumber++
			return true, in.give()
		}
		if err := in.add(c); err != nil {
			return false, err
		}
	}
}

func (in *xargsReader) isEnd() bool { return in.xargs.hasEnd && string(in.item) == in.xargs.end }

func (in *xargsReader) unmatched(quote byte) error {
	if err := in.xargs.abandon(); err != nil {
		return err
	}
	kind := "double"
	if quote == '\'' {
		kind = "single"
	}
	return in.xargs.fatalf("unmatched %s quote; by default quotes are special to xargs unless you use the -0 option", kind)
}

// line reads items up to a newline, with quotes and backslashes. A line that
// ends in a blank goes on in the next.
func (in *xargsReader) line() (bool, error) {
	const (
		space = iota
		normal
		quoted
		escaped
	)
	state, quote := space, byte(0)
	in.item = in.item[:0]
	seen, first := false, true // an item has begun; none was given yet
	previous := byte('\n')
	for {
		c, ok := in.take()
		if !ok {
			in.over = true
			switch {
			case in.failure != nil:
				return false, in.failure
			case state == quoted:
				return false, in.unmatched(quote)
			case len(in.item) == 0, in.isEnd() && first:
				return false, nil
			}
			return true, in.give()
		}
		blank := c == ' ' || c == '\t'
		switch state {
		case space:
			if blank || c >= '\n' && c <= '\r' {
				previous = c
				continue
			}
			state = normal
			fallthrough
		case normal:
			switch {
			case c == '\n':
				if previous != ' ' && previous != '\t' {
					in.lineNumber++
				}
				if len(in.item) == 0 && !seen {
					state = space
					previous = c
					continue
				}
				if in.isEnd() {
					in.over = true
					return !first, nil
				}
				return true, in.give()
			case blank && !in.xargs.replaces:
				if in.isEnd() {
					in.over = true
					return !first, nil
				}
				if err := in.give(); err != nil {
					return false, err
				}
				in.item, state, seen, first = in.item[:0], space, false, false
				previous = c
				continue
			}
			seen = true
			switch c {
			case '\\':
				state = escaped
				continue
			case '\'', '"':
				state, quote = quoted, c
				continue
			}
		case quoted:
			if c == '\n' {
				return false, in.unmatched(quote)
			}
			if c == quote {
				state = normal
				previous = c
				continue
			}
		case escaped:
			state = normal
		}
		previous = c
		if c == 0 && !in.warned {
			in.warned = true
			in.xargs.warnf("WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?")
		}
		if err := in.add(c); err != nil {
			return false, err
		}
	}
}
