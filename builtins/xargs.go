package builtins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

const (
	// xargsSystemMax is what the command line and the environment may take, as
	// on Linux less the headroom POSIX asks for; xargsDefault is what xargs uses.
	xargsSystemMax = 2<<20 - 2048
	xargsDefault   = 128 << 10
	// xargsUnlimited bounds -P 0.
	xargsUnlimited = 64
)

// xargsCommand is one run of xargs.
type xargsCommand struct {
	*call
	delimiter    int // a byte; -1: blanks, newlines and quotes
	argFile      string
	end          string
	hasEnd       bool
	replace      string
	replaces     bool
	lines, words int
	maxChars     int
	processes    int
	noEmpty      bool
	trace, ask   bool
	exits        bool
	terminal     bool
	slotVariable string
	showLimits   bool

	initial []string
	// arguments are those gathered beyond the initial ones; chars counts all of
	// them, each with its NUL.
	arguments    []string
	chars        int
	initialChars int
	todo         bool // an argument was read since the last command

	pool  *xargsPool
	ran   bool
	stdin io.Reader // what commands read
}

func xargsRun(c *call) error {
	x := &xargsCommand{call: c, delimiter: -1, maxChars: xargsDefault, processes: 1, argFile: "-"}
	if limit := x.limit(); x.maxChars > limit {
		x.maxChars = max(limit, 1)
	}
	operands, err := c.parse(x.option)
	if err != nil {
		return err
	}
	if x.initial = operands; len(operands) == 0 {
		x.initial = []string{"echo"}
	}
	if (x.delimiter >= 0) && x.hasEnd {
		c.warnf("warning: the -E option has no effect if -0 or -d is used.\n")
		x.hasEnd = false
	}
	if x.showLimits {
		x.printLimits()
	}
	r, done, err := c.open(x.argFile)
	if err != nil {
		return c.fatalf("Cannot open input file %s: %s", quote(x.argFile), vfs.Words(err))
	}
	defer done()
	if x.stdin = io.Reader(strings.NewReader("")); x.argFile != "-" {
		x.stdin = c.Stdin
	}
	x.pool = newXargsPool(x)
	in := &xargsReader{xargs: x, r: r}
	err = x.pool.finish(x.gather(in))
	switch {
	case in.unread == nil || err != nil && !isExit(err):
	case errors.Is(in.unread, vfs.EBADF):
		return x.fatalf("error closing file: %s", vfs.Words(in.unread))
	default: // of a failed read only the fact is left
		return x.fatalf("error closing file")
	}
	return err
}

// environmentSize is what the environment takes of a command line.
func (x *xargsCommand) environmentSize() int {
	n := 0
	for _, e := range x.Environment {
		n += len(e) + 1
	}
	return n
}

func (x *xargsCommand) limit() int { return xargsSystemMax - x.environmentSize() }

func (x *xargsCommand) printLimits() {
	size := x.environmentSize()
	fmt.Fprintf(x.Stderr, "Your environment variables take up %d bytes\n", size)
	fmt.Fprintf(x.Stderr, "POSIX upper limit on argument length (this system): %d\n", x.limit())
	fmt.Fprintf(x.Stderr, "POSIX smallest allowable upper limit on argument length (all systems): 4096\n")
	fmt.Fprintf(x.Stderr, "Maximum length of command we could actually use: %d\n", x.limit()-size)
	fmt.Fprintf(x.Stderr, "Size of command buffer we are actually using: %d\n", x.maxChars)
	fmt.Fprintf(x.Stderr, "Maximum parallelism (--max-procs must be no greater): %d\n", math.MaxInt32)
}

func (x *xargsCommand) option(p *getopt.Parser) error {
	var err error
	switch p.Key {
	case '0':
		x.delimiter = 0
	case 'a':
		x.argFile = p.Value
	case 'd':
		x.delimiter, err = x.delimiterOf(p.Value)
	case 'e', 'E':
		x.end, x.hasEnd = p.Value, p.Value != ""
	case 'I', 'i':
		if x.replace = p.Value; !p.HasValue {
			x.replace = "{}"
		}
		x.exclusive(&x.lines, "--max-lines", "--replace/-I/-i")
		x.exclusive(&x.words, "--max-args", "--replace/-I/-i")
		x.replaces = true
	case 'L', 'l':
		name, option := "-L", 'L'
		if p.Key == 'l' {
			name, option = "--max-lines/-l", 'l'
		}
		n := 1
		if p.HasValue {
			n, err = x.number(p.Value, option, 1, math.MaxInt64)
		}
		x.exclusive(&x.words, "--max-args", name)
		x.exclusiveReplace(name)
		x.lines = n
	case 'n':
		if x.words, err = x.number(p.Value, 'n', 1, math.MaxInt64); err == nil {
			x.exclusive(&x.lines, "--max-lines", "--max-args/-n")
			if x.replaces && x.words == 1 {
				x.words = 0 // what -I does anyway
			} else {
				x.exclusiveReplace("--max-args/-n")
			}
		}
	case 'o':
		x.terminal = true
	case 'P':
		x.processes, err = x.number(p.Value, 'P', 0, math.MaxInt32)
	case 'p':
		x.ask, x.trace = true, true
	case 'r':
		x.noEmpty = true
	case 's':
		x.maxChars, err = x.size(p.Value)
	case 't':
		x.trace = true
	case 'x':
		x.exits = true
	case xargsShowLimits:
		x.showLimits = true
	case xargsSlotVariable:
		if strings.Contains(p.Value, "=") {
			return x.fatalf("option --process-slot-var may not be set to a value which includes `='")
		}
		if x.slotVariable = p.Value; p.Value == "" {
			return x.fatalf("failed to unset environment variable : Invalid argument")
		}
	}
	return err
}

