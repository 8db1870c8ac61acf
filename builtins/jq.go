package builtins

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/jq"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// jqCommand is one run of jq.
type jqCommand struct {
	*call
	program    string
	hasProgram bool
	files      []string
	positional []jq.Value
	named      []jq.Global
	search     []string
	// operands says what operands behind the program are: files, or arguments
	// as strings or as JSON.
	operands jqOperands

	nullInput, raw, slurp, fromFile          bool
	rawOutput, joinOutput, ascii             bool
	exitStatus, seq, stream, streamErrors    bool
	sortKeys, color, unbuffered, searchGiven bool
	indent                                   string
	pretty                                   bool

	format jq.Format
	inputs jq.Inputs
	failed bool
	// result is what the last input came to.
	result jqResult
}

type jqOperands uint8

const (
	jqFiles jqOperands = iota
	jqStrings
	jqJSON
)

// jqResult is an exit status, or one of those that only -e tells apart.
type jqResult int

const (
	jqFalse  jqResult = -1
	jqSilent jqResult = -4
)

// Exit statuses.
const (
	jqUsage    = 2
	jqCompile  = 3
	jqRaised   = 5
	jqBadInput = 4
)

func jqRun(c *call) error {
	q := &jqCommand{call: c, indent: "  ", pretty: true}
	if err := q.arguments(); err != nil {
		return err
	}
	if !q.hasProgram {
		// Neither stdin nor stdout is a terminal.
		q.program = "."
	}
	text := q.program
	if q.fromFile {
		var err error
		if text, err = c.readAll(q.program); err != nil {
			c.errorf("Could not open %s: %s", q.program, vfs.Words(err))
			return command.ExitError(jqUsage)
		}
		text = jqSkipShebang(text)
	}
	program, err := jq.Compile(text, q.globals(), q.library())
	var faults *jq.CompileError
	if errors.As(err, &faults) {
		c.out.Flush()
		fmt.Fprintln(c.Stderr, faults)
		return command.ExitError(jqCompile)
	}
	if err != nil {
		return err
	}
	q.setFormat()
	return q.execute(program)
}

