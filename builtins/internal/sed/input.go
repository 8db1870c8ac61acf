package sed

import (
	"errors"
	"io"
)

// input is the run's files as one stream, or with -s one after another.
type input struct {
	run     *runner
	names   []string
	next    int    // name to open next
	name    string // of the line read last
	current string // of the open file
	reader  *reader
	target  Replacement // -i: the new text of the file
	number  int64       // of the line read last
	opened  bool
	failure error
}

// advance opens the next file that can be opened; false when there is none.
func (in *input) advance() bool {
	r := in.run
	for in.next < len(in.names) && in.failure == nil {
		name := in.names[in.next]
		in.next++
		var f io.ReadCloser
		var err error
		if r.options.InPlace {
			f, in.target, err = r.files.Edit(name)
			if err == nil {
				r.out = &output{sink: &sink{w: in.target}, delimiter: r.delimiter}
			}
		} else {
			f, err = r.files.Open(name)
		}
		if err != nil {
			var e *Error
			if errors.As(err, &e) {
				in.failure = e
				return false
			}
			r.files.Warn("can't read " + name + ": " + r.files.Words(err))
			r.status = statusInput
			continue
		}
		in.current = name
		in.reader = newReader(f, r.delimiter, r.files)
		if _, ok := f.(Unreader); !ok && r.options.Unbuffered && name == "-" {
			in.reader.minimal = true
		}
		if r.options.Separate {
			r.newFile()
		}
		if r.options.Separate || !in.opened {
			in.failure = r.atStart()
		}
		in.opened = true
		return true
	}
	return false
}

// finish closes the file at hand; with -i the new text takes its place.
func (in *input) finish() error {
	if in.reader == nil {
		return nil
	}
	in.reader.unread()
	in.reader.close()
	in.reader = nil
	if in.target == nil {
		return nil
	}
	r := in.run
	err := r.out.flush()
	target := in.target
	in.target, r.out = nil, r.stdout
	if err != nil {
		target.Abort()
		return err
	}
	return target.Commit()
}

// read reads the next line into the pattern space, or appends it; false at
// the end of all input.
func (in *input) read(appending bool) (bool, error) {
	r := in.run
	for {
		if in.reader == nil && !in.advance() {
			return false, in.failure
		}
		line, ended, err := in.reader.next()
		if err == nil {
			in.number++
			in.name = in.current
			if appending {
				r.pattern.text = append(r.pattern.text, line...)
			} else {
				r.pattern.text = append(r.pattern.text[:0], line...)
			}
			r.pattern.ended = ended
			return true, r.charge()
		}
		if err != io.EOF {
			name := in.current
			if name == "-" {
				name = "stdin"
			}
			return false, &Error{Text: "read error on " + name + ": " + r.files.Words(err), Status: statusPanic}
		}
		if err := in.finish(); err != nil {
			return false, err
		}
	}
}

// shown is the name that messages and F give.
func (in *input) shown() string {
	if in.name == "" {
		return "-"
	}
	return in.name
}

// last reports whether no line follows: of this file with -s, else of all.
func (in *input) last() bool {
	for {
		if in.reader != nil {
			if in.reader.more() {
				return false
			}
			if in.run.options.Separate {
				return true
			}
			if in.reader.err != io.EOF {
				return false // the read will report it
			}
			if in.next >= len(in.names) {
				return true
			}
			in.finish()
			continue
		}
		if !in.advance() {
			return true
		}
	}
}