// exclusive drops an earlier option that the later one excludes.
func (x *xargsCommand) exclusive(earlier *int, name, later string) {
	if *earlier > 0 {
		x.warnf("warning: options %s and %s are mutually exclusive, ignoring previous %s value", name, later, name)
		*earlier = 0
	}
}

func (x *xargsCommand) exclusiveReplace(later string) {
	if x.replaces {
		x.warnf("warning: options --replace and %s are mutually exclusive, ignoring previous --replace value", later)
		x.replaces = false
	}
}

func (x *xargsCommand) number(text string, option rune, low, high int) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimLeft(text, " \t\n"), "+"))
	if err != nil && !isRange(err) {
		return 0, x.usageErrorf("invalid number \"%s\" for -%c option", text, option)
	}
	if n < low {
		return 0, x.usageErrorf("value %s for -%c option should be >= %d", text, option, low)
	}
	if n > high {
		x.warnf("value %s for -%c option should be <= %d", text, option, high)
		n = high
	}
	return n, nil
}

func isRange(err error) bool {
	e, ok := err.(*strconv.NumError)
	return ok && e.Err == strconv.ErrRange
}

// size reads -s, whose bounds are only warned about.
func (x *xargsCommand) size(text string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimLeft(text, " \t\n"), "+"))
	switch {
	case err != nil && !isRange(err):
		return 0, x.usageErrorf("invalid number \"%s\" for -s option", text)
	case n < 1:
		x.warnf("value %s for -s option should be >= 1", text)
		n = 1
	case n > x.limit():
		x.warnf("value %s for -s option should be <= %d", text, x.limit())
		n = x.limit()
	}
	return n, nil
}

