package builtins

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// program is what a command's file describes; builtins.go lists them.
type program struct {
	name string
	// usage is the text of --help after "Usage: ", in our own words.
	usage string
	// synopsis is what stands after the name in the usage line that some
	// programs print before the line that points at --help.
	synopsis string
	// options are parsed by call.parse; --help and --version are added to
	// them. noHelp leaves both out (echo, test, [).
	options getopt.Spec
	noHelp  bool
	// speaksAs is the name that messages give, where it is not the program's
	// own: egrep is a script that runs grep.
	speaksAs string
	// prefixedTry puts the name before the line that points at --help, as
	// diffutils do.
	prefixedTry bool
	// oldTry quotes the line that points at --help as gzip does: `gzip --help'.
	oldTry bool
	// trouble is the status of a usage error: 1 unless set.
	trouble uint8
	// output says how an output that cannot be written is reported.
	output outputStyle
	// stdinClosed is the line that follows where standard input was closed
	// before the program read it, without the cause; "": none.
	stdinClosed string
	// hint is a line before the one that points at --help; nil: none.
	hint func(c *call) string
	run  func(c *call) error
}

// outputStyle is what a program makes of an output that cannot be written. The
// zero value is coreutils': "NAME: write error: CAUSE" and the trouble status.
type outputStyle struct {
	// line replaces "write error: "; closed does where the output was closed
	// before the program began. A newline it begins with stands before the name.
	line, closed string
	// status replaces trouble.
	status uint8
	// flushesLines: a program that flushes each line has forgotten the cause
	// by its end, unless its output was closed all along.
	flushesLines bool
	// closedIsFine is util-linux's: an output that was closed before the
	// program began is no error.
	closedIsFine bool
	// unchecked programs say nothing of it and end as if they had written, or
	// with status.
	unchecked bool
}

const (
	keyHelp    = -1
	keyVersion = -2
)

// statusSIGPIPE is what a writer whose reader is gone ends with, silently.
const statusSIGPIPE = command.ExitError(128 + 13)

// call is one run of a program.
type call struct {
	*command.Invocation
	ctx     context.Context
	program *program
	// out buffers stdout; it is flushed before an error line and at the end.
	out *bufio.Writer
	// status is what the run ends with when it returns nil.
	status uint8
	// stdinClosed is set once standard input was found closed.
	stdinClosed bool
}

var writers = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 32<<10) }}

