package sed

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"unicode/utf8"
)

// space is the pattern or the hold space. ended says whether its line has a
// newline at its end.
type space struct {
	text  []byte
	ended bool
}

// queued is what a, r or R put out at the cycle's end.
type queued struct {
	text []byte
	file string
}

type runner struct {
	ctx       context.Context
	script    *Script
	options   *Options
	files     Files
	delimiter byte

	in      *input
	stdout  *output
	out     *output
	pattern space
	hold    space
	scratch []byte
	loc     []int
	queue   []queued
	last    *matcher // the expression used last
	replace bool     // an s succeeded since the last line or t
	status  int
	steps   int
	charged int64
	debug   *debugger // nil without --debug
	// completed says that the script ran to its end, or to a d or c.
	completed bool
}

// Run runs a script over the files and gives its exit status. Names are as
// typed; "-" is /dev/stdin's text. An *Error is to be printed.
func Run(ctx context.Context, script *Script, files Files, names []string, stdout io.Writer) (int, error) {
	r := &runner{ctx: ctx, script: script, options: script.options, files: files, delimiter: '\n'}
	if r.options.NullData {
		r.delimiter = 0
	}
	r.stdout = &output{sink: &sink{w: stdout}, delimiter: r.delimiter}
	if o := script.outputs["/dev/stdout"]; o != nil {
		r.stdout.sink = o.sink
	}
	r.out = r.stdout
	r.hold.ended = true
	r.in = &input{run: r, names: names}
	script.resetRanges()
	if r.options.Debug {
		r.debug = &debugger{out: r.stdout}
		r.debug.program(script)
	}
	status, err := r.loop()
	if err == nil {
		err = r.in.finish()
	} else if r.in.target != nil {
		r.in.target.Abort()
	}
	if r.in.reader != nil {
		r.in.reader.close()
	}
	if e := r.stdout.flush(); err == nil {
		err = e
	}
	for _, o := range script.outputs {
		if e := o.flush(); err == nil {
			err = e
		}
		if c, ok := o.w.(io.Closer); ok {
			c.Close()
		}
	}
	for _, s := range script.sources {
		if s.reader != nil && !s.done {
			s.reader.close()
		}
	}
	files.Release(r.charged)
	if status == 0 {
		status = r.status
	}
	return status, err
}

// newFile makes a file's start the script's start (-s).
func (r *runner) newFile() {
	r.in.number = 0
	r.hold.text = r.hold.text[:0]
	r.script.resetRanges()
	for _, s := range r.script.sources {
		if s.reader != nil && !s.done {
			s.reader.close()
		}
		s.reader, s.done = nil, false
	}
}

