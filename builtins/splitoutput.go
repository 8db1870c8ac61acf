package builtins

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// splitNames makes the names of split's files.
type splitNames struct {
	prefix   string
	alphabet string
	length   int // 0 until settled
	suffix   string
	start    string
	started  bool
	// widens lets suffixes grow when they run out: after yz comes zaaa.
	widens bool
	// digits are the indices of the latest suffix in alphabet; nil before the
	// first name.
	digits []int
	fixed  string // what widening has put before the suffix
}

const splitLongestSuffix = 255

// settle finds the suffix's length.
func (n *splitNames) settle(s *splitCommand) error {
	if n.started {
		n.widens = false
	}
	needed := 0
	if s.kind >= splitChunkBytes {
		last := s.count - 1
		if n.started {
			if from, bad := parseNumber(n.start, ""); bad == numberOK && from < s.count {
				last += from
			}
		}
		for needed = 1; last >= uint64(len(n.alphabet)); needed++ {
			last /= uint64(len(n.alphabet))
		}
		n.widens = false
	}
	if n.length > 0 {
		if n.length < needed {
			return s.fatalf("the suffix length needs to be at least %d", needed)
		}
		n.widens = false
	} else {
		n.length = max(2, needed)
	}
	if n.started && len(n.start) > n.length {
		return s.usageErrorf("numerical suffix start value is too large for the suffix length")
	}
	return nil
}

// next is the name of the next file.
func (n *splitNames) next(s *splitCommand) (string, error) {
	last := len(n.alphabet) - 1
	switch {
	case n.digits == nil:
		n.digits = make([]int, n.length)
		for i := range len(n.start) {
			n.digits[n.length-len(n.start)+i] = strings.IndexByte(n.alphabet, n.start[i])
		}
	default:
		i := len(n.digits) - 1
		for ; i >= 0; i-- {
			if n.digits[i]++; n.widens && i == 0 && n.digits[0] == last {
				// The last letter before a suffix says that it is a wider one.
				n.fixed += n.alphabet[last:]
				n.digits = make([]int, len(n.digits)+1)
				break
			}
			if n.digits[i] <= last {
				break
			}
			n.digits[i] = 0
		}
		if i < 0 {
			return "", s.fatalf("output file suffixes exhausted")
		}
	}
	name := []byte(n.prefix + n.fixed)
	for _, d := range n.digits {
		name = append(name, n.alphabet[d])
	}
	return string(name) + n.suffix, nil
}

// splitOutput is one piece: a file, or a filter that reads it.
type splitOutput struct {
	name   string
	made   bool
	file   io.Closer
	w      *bufio.Writer
	closed bool // the filter reads no more
	done   chan struct{}
	status int
	err    error
}

// write appends p to the current piece, or begins a new one with it.
func (s *splitCommand) write(fresh bool, p []byte) error {
	if fresh {
		if len(p) == 0 && s.elide {
			return nil
		}
		if err := s.end(s.current); err != nil {
			return err
		}
		if err := s.begin(); err != nil {
			return err
		}
	}
	return s.current.write(s, p)
}

// begin makes the next piece the current one.
func (s *splitCommand) begin() error {
	name, err := s.names.next(s)
	if err != nil {
		return err
	}
	o := &splitOutput{name: name}
	if err := s.make(o); err != nil {
		return err
	}
	s.current = o
	return nil
}

func (s *splitCommand) make(o *splitOutput) error {
	o.made = true
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.filtered {
		return s.startFilter(o)
	}
	if s.verbose {
		s.out.WriteString("creating file " + quoteName(o.name) + "\n")
		if err := s.out.Flush(); err != nil {
			return err
		}
	}
	if s.inputInfo != nil {
		if info, err := s.View().Stat(s.ctx, o.name); err == nil && vfs.SameFile(info, s.inputInfo) {
			return s.fatalf("%s would overwrite input; aborting", quoteName(o.name))
		}
	}
	f, err := s.View().Open(s.ctx, o.name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
	if err != nil {
		return s.outputFailed(o.name, err)
	}
	o.file, o.w = f, bufio.NewWriterSize(f, 4<<10)
	return nil
}

func (s *splitCommand) outputFailed(name string, err error) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	return s.fatalf("%s: %s", quoteFile(name), vfs.Words(err))
}

// startFilter runs the filter of one piece beside this command.
func (s *splitCommand) startFilter(o *splitOutput) error {
	if s.verbose {
		s.out.WriteString("executing with FILE=" + quoteFile(o.name) + "\n")
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	shell, ok := s.Getenv("SHELL")
	if !ok || s.findProgram(s.View(), shell, s.Environment) != nil {
		shell = "sh"
	}
	environment := slices.DeleteFunc(slices.Clone(s.Environment), func(v string) bool { return strings.HasPrefix(v, "FILE=") })
	r, w := io.Pipe()
	o.file, o.w, o.done = w, bufio.NewWriterSize(w, 4<<10), make(chan struct{})
	go func() {
		defer close(o.done)
		// Without a reader the next write answers that the pipe is broken.
		defer r.CloseWithError(vfs.EPIPE)
		o.status, o.err = s.Host().Exec(s.ctx, &command.Exec{
			Arguments: []string{shell, "-c", s.filter}, Environment: append(environment, "FILE="+o.name), Stdin: r,
		})
	}()
	return nil
}

func (o *splitOutput) write(s *splitCommand, p []byte) error {
	if o.closed {
		return nil
	}
	if _, err := o.w.Write(p); err != nil {
		if o.done != nil && errors.Is(err, vfs.EPIPE) {
			o.closed = true
			return nil
		}
		return s.outputFailed(o.name, err)
	}
	return nil
}

// end finishes a piece: what its filter did counts.
func (s *splitCommand) end(o *splitOutput) error {
	if o == nil || o.file == nil {
		return nil
	}
	err := o.w.Flush()
	if closed := o.file.Close(); err == nil {
		err = closed
	}
	o.file = nil
	if o.done == nil {
		if err != nil {
			return s.outputFailed(o.name, err)
		}
		return nil
	}
	<-o.done
	switch {
	case o.err != nil:
		return o.err
	case o.status > 128 && o.status != 128+13 && o.status-128 < len(signals):
		s.filterEnded(o, "signal "+signals[o.status-128])
		return command.ExitError(o.status)
	case o.status != 0 && o.status != 128+13:
		s.filterEnded(o, "exit "+strconv.Itoa(o.status))
		return command.ExitError(o.status)
	}
	return nil
}

func (s *splitCommand) filterEnded(o *splitOutput, how string) {
	s.errorf("with FILE=%s, %s from command: %s", quoteFile(o.name), how, s.filter)
}

// finish ends all pieces.
func (s *splitCommand) finish() error {
	var first error
	for _, o := range append(s.outputs, s.current) {
		if err := s.end(o); first == nil {
			first = err
		}
	}
	return first
}

// abandon joins the filters of a run that has failed.
func (s *splitCommand) abandon() {
	for _, o := range append(s.outputs, s.current) {
		if o != nil && o.file != nil {
			if o.done == nil {
				o.w.Flush()
			}
			o.file.Close()
			if o.done != nil {
				<-o.done
			}
		}
	}
}
