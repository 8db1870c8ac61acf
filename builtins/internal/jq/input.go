package jq

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Inputs reads a program's inputs from files, one after the other.
type Inputs struct {
	// Open opens the next file; its error is io.EOF where there is none.
	Open func() (name string, r io.Reader, done func(), err error)
	// Raw makes each line an input, Slurp everything one input.
	Raw, Slurp bool
	// Seq and Stream are the options of these names.
	Seq, Stream, StreamErrors bool
	// Failed is told of a file that cannot be read.
	Failed func(error)

	memory  *meter
	decoder *Decoder
	reader  io.Reader
	done    func()
	name    string
	line    int
	opened  bool
	ended   bool
	fed     bool

	buffer     []byte
	start, end int
	atEnd      bool
	slurped    []Value
}

// ParseError ends the inputs.
type ParseError struct{ Text string }

func (e *ParseError) Error() string { return e.Text }

// pieceSize is how much of a long line jq looks at, at once: where it stands
// in the input counts in such pieces.
const pieceSize = 4095

// Attach makes the inputs a machine's own.
func (in *Inputs) Attach(m *Machine) {
	in.memory = &m.memory
	in.decoder = newDecoder(in.memory)
	in.decoder.seq, in.decoder.streamErrors = in.Seq, in.StreamErrors
	if in.Stream || in.StreamErrors {
		in.decoder.stream = &pathDecoder{}
	}
	if in.Seq {
		in.decoder.state = stateLost
	}
	m.memory.addRoot(func(c *measurement) {
		in.decoder.measure(c)
		c.total += int64(cap(in.slurped)) * valueSize
		for _, v := range in.slurped {
			c.add(v)
		}
	})
	m.world.Input = in.Next
	m.world.InputName = func() (string, bool) { return in.name, in.opened && in.name != "" }
	m.world.InputLine = func() int { return in.line }
}

// Position is where the inputs stand, for messages.
func (in *Inputs) Position() string {
	switch {
	case !in.opened:
		return "<unknown>"
	case in.name == "":
		return fmt.Sprintf("<stdin>:%d", in.line)
	}
	return fmt.Sprintf("%s:%d", in.name, in.line)
}

// Close closes the file that is open.
func (in *Inputs) Close() {
	if in.done != nil {
		in.done()
	}
	in.done, in.reader = nil, nil
}

// Next returns the next input, io.EOF, a *ParseError, or what ends the run.
func (in *Inputs) Next() (Value, error) {
	switch {
	case in.Raw && in.Slurp:
		return in.text()
	case in.Raw:
		return in.textLine()
	case in.Slurp:
		return in.all()
	}
	return in.one()
}

func (in *Inputs) one() (Value, error) {
	for {
		if in.fed {
			v, err := in.decoder.decode()
			switch {
			case err == nil:
				return v, nil
			case err == errEndOfText:
				in.ended = true
				return nil, io.EOF
			case err != errNeedInput:
				var fault *parseError
				if errors.As(err, &fault) {
					err = &ParseError{fault.text}
				}
				return nil, err
			}
		}
		piece, err := in.piece()
		if err != nil && err != io.EOF {
			return nil, err
		}
		in.decoder.feed(piece, err == io.EOF)
		in.fed = true
	}
}

func (in *Inputs) all() (Value, error) {
	if in.ended {
		return nil, io.EOF
	}
	for {
		v, err := in.one()
		if err == io.EOF {
			in.ended = true
			all := newArray(in.slurped)
			in.slurped = nil
			return all, nil
		}
		if err != nil {
			in.ended, in.slurped = true, nil
			return nil, err
		}
		in.slurped = append(in.slurped, v)
		if err := in.memory.charge(valueSize); err != nil {
			return nil, err
		}
	}
}

// text is all inputs as one string.
func (in *Inputs) text() (Value, error) {
	if in.ended {
		return nil, io.EOF
	}
	var all []byte
	for {
		piece, err := in.piece()
		if err == io.EOF {
			in.ended = true
			return validText(string(all)), nil
		}
		if err != nil {
			return nil, err
		}
		if all, err = in.keep(all, piece); err != nil {
			return nil, err
		}
	}
}

// keep appends a piece, after charging for the room it needs.
func (in *Inputs) keep(all, piece []byte) ([]byte, error) {
	if len(all)+len(piece) > cap(all) {
		if err := in.memory.charge(2*cap(all) + 2*len(piece)); err != nil {
			return nil, err
		}
	}
	return append(all, piece...), nil
}

func (in *Inputs) textLine() (Value, error) {
	var line []byte
	any := false
	for {
		piece, err := in.piece()
		if err == io.EOF {
			if !any {
				return nil, io.EOF
			}
			return validText(string(line)), nil
		}
		if err != nil {
			return nil, err
		}
		any = true
		if n := len(piece); n > 0 && piece[n-1] == '\n' {
			line = append(line, piece[:n-1]...)
			return validText(string(line)), in.memory.charge(len(line) + valueSize)
		}
		if line, err = in.keep(line, piece); err != nil {
			return nil, err
		}
	}
}

// piece is the next line, or a part of a long one. It is valid until the next
// call. The error is io.EOF behind the last file.
func (in *Inputs) piece() ([]byte, error) {
	for {
		if in.reader == nil {
			name, r, done, err := in.Open()
			if err == io.EOF {
				return nil, io.EOF
			}
			if err != nil {
				in.Failed(err)
				continue
			}
			in.name, in.reader, in.done, in.opened, in.line = name, r, done, true, 0
			in.start, in.end, in.atEnd = 0, 0, false
		}
		piece, err := in.cut()
		if err != nil {
			in.Close()
			if err != io.EOF {
				in.Failed(err)
			}
			continue
		}
		return piece, nil
	}
}

// cut takes a piece off the buffer, which it fills as needed.
func (in *Inputs) cut() ([]byte, error) {
	if in.buffer == nil {
		in.buffer = make([]byte, 64<<10)
	}
	for {
		held := in.buffer[in.start:in.end]
		if i := bytes.IndexByte(held[:min(len(held), pieceSize)], '\n'); i >= 0 {
			in.line++
			in.start += i + 1
			return held[:i+1], nil
		}
		if len(held) >= pieceSize || in.atEnd {
			if len(held) == 0 {
				return nil, io.EOF
			}
			n := min(len(held), pieceSize)
			in.start += n
			return held[:n], nil
		}
		if in.end == len(in.buffer) {
			in.end = copy(in.buffer, held)
			in.start = 0
		}
		n, err := in.reader.Read(in.buffer[in.end:])
		in.end += n
		if err == io.EOF {
			in.atEnd = true
		} else if err != nil {
			return nil, err
		}
	}
}