// atStart puts out the files of 0r.
func (r *runner) atStart() error {
	for i := range r.script.commands {
		c := &r.script.commands[i]
		if c.name == 'r' && c.first.kind == addressLine && c.first.number == 0 && c.second.kind == addressNone {
			if err := r.copyFile(c.fileName); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Script) resetRanges() {
	for i := range s.commands {
		c := &s.commands[i]
		c.state = rangeInactive
		if c.first.kind == addressLine && c.first.number == 0 && c.second.kind == addressRegex {
			c.state = rangeActive
		}
	}
}

// charge keeps the budget's account of the two spaces.
func (r *runner) charge() error {
	size := int64(cap(r.pattern.text) + cap(r.hold.text) + cap(r.scratch))
	if size <= r.charged {
		return nil
	}
	size += size / 4
	if err := r.files.Charge(size - r.charged); err != nil {
		return err
	}
	r.charged = size
	return nil
}

// What a run of the script over one line ends in.
type verdict uint8

const (
	endCycle   verdict = iota // print unless -n
	dropCycle                 // d
	againCycle                // D: no new line
	quitRun                   // q: print unless -n, and end
	quitSilent                // Q
)

func (r *runner) loop() (int, error) {
	again := false
	for {
		if !again {
			ok, err := r.in.read(false)
			if err != nil || !ok {
				return 0, err
			}
		}
		if r.debug != nil {
			if !again {
				r.debug.input(r.in)
			}
			r.debug.space("PATTERN: ", r.pattern.text)
		}
		again = false
		r.replace = false
		v, code, err := r.cycle()
		if err != nil {
			return 0, err
		}
		if r.debug != nil && r.completed {
			r.debug.print("END-OF-CYCLE:\n")
		}
		if (v == endCycle || v == quitRun) && !r.options.Quiet {
			r.out.line(r.pattern.text, r.pattern.ended)
		}
		if v == quitRun {
			r.out.complete()
		}
		if v != quitSilent {
			if err := r.dump(); err != nil {
				return 0, err
			}
		}
		if r.options.Unbuffered {
			r.out.flush()
		}
		if r.out.err != nil {
			return 0, r.out.err
		}
		switch v {
		case againCycle:
			again = true
		case quitRun, quitSilent:
			return code, nil
		}
	}
}

// dump puts out what a, r and R queued.
func (r *runner) dump() error {
	if len(r.queue) == 0 {
		return nil
	}
	for _, q := range r.queue {
		r.out.complete()
		switch {
		case q.file != "":
			if err := r.copyFile(q.file); err != nil {
				return err
			}
		default:
			r.out.write(q.text)
		}
	}
	r.queue = r.queue[:0]
	return nil
}

func (r *runner) copyFile(name string) error {
	f, err := r.files.Open(name)
	if err != nil {
		return nil // a missing file is an empty one
	}
	defer f.Close()
	block := make([]byte, 32<<10)
	for {
		n, err := f.Read(block)
		r.out.write(block[:n])
		if err != nil {
			return nil
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
}

// maximumQueue bounds what one cycle may queue.
const maximumQueue = 1 << 20

// cycle runs the script over the pattern space.
func (r *runner) cycle() (verdict, int, error) {
	commands := r.script.commands
	r.completed = false
	for at := 0; at < len(commands); at++ {
		// A command's work grows with the pattern space.
		if r.steps += 1 + len(r.pattern.text)>>10; r.steps > 0xfff {
			r.steps = 0
			if err := r.ctx.Err(); err != nil {
				return 0, 0, err
			}
		}
		c := &commands[at]
		if r.debug != nil {
			r.debug.print("COMMAND: ")
			r.debug.command(r.script, c)
		}
		if c.first.kind != addressNone || c.negated {
			matched, err := r.selects(c)
			if err != nil {
				return 0, 0, err
			}
			if matched == c.negated {
				if c.name == '{' {
					at = c.target - 1
				}
				continue
			}
		}
		switch c.name {
		case '{':
		case 'a':
			if len(r.queue) < maximumQueue {
				r.queue = append(r.queue, queued{text: c.text})
			}
		case 'i':
			r.printText(c.text)
		case 'c':
			if c.second.kind == addressNone || c.state != rangeActive || c.negated {
				r.printText(c.text)
			}
			r.completed = true
			return dropCycle, 0, nil
		case 'b':
			at = c.target - 1
		case 't':
			if r.replace {
				r.replace = false
				at = c.target - 1
			}
		case 'T':
			if !r.replace {
				at = c.target - 1
			}
			r.replace = false
		case 'd':
			r.completed = true
			return dropCycle, 0, nil
		case 'D':
			i := bytes.IndexByte(r.pattern.text, r.delimiter)
			if i < 0 {
				return dropCycle, 0, nil
			}
			r.pattern.text = append(r.pattern.text[:0], r.pattern.text[i+1:]...)
			return againCycle, 0, nil
		case 'F':
			r.out.complete()
			r.out.write([]byte(r.in.shown()))
			r.out.writeByte(r.delimiter)
		case 'g':
			r.pattern.text = append(r.pattern.text[:0], r.hold.text...)
			r.pattern.ended = r.hold.ended
		case 'G':
			r.pattern.text = append(append(r.pattern.text, r.delimiter), r.hold.text...)
			r.pattern.ended = r.hold.ended
		case 'h':
			r.hold.text = append(r.hold.text[:0], r.pattern.text...)
			r.hold.ended = r.pattern.ended
		case 'H':
			r.hold.text = append(append(r.hold.text, r.delimiter), r.pattern.text...)
			r.hold.ended = r.pattern.ended
		case 'x':
			r.pattern, r.hold = r.hold, r.pattern
		case 'l':
			r.list(c.number)
		case 'n', 'N':
			v, done, err := r.nextLine(c.name)
			if err != nil || done {
				r.completed = true
				return v, 0, err
			}
		case 'p':
			r.out.line(r.pattern.text, r.pattern.ended)
		case 'P':
			r.firstLine(r.out)
		case 'q':
			return quitRun, int(max(c.number, 0)) & 0xff, nil
		case 'Q':
			return quitSilent, int(max(c.number, 0)) & 0xff, nil
		case 'r':
			if len(r.queue) < maximumQueue {
				r.queue = append(r.queue, queued{file: c.fileName})
			}
		case 'R':
			if text, ok := c.input.next(r.files, r.delimiter); ok && len(r.queue) < maximumQueue {
				r.queue = append(r.queue, queued{text: text})
			}
		case 's':
			if err := r.substitute(c.substitution); err != nil {
				return 0, 0, err
			}
		case 'w':
			r.toFile(c.file, r.pattern.text, r.pattern.ended)
		case 'W':
			i := bytes.IndexByte(r.pattern.text, r.delimiter)
			if i < 0 {
				i = len(r.pattern.text)
			}
			r.toFile(c.file, r.pattern.text[:i], true)
		case 'y':
			r.transliterate(c)
		case 'z':
			r.pattern.text = r.pattern.text[:0]
		case '=':
			r.out.complete()
			r.out.buffer = strconv.AppendInt(r.out.buffer, r.in.number, 10)
			r.out.writeByte(r.delimiter)
		}
		if cap(r.pattern.text)+cap(r.hold.text) > int(r.charged) {
			if err := r.charge(); err != nil {
				return 0, 0, err
			}
		}
		if r.out.err != nil {
			return 0, 0, r.out.err
		}
		if r.debug != nil {
			r.debug.changed(r, c.name)
		}
	}
	r.completed = true
	return endCycle, 0, nil
}

// printText puts out the text of i or c; its end is the lines' end.
func (r *runner) printText(text []byte) {
	r.out.complete()
	if n := len(text); n > 0 && text[n-1] == '\n' {
		r.out.write(text[:n-1])
		r.out.writeByte(r.delimiter)
	}
}

func (r *runner) firstLine(o *output) {
	text := r.pattern.text
	if i := bytes.IndexByte(text, r.delimiter); i >= 0 {
		o.line(text[:i], true)
		return
	}
	o.line(text, r.pattern.ended)
}

// toFile writes a line for w: each run of the command is seen at once.
func (r *runner) toFile(o *output, text []byte, ended bool) {
	o.line(text, ended)
	if o.sink != r.stdout.sink {
		o.flush()
	}
}

// nextLine is n and N; done says that the input ended and the cycle with it.
func (r *runner) nextLine(name byte) (v verdict, done bool, err error) {
	if r.in.last() {
		// GNU sed prints the pattern space; POSIX's N drops it.
		if name == 'N' && r.options.POSIX {
			return dropCycle, true, nil
		}
		return endCycle, true, nil
	}
	if name == 'n' {
		if !r.options.Quiet {
			r.out.line(r.pattern.text, r.pattern.ended)
		}
	}
	if err := r.dump(); err != nil {
		return 0, false, err
	}
	if name == 'N' {
		r.pattern.text = append(r.pattern.text, r.delimiter)
	}
	ok, err := r.in.read(name == 'N')
	return endCycle, !ok, err
}

// list is l: unambiguous, folded to a width.
func (r *runner) list(width int64) {
	if width < 0 {
		width = int64(r.options.LineLength)
	}
	o := r.out
	o.complete()
	column := int64(0)
	var item []byte
	for _, c := range r.pattern.text {
		item = item[:0]
		switch {
		case c == '\\':
			item = append(item, '\\', '\\')
		case c >= ' ' && c <= '~':
			item = append(item, c)
		default:
			item = append(item, '\\')
			if i := bytes.IndexByte([]byte("\a\b\f\n\r\t\v"), c); i >= 0 {
				item = append(item, "abfnrtv"[i])
			} else {
				item = append(item, '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			}
		}
		if width > 0 && column+int64(len(item)) > width-1 {
			o.writeByte('\\')
			o.writeByte(r.delimiter)
			column = 0
		}
		o.write(item)
		column += int64(len(item))
	}
	o.writeByte('$')
	o.writeByte(r.delimiter)
}

func (r *runner) transliterate(c *command) {
	text := r.pattern.text
	if c.bytes != nil {
		for i, b := range text {
			text[i] = c.bytes[b]
		}
		return
	}
	out := r.scratch[:0]
	for i := 0; i < len(text); {
		n := 1
		key := rune(text[i])
		if key >= utf8.RuneSelf {
			if r.options.Bytes {
				key = -key
			} else {
				var v rune
				if v, n = utf8.DecodeRune(text[i:]); v == utf8.RuneError && n == 1 {
					v = -rune(text[i])
				}
				key = v
			}
		}
		if to, ok := c.mapping[key]; ok {
			out = append(out, to...)
		} else {
			out = append(out, text[i:i+n]...)
		}
		i += n
	}
	r.scratch, r.pattern.text = text, out
}