// jqSkipShebang takes away the head of a script that a shell hands to jq: its
// first line, a comment that ends in a backslash, and the line that continues
// that comment for jq.
func jqSkipShebang(text string) string {
	if !strings.HasPrefix(text, "#!") {
		return text
	}
	_, rest, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(rest, "#") {
		return text
	}
	comment, rest, found := strings.Cut(rest, "\n")
	comment = strings.TrimSuffix(comment, "\r")
	if !found || rest == "" || rest[0] == '#' || !strings.HasSuffix(comment, `\`) || strings.HasSuffix(comment, `\\`) {
		return text
	}
	_, rest, found = strings.Cut(rest, "\n")
	if !found {
		return text
	}
	return rest
}

// globals are $ARGS, and the named arguments as variables.
func (q *jqCommand) globals() []jq.Global {
	names := jq.NewObject()
	for _, g := range q.named {
		names = names.With(g.Name, g.Value)
	}
	args := jq.NewObject().With("positional", jq.NewArray(q.positional)).With("named", names)
	return append([]jq.Global{{Name: "ARGS", Value: args}}, q.named...)
}

func (q *jqCommand) library() *jq.Library {
	search := q.search
	if !q.searchGiven {
		search = []string{"~/.jq", "$ORIGIN/../lib/jq", "$ORIGIN/lib"}
	}
	return &jq.Library{
		Search: search,
		Expand: func(folder string) string {
			if rest, ok := strings.CutPrefix(folder, "~/"); ok {
				home, _ := q.Getenv("HOME")
				return path.Join(home, rest)
			}
			return strings.Replace(folder, "$ORIGIN", "/usr/bin", 1)
		},
		Read: q.readAll,
		Strerror: func(err error) (text string, missing bool) {
			number := vfs.Errno(err)
			return vfs.Words(err), number == vfs.ENOENT || number == vfs.ENOTDIR
		},
	}
}

func (q *jqCommand) setFormat() {
	q.format = jq.Format{Indent: q.indent, Pretty: q.pretty, Sort: q.sortKeys, ASCII: q.ascii}
	if !q.color {
		return
	}
	q.format.Colors = jq.DefaultColors()
	if spec, ok := q.Getenv("JQ_COLORS"); ok && !q.format.Colors.Parse(spec) {
		q.out.Flush()
		io.WriteString(q.Stderr, "Failed to set $JQ_COLORS\n")
	}
}

// execute runs the program on each input.
func (q *jqCommand) execute(program *jq.Program) error {
	host := q.Host()
	tz, _ := q.Getenv("TZ")
	m := jq.NewMachine(q.ctx, program, &jq.World{
		Debug:  func(v jq.Value) error { return q.say(jq.NewArray([]jq.Value{"DEBUG:", v}), "\n") },
		Stderr: func(v jq.Value) error { return q.say(v, "") },
		Env:    q.Environment, Now: host.Now, Zone: strftime.Zone(tz), Charge: host.Charge, Release: host.Release,
	})
	defer m.Close()
	q.inputs = jq.Inputs{Open: q.nextFile, Raw: q.raw, Slurp: q.slurp, Seq: q.seq, Stream: q.stream, StreamErrors: q.streamErrors, Failed: q.inputFailed}
	q.inputs.Attach(m)
	defer q.inputs.Close()
	q.result = jqSilent
	err := q.eachInput(m)
	if err != nil {
		var halt *jq.Halt
		if !errors.As(err, &halt) {
			return q.ended(err)
		}
		return q.halt(halt)
	}
	if q.failed {
		return command.ExitError(jqUsage)
	}
	switch {
	case q.result > 0:
		return command.ExitError(q.result)
	case q.result < 0 && q.exitStatus:
		return command.ExitError(-q.result)
	}
	return nil
}

// ended reports what no program can handle.
func (q *jqCommand) ended(err error) error {
	if q.ends(err) {
		return err
	}
	q.out.Flush()
	fmt.Fprintf(q.Stderr, "jq: error: %s\n", vfs.Words(err))
	return command.ExitError(jqRaised)
}

func (q *jqCommand) eachInput(m *jq.Machine) error {
	if q.nullInput {
		return q.process(m, nil)
	}
	for {
		v, err := q.inputs.Next()
		var fault *jq.ParseError
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &fault):
			q.out.Flush()
			if q.seq {
				fmt.Fprintf(q.Stderr, "ignoring parse error: %s\n", fault.Text)
				continue
			}
			fmt.Fprintf(q.Stderr, "parse error: %s\n", fault.Text)
			q.result = jqBadInput
			return nil
		case err != nil:
			return err
		}
		if err := q.process(m, v); err != nil {
			return err
		}
	}
}

// process runs the program on one input.
func (q *jqCommand) process(m *jq.Machine, input jq.Value) error {
	m.Start(input)
	q.result = jqSilent
	for {
		v, ok, err := m.Next()
		var raised *jq.Error
		switch {
		case errors.As(err, &raised):
			q.out.Flush()
			note := ""
			if _, isText := raised.Value.(string); !isText {
				note = " (not a string)"
			}
			fmt.Fprintf(q.Stderr, "jq: error (at %s)%s: %s\n", q.inputs.Position(), note, raised)
			q.result = jqRaised
			return nil
		case err != nil:
			return err
		case !ok:
			return nil
		}
		if err := q.print(v); err != nil {
			return err
		}
	}
}

func (q *jqCommand) print(v jq.Value) error {
	write := func(b []byte) error { _, err := q.out.Write(b); return err }
	q.result = 0
	if s, ok := v.(string); ok && q.rawOutput {
		if !q.ascii {
			q.out.WriteString(s)
		} else if err := (&jq.Format{ASCII: true}).Write(v, write); err != nil {
			return err
		}
	} else {
		if v == nil || v == false {
			q.result = jqFalse
		}
		if q.seq {
			q.out.WriteByte(0x1e)
		}
		if err := q.format.Write(v, write); err != nil {
			return err
		}
	}
	if !q.joinOutput {
		q.out.WriteByte('\n')
	}
	if q.unbuffered {
		return q.out.Flush()
	}
	// The buffer keeps an error of its writer.
	_, err := q.out.Write(nil)
	return err
}

// say writes a value to stderr for debug and stderr.
func (q *jqCommand) say(v jq.Value, end string) error {
	if err := q.out.Flush(); err != nil {
		return err
	}
	text := jq.Format{}
	err := text.Write(v, func(b []byte) error { _, err := q.Stderr.Write(b); return err })
	if err == nil {
		_, err = io.WriteString(q.Stderr, end)
	}
	return err
}

func (q *jqCommand) halt(h *jq.Halt) error {
	if err := q.out.Flush(); err != nil {
		return err
	}
	if s, ok := h.Message.(string); ok {
		io.WriteString(q.Stderr, s)
	} else if h.Message != nil {
		if err := q.say(h.Message, "\n"); err != nil {
			return err
		}
	}
	return exitWith(uint8(h.Status))
}

// nextFile opens the next operand, or stdin where there is none.
func (q *jqCommand) nextFile() (name string, r io.Reader, done func(), err error) {
	if q.files == nil {
		q.files = []string{}
		return "", q.Stdin, func() {}, nil
	}
	if len(q.files) == 0 {
		return "", nil, nil, io.EOF
	}
	name = q.files[0]
	q.files = q.files[1:]
	if name == "-" {
		return "", q.Stdin, func() {}, nil
	}
	r, done, err = q.open(name)
	if err != nil {
		return "", nil, nil, fmt.Errorf("Could not open file %s: %w", name, err)
	}
	return name, r, done, nil
}

// inputFailed reports a file that cannot be opened. One that cannot be read,
// such as a directory, only changes the exit status.
func (q *jqCommand) inputFailed(err error) {
	q.failed = true
	if head, cause, ok := strings.Cut(err.Error(), ": "); ok && strings.HasPrefix(head, "Could not open file ") && cause != "" {
		q.out.Flush()
		fmt.Fprintf(q.Stderr, "jq: error: %s: %s\n", head, vfs.Words(err))
	}
}

func (q *jqCommand) setIndent(text string) error {
	n, _ := strconv.Atoi(text)
	if n < -1 || n > 7 {
		return q.usage("--indent takes a number between -1 and 7")
	}
	q.pretty, q.indent = n != 0, strings.Repeat(" ", max(n, 0))
	if n < 0 {
		q.indent = "\t"
	}
	return nil
}

func (q *jqCommand) usage(format string, args ...any) error {
	q.errorf(format, args...)
	io.WriteString(q.Stderr, "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://stedolan.github.io/jq\n")
	return command.ExitError(jqUsage)
}

func jqProgram(string) *program {
	return &program{
		usage: `jq [OPTION]... FILTER [FILE]...
       jq [OPTION]... --args FILTER [STRING]...
       jq [OPTION]... --jsonargs FILTER [JSON]...
Run FILTER on each JSON text of the FILEs, or of standard input.

  -n, --null-input         run once, on null
  -R, --raw-input          each line is an input, as a string
  -s, --slurp              all inputs are one array
      --stream             read [path, leaf] events
      --stream-errors      as --stream, with errors as events
      --seq                texts begin with RS, as in RFC 7464
  -r, --raw-output         print strings as they are
  -j, --join-output        as -r, without newlines
  -a, --ascii-output       escape what is not ASCII
  -S, --sort-keys          print objects by key
  -c, --compact-output     one line a result
      --tab, --indent N    indent by a tab, or N spaces (0 to 7)
  -C, -M                   print with colors, or without
      --unbuffered         flush each result
  -e, --exit-status        status 1 for false or null, 4 for no result
  -f, --from-file          FILTER is a file
  -L DIR                   look for modules in DIR
      --arg N V            set $N to the string V
      --argjson N V        set $N to the JSON text V
      --slurpfile N F      set $N to the array of the JSON texts of F
      --rawfile N F        set $N to the text of F
      --args, --jsonargs   operands are $ARGS.positional, not files`,
		trouble: jqUsage,
		run:     jqRun,
	}
}