// Run is the command.Command's Run.
func (p *program) Run(ctx context.Context, invocation *command.Invocation) error {
	c := &call{Invocation: invocation, ctx: ctx, program: p}
	c.out = writers.Get().(*bufio.Writer)
	c.out.Reset(invocation.Stdout)
	defer func() {
		c.out.Reset(nil)
		writers.Put(c.out)
	}()
	err := p.run(c)
	if flushed := c.out.Flush(); flushed != nil && (err == nil || isExit(err) || errors.Is(err, flushed)) {
		if errors.Is(flushed, vfs.EPIPE) {
			return statusSIGPIPE
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !p.output.ignores(flushed) {
			return c.writeFailed(flushed)
		}
		if p.output.unchecked && p.output.status != 0 {
			return command.ExitError(p.output.status)
		}
		if !isExit(err) {
			err = nil
		}
	}
	if c.stdinClosed && p.stdinClosed != "" {
		fmt.Fprintf(c.Stderr, "%s: %s: %s\n", c.label(), p.stdinClosed, vfs.Words(vfs.EBADF))
	}
	switch {
	case err == nil && c.status != 0:
		return command.ExitError(c.status)
	case err == nil || isExit(err):
		return err
	case errors.Is(err, vfs.EPIPE):
		return statusSIGPIPE
	case ctx.Err() != nil:
		return ctx.Err()
	}
	c.errorf("%s", vfs.Words(err))
	return command.ExitError(max(c.trouble(), 1))
}

// ignores reports that a program ends as if it had written.
func (o *outputStyle) ignores(err error) bool {
	return o.unchecked || o.closedIsFine && errors.Is(err, vfs.EBADF)
}

// writeFailed reports an output that cannot be written and ends the run.
func (c *call) writeFailed(err error) error {
	o := &c.program.output
	text := "write error: " + vfs.Words(err)
	closed := errors.Is(err, vfs.EBADF)
	switch {
	case closed && o.closed != "":
		text = o.closed + vfs.Words(err)
	case o.line != "":
		text = o.line + vfs.Words(err)
	case o.flushesLines && !closed:
		text = "write error"
	}
	if rest, ok := strings.CutPrefix(text, "\n"); ok {
		io.WriteString(c.Stderr, "\n")
		text = rest
	}
	io.WriteString(c.Stderr, c.label()+": "+text+"\n")
	c.out.Reset(io.Discard)
	if o.status != 0 {
		return command.ExitError(o.status)
	}
	return command.ExitError(c.trouble())
}

func isExit(err error) bool {
	var exit command.ExitError
	return errors.As(err, &exit)
}

func (c *call) trouble() uint8 { return max(c.program.trouble, 1) }

// label is the name error lines start with.
func (c *call) label() string {
	if c.program.speaksAs != "" {
		return c.program.speaksAs
	}
	if name := c.Name(); name != "" {
		return name
	}
	return c.program.name
}

// errorf prints "NAME: message" and makes the exit status the program's
// trouble status. What was written before it appears before it.
func (c *call) errorf(format string, args ...any) {
	c.warnf(format, args...)
	c.status = max(c.status, c.trouble())
}

// warnf prints "NAME: message" and leaves the status alone.
func (c *call) warnf(format string, args ...any) {
	c.out.Flush()
	io.WriteString(c.Stderr, c.label()+": "+fmt.Sprintf(format, args...)+"\n")
}

// fileError prints "NAME: PATH: cause", the path quoted where a shell would need it.
func (c *call) fileError(path string, err error) {
	c.noteClosed(path, err)
	c.errorf("%s: %s", quoteFile(path), vfs.Words(err))
}

// noteClosed remembers that standard input, operand "-", was found closed.
func (c *call) noteClosed(operand string, err error) {
	if operand == "-" && errors.Is(err, vfs.EBADF) {
		c.stdinClosed = true
	}
}

// fatalf prints "NAME: message" and returns the trouble status to end with.
func (c *call) fatalf(format string, args ...any) error {
	c.errorf(format, args...)
	return command.ExitError(c.trouble())
}

// usageErrorf is fatalf with the line that points at --help.
func (c *call) usageErrorf(format string, args ...any) error {
	c.errorf(format, args...)
	return c.tryHelp()
}

// tryHelp prints the line that points at --help and returns the trouble status.
func (c *call) tryHelp() error {
	if c.program.prefixedTry {
		io.WriteString(c.Stderr, c.label()+": ")
	}
	if c.program.hint != nil {
		io.WriteString(c.Stderr, c.program.hint(c))
	}
	if c.program.synopsis != "" {
		fmt.Fprintf(c.Stderr, "Usage: %s %s\n", c.label(), c.program.synopsis)
	}
	open := "'"
	if c.program.oldTry {
		open = "`"
	}
	fmt.Fprintf(c.Stderr, "Try %s%s --help' for more information.\n", open, c.label())
	return command.ExitError(c.trouble())
}

// exitWith ends the run with a status, nil for 0.
func exitWith(status uint8) error {
	if status == 0 {
		return nil
	}
	return command.ExitError(status)
}

// errDone ends a run that has done its work, e.g. --help.
var errDone = command.ExitError(0)

// parse goes through the options with handle, nil where there are none of its
// own, and returns the operands. It
// answers --help and --version itself; its error ends the run.
func (c *call) parse(handle func(p *getopt.Parser) error) ([]string, error) {
	spec := c.program.options
	if !c.program.noHelp {
		options := make([]getopt.Option, 0, len(spec.Options)+2)
		options = append(options, spec.Options...)
		spec.Options = append(options, getopt.Option{Key: keyHelp, Long: "help"}, getopt.Option{Key: keyVersion, Long: "version"})
	}
	if _, strict := c.Getenv("POSIXLY_CORRECT"); strict && spec.Order == getopt.Permute {
		spec.Order = getopt.Stop
	}
	p := getopt.New(&spec, c.Arguments)
	for p.Next() {
		switch p.Key {
		case keyHelp:
			return nil, c.showHelp()
		case keyVersion:
			return nil, c.showVersion()
		}
		if handle == nil {
			continue
		}
		if err := handle(p); err != nil {
			return nil, err
		}
	}
	if err := p.Err(); err != nil {
		return nil, c.usageErrorf("%s", err)
	}
	return p.Operands(), nil
}

// showHelp and showVersion print what --help and --version do and end the run.
func (c *call) showHelp() error {
	fmt.Fprintf(c.out, "Usage: %s\n", c.program.usage)
	return errDone
}

func (c *call) showVersion() error {
	writeVersion(c.out, c.program.name)
	return errDone
}

// open opens an operand for reading; "-" is stdin, which close leaves open.
func (c *call) open(operand string) (r io.Reader, close func(), err error) {
	if operand == "-" {
		return c.Stdin, func() {}, nil
	}
	f, err := c.View().Open(c.ctx, operand, vfs.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { f.Close() }, nil
}

// eachInput calls visit with every operand's stream, or stdin as "-" when
// there is none. An operand that cannot be opened or read is reported and the
// next one is visited; only an end of the run (a broken pipe, a cancelled
// context, an exit status) stops it.
func (c *call) eachInput(operands []string, visit func(name string, r io.Reader) error) error {
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		r, done, err := c.open(name)
		if err == nil {
			err = visit(name, r)
			done()
		}
		if err != nil {
			if c.ends(err) {
				return err
			}
			c.fileError(name, err)
		}
	}
	return nil
}

// ends reports whether err is the run's end rather than one operand's trouble.
func (c *call) ends(err error) bool {
	var exit command.ExitError
	return errors.As(err, &exit) || errors.Is(err, vfs.EPIPE) || c.ctx.Err() != nil
}