// delimiterOf reads -d: one byte, or an escape for one.
func (x *xargsCommand) delimiterOf(text string) (int, error) {
	if len(text) == 1 {
		return int(text[0]), nil
	}
	if len(text) < 2 || text[0] != '\\' {
		return 0, x.fatalf("Invalid input delimiter specification %s: the delimiter must be either a single character or an escape sequence starting with \\.", text)
	}
	base, digits := 8, text[1:]
	switch {
	case digits[0] == 'x':
		base, digits = 16, digits[1:]
	case digits[0] < '0' || digits[0] > '7':
		if i := strings.IndexByte(`abfnrtv\`, digits[0]); i >= 0 {
			return int("\a\b\f\n\r\t\v\\"[i]), nil
		}
		return 0, x.fatalf("Invalid escape sequence %s in input delimiter specification.", text)
	}
	value, n := 0, 0
	for ; n < len(digits); n++ {
		d := strings.IndexByte("0123456789abcdef", digits[n]|0x20)
		if digits[n] < '0' || d < 0 || d >= base {
			break
		}
		value = min(value*base+d, 1<<20)
	}
	switch {
	case value > 255 && base == 16:
		return 0, x.fatalf("Invalid escape sequence %s in input delimiter specification; character values must not exceed ff.", text)
	case value > 255:
		return 0, x.fatalf("Invalid escape sequence %s in input delimiter specification; character values must not exceed 377.", text)
	case n < len(digits):
		return 0, x.fatalf("Invalid escape sequence %s in input delimiter specification; trailing characters %s not recognised.", text, digits[n:])
	}
	return value, nil
}

// gather reads arguments and runs commands.
func (x *xargsCommand) gather(in *xargsReader) error {
	defer in.close()
	if x.replaces {
		return x.eachLine(in)
	}
	for _, word := range x.initial {
		if x.chars+len(word)+1 > x.maxChars {
			return x.fatalf("cannot fit single argument within argument list size limit")
		}
		x.chars += len(word) + 1
	}
	x.initialChars = x.chars
	for {
		more, err := in.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if x.lines > 0 && in.lineNumber >= x.lines {
			if err := x.execute(); err != nil {
				return err
			}
			in.lineNumber = 0
		}
	}
	if len(x.arguments) > 0 || !x.noEmpty && !x.ran {
		return x.execute()
	}
	return nil
}

// eachLine is the loop of -I.
func (x *xargsCommand) eachLine(in *xargsReader) error {
	for {
		more, err := in.next()
		if err != nil || !more {
			return err
		}
		item := in.text()
		arguments := make([]string, 0, len(x.initial))
		chars := len(x.initial[0]) + 1
		for _, word := range x.initial[1:] {
			if x.replace != "" {
				if len(word)+strings.Count(word, x.replace)*(len(item)-len(x.replace)) >= x.maxChars-1 {
					return x.fatalf("command too long")
				}
				word = strings.ReplaceAll(word, x.replace, item)
			}
			if chars += len(word) + 1; chars > x.maxChars {
				return x.fatalf("argument list too long")
			}
			arguments = append(arguments, word)
		}
		if err := x.start(append([]string{x.initial[0]}, arguments...)); err != nil {
			return err
		}
	}
}

// push adds an argument, running the command first or after as the limits ask.
func (x *xargsCommand) push(argument string) error {
	x.todo = true
	if x.chars+len(argument)+1 > x.maxChars {
		if len(x.arguments) == 0 {
			return x.fatalf("cannot fit single argument within argument list size limit")
		}
		if x.exits && (x.lines > 0 || x.words > 0) {
			return x.fatalf("argument list too long")
		}
		if err := x.execute(); err != nil {
			return err
		}
	}
	x.arguments = append(x.arguments, argument)
	x.chars += len(argument) + 1
	if x.words > 0 && len(x.arguments) >= x.words {
		return x.execute()
	}
	return nil
}

// execute runs the command over what was gathered.
func (x *xargsCommand) execute() error {
	words := append(slices.Clone(x.initial), x.arguments...)
	x.arguments, x.chars, x.todo = nil, x.initialChars, false
	return x.start(words)
}

// abandon runs what can be run before an error in the input ends xargs.
func (x *xargsCommand) abandon() error {
	if !x.todo || x.replaces || len(x.arguments) == 0 || x.exits {
		return nil
	}
	return x.execute()
}

// start shows the command where asked to, and runs it.
func (x *xargsCommand) start(words []string) error {
	x.ran = true
	if x.trace {
		quoted := make([]string, len(words))
		for i, word := range words {
			quoted[i] = quoteFile(word)
		}
		line := strings.Join(quoted, " ")
		if x.ask {
			io.WriteString(x.Stderr, line)
			if yes, err := x.confirm(); err != nil || !yes {
				return err
			}
		} else {
			io.WriteString(x.Stderr, line+"\n")
		}
	}
	return x.pool.start(words)
}

// confirm asks on the terminal, which a script does not have.
func (x *xargsCommand) confirm() (bool, error) {
	f, err := x.View().Open(x.ctx, "/dev/tty", vfs.O_RDONLY, 0)
	if err != nil {
		return false, x.fatalf("failed to open /dev/tty for reading: %s", vfs.Words(err))
	}
	defer f.Close()
	io.WriteString(x.Stderr, "?...")
	var answer [1]byte
	_, err = f.Read(answer[:])
	return err == nil && answer[0]|0x20 == 'y', nil
}

const (
	xargsShowLimits = 1000 + iota
	xargsSlotVariable
)

// xargsPool runs commands, several at once with -P.
type xargsPool struct {
	xargs  *xargsCommand
	ctx    context.Context
	cancel context.CancelFunc
	slots  chan int
	wait   sync.WaitGroup
	output sync.Mutex

	mu     sync.Mutex
	status uint8 // 123, or what ends the run
	ends   bool
}

func newXargsPool(x *xargsCommand) *xargsPool {
	p := &xargsPool{xargs: x}
	n := x.processes
	if n == 0 || n > xargsUnlimited {
		n = xargsUnlimited
	}
	p.ctx, p.cancel = context.WithCancel(x.ctx)
	p.slots = make(chan int, n)
	for slot := range n {
		p.slots <- slot
	}
	return p
}

// ended is the exit status that a command's end has made the run's.
func (p *xargsPool) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ends {
		return command.ExitError(p.status)
	}
	return p.xargs.ctx.Err()
}

func (p *xargsPool) start(words []string) error {
	slot := 0
	select {
	case slot = <-p.slots:
	case <-p.ctx.Done():
	}
	if err := p.ended(); err != nil {
		return err
	}
	if cap(p.slots) == 1 {
		p.run(words, slot)
		return p.ended()
	}
	p.wait.Add(1)
	go func() {
		defer p.wait.Done()
		p.run(words, slot)
	}()
	return nil
}

func (p *xargsPool) run(words []string, slot int) {
	defer func() { p.slots <- slot }()
	x := p.xargs
	request := &command.Exec{Arguments: words, Stdin: x.stdin}
	if x.slotVariable != "" {
		request.Environment = append(slices.Clone(x.Environment), x.slotVariable+"="+strconv.Itoa(slot))
	}
	if cap(p.slots) > 1 {
		request.Stdout = &lockedWriter{&p.output, x.Stdout}
		request.Stderr = &lockedWriter{&p.output, x.Stderr}
	}
	if x.terminal {
		if _, err := x.View().Open(p.ctx, "/dev/tty", vfs.O_RDONLY, 0); err != nil {
			p.fail(1, "%s: %s", quote("/dev/tty"), vfs.Words(err))
			return
		}
	}
	if err := x.runnable(p.ctx, words[0]); err != nil {
		status := uint8(126)
		if vfs.Errno(err) == vfs.ENOENT {
			status = 127
		}
		if p.ctx.Err() == nil {
			p.fail(status, "%s: %s", words[0], vfs.Words(err))
		}
		return
	}
	status, err := x.Host().Exec(p.ctx, request)
	switch {
	case err != nil || status == 0:
	case status == 255:
		p.fail(124, "%s: exited with status 255; aborting", words[0])
	case status > 128 && status <= 128+64:
		p.fail(125, "%s: terminated by signal %d", words[0], status-128)
	default:
		p.mu.Lock()
		if !p.ends {
			p.status = 123
		}
		p.mu.Unlock()
	}
}

// fail ends the run with a status.
func (p *xargsPool) fail(status uint8, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ends {
		return
	}
	p.status, p.ends = status, true
	p.output.Lock()
	p.xargs.warnf(format, args...)
	p.output.Unlock()
}

// finish waits for all commands.
func (p *xargsPool) finish(err error) error {
	p.wait.Wait()
	p.cancel()
	if ended := p.ended(); ended != nil {
		return ended
	}
	if err == nil {
		p.xargs.status = max(p.xargs.status, p.status)
	}
	return err
}

// lockedWriter makes the writes of several commands follow one another.
type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func xargsProgram(string) *program {
	return &program{
		usage: `xargs [OPTION]... [COMMAND [INITIAL-ARGUMENT]...]
Run COMMAND (echo) with the initial arguments and further ones read from
standard input, as many at once as fit.

  -0, --null                  items end in NUL; no quotes, no end of file string
  -a, --arg-file=FILE         read FILE, leaving standard input to COMMAND
  -d, --delimiter=CHARACTER   items end in CHARACTER; no quotes
  -E END, -e[END], --eof[=END]
                              an item equal to END ends the input
  -I R, -i[R], --replace[=R]  replace R ({}) in the initial arguments by each line
  -L N, -l[N], --max-lines[=N]
                              at most N input lines a command
  -n, --max-args=N            at most N arguments a command
  -o, --open-tty              give COMMAND the terminal
  -P, --max-procs=N           run up to N commands at once; 0: many
  -p, --interactive           ask before each command
      --process-slot-var=VAR  set VAR to a number of its own for each parallel command
  -r, --no-run-if-empty       run nothing for empty input
  -s, --max-chars=N           at most N characters a command line
      --show-limits           show the limits first
  -t, --verbose               show each command on standard error
  -x, --exit                  end when -s is exceeded
Status: 123 when a command failed, 124 when one returned 255, 125 when one was
killed, 126 when one cannot be run, 127 when it is not found.`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: '0', Long: "null"}, {Key: 'a', Long: "arg-file", Argument: getopt.Required},
			{Key: 'd', Long: "delimiter", Argument: getopt.Required}, {Key: 'e', Long: "eof", Argument: getopt.Optional},
			{Key: 'E', Argument: getopt.Required}, {Key: 'I', Argument: getopt.Required},
			{Key: 'i', Long: "replace", Argument: getopt.Optional}, {Key: 'l', Long: "max-lines", Argument: getopt.Optional},
			{Key: 'L', Argument: getopt.Required}, {Key: 'n', Long: "max-args", Argument: getopt.Required},
			{Key: 'o', Long: "open-tty"}, {Key: 'p', Long: "interactive"}, {Key: 'r', Long: "no-run-if-empty"},
			{Key: 's', Long: "max-chars", Argument: getopt.Required}, {Key: 't', Long: "verbose"},
			{Key: xargsShowLimits, Long: "show-limits"}, {Key: 'x', Long: "exit"},
			{Key: 'P', Long: "max-procs", Argument: getopt.Required},
			{Key: xargsSlotVariable, Long: "process-slot-var", Argument: getopt.Required},
		}},
		run: xargsRun,
	}
}
