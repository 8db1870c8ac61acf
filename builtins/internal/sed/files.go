package sed

import (
	"bytes"
	"io"
)

// Files is what a script reaches beside its streams.
type Files interface {
	// Open opens a file to read; "-" is standard input. What is an Unreader
	// gets back what was read of it in vain.
	Open(name string) (io.ReadCloser, error)
	// Create opens a file that w writes; /dev/stdout and /dev/stderr are the
	// run's own.
	Create(name string) (io.Writer, error)
	// Edit starts to replace a file (-i): its text, and what takes the new
	// text. The *Error says why it cannot.
	Edit(name string) (io.ReadCloser, Replacement, error)
	// Words is the text of an error's cause.
	Words(err error) string
	// Warn prints "sed: text".
	Warn(text string)
	Charge(bytes int64) error
	Release(bytes int64)
}

// Unreader is an input that others read after the run.
type Unreader interface {
	// Unread moves the input back by some bytes.
	Unread(bytes int)
}

// Replacement is the new text of a file edited in place.
type Replacement interface {
	io.Writer
	// Commit puts it in the file's place; Abort drops it.
	Commit() error
	Abort()
}

// sink gathers what is written to a stream.
type sink struct {
	w      io.Writer
	buffer []byte
	err    error
}

// output writes lines to a sink. A line that lacked its newline gets it only
// when this output writes more.
type output struct {
	*sink
	delimiter byte
	missing   bool
}

const outputSize = 64 << 10

func (o *sink) write(b []byte) {
	if len(o.buffer)+len(b) > outputSize {
		o.flush()
		if len(b) > outputSize/2 {
			if o.err == nil {
				_, o.err = o.w.Write(b)
			}
			return
		}
	}
	if o.buffer == nil {
		o.buffer = make([]byte, 0, 4096)
	}
	o.buffer = append(o.buffer, b...)
}

func (o *sink) flush() error {
	if o.err == nil && len(o.buffer) > 0 {
		_, o.err = o.w.Write(o.buffer)
	}
	o.buffer = o.buffer[:0]
	return o.err
}

func (o *sink) writeByte(c byte) {
	if len(o.buffer) >= outputSize {
		o.flush()
	}
	o.buffer = append(o.buffer, c)
}

// complete writes the newline that the last line lacked.
func (o *output) complete() {
	if o.missing {
		o.missing = false
		o.writeByte(o.delimiter)
	}
}

// line writes a line and its end, unless the input's line had none.
func (o *output) line(text []byte, ended bool) {
	o.complete()
	o.write(text)
	if ended {
		o.writeByte(o.delimiter)
	} else {
		o.missing = true
	}
}

// lineSource reads lines for R.
type lineSource struct {
	name   string
	reader *reader
	done   bool
}

// next gives the next line with its newline, if it has one; false at the end.
func (s *lineSource) next(files Files, delimiter byte) ([]byte, bool) {
	if s.done {
		return nil, false
	}
	if s.reader == nil {
		f, err := files.Open(s.name)
		if err != nil {
			s.done = true
			return nil, false
		}
		s.reader = newReader(f, delimiter, files)
	}
	text, ended, err := s.reader.next()
	if err != nil {
		s.done = true
		s.reader.close()
		return nil, false
	}
	text = bytes.Clone(text)
	if ended {
		text = append(text, delimiter)
	}
	return text, true
}
