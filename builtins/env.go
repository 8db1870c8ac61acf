package builtins

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// envCommand is one run of env.
type envCommand struct {
	*call
	empty       bool
	null        bool
	verbose     bool
	unset       []string
	directory   string
	environment []string
	actions     map[int]string // of the signals that options speak of
	list        bool
}

// What env does with a signal, in the words of its list.
const (
	envDefault = "DEFAULT"
	envIgnore  = "IGNORE"
	envBlock   = "BLOCK"
)

const (
	envKeyDefault = 256 + iota
	envKeyIgnore
	envKeyBlock
	envKeyList
)

func envRun(c *call) error {
	e := &envCommand{call: c}
	operands, err := e.options()
	if err != nil {
		return err
	}
	if len(operands) > 0 && operands[0] == "-" {
		e.empty, operands = true, operands[1:]
	}
	if err := e.prepare(); err != nil {
		return err
	}
	for len(operands) > 0 && strings.Contains(operands[0], "=") {
		e.set(operands[0])
		operands = operands[1:]
	}
	if len(operands) == 0 {
		return e.print()
	}
	if e.null {
		return c.usageErrorf("cannot specify --null (-0) with command")
	}
	if e.directory != "" {
		e.say("chdir:    %s", quote(e.directory))
		info, err := c.View().Stat(c.ctx, e.directory)
		if err == nil && !info.IsDir() {
			err = vfs.ENOTDIR
		}
		if err == nil {
			err = c.View().Access(c.ctx, e.directory, vfs.AccessExecute)
		}
		if err != nil {
			return c.fatalf("cannot change directory to %s: %s", quoteName(e.directory), vfs.Words(err))
		}
	}
	e.say("executing: %s", operands[0])
	for i, a := range operands {
		e.say("   arg[%d]= %s", i, quote(a))
	}
	request := &command.Exec{Arguments: operands, Environment: e.environment}
	if e.directory != "" {
		request.Directory = c.View().Abs(e.directory)
	}
	if err := e.applySignals(request); err != nil {
		return err
	}
	status, err := c.runProgram(c.ctx, request, func(cause string) {
		c.warnf("%s: %s", quote(operands[0]), cause)
		if strings.Contains(operands[0], " ") {
			c.warnf("use -[v]S to pass options in shebang lines")
		}
	})
	return endWith(status, err)
}

// say is -v's line on stderr.
func (e *envCommand) say(format string, args ...any) {
	if e.verbose {
		e.out.Flush()
		io.WriteString(e.Stderr, fmt.Sprintf(format, args...)+"\n")
	}
}

// options parses them; the words of -S take the place of that option.
func (e *envCommand) options() ([]string, error) {
	for splits := 0; ; splits++ {
		split := false
		e.empty, e.null, e.verbose, e.unset, e.directory = false, false, false, nil, ""
		operands, err := e.parse(func(p *getopt.Parser) error {
			switch p.Key {
			case 'i':
				e.empty = true
			case '0':
				e.null = true
			case 'u':
				e.unset = append(e.unset, p.Value)
			case 'v':
				e.verbose = true
			case 'C':
				e.directory = p.Value
			case envKeyDefault:
				return e.signals(p.Value, envDefault)
			case envKeyIgnore:
				return e.signals(p.Value, envIgnore)
			case envKeyBlock:
				return e.signals(p.Value, envBlock)
			case envKeyList:
				e.list = true
			case 'S':
				words, err := e.split(p.Value)
				if err != nil {
					return err
				}
				if splits > 1000 {
					return e.fatalf("too many -S options")
				}
				e.Arguments = append(append(slices.Clone(p.Before()), words...), p.Rest()...)
				split = true
				return errDone
			}
			return nil
		})
		if split {
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(operands) == 0 && e.directory != "" {
			return nil, e.usageErrorf("must specify command with --chdir (-C)")
		}
		return operands, nil
	}
}

// signals notes what is to become of the signals of a list, of all for none.
func (e *envCommand) signals(list, action string) error {
	if e.actions == nil {
		e.actions = map[int]string{}
	}
	if list == "" {
		for n := 1; n <= 64; n++ {
			if n != sigKill && n != sigStop && (n < 32 || n > 33) {
				e.actions[n] = action
			}
		}
		return nil
	}
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		n, ok := signalNumber(name)
		if !ok || n == 0 {
			return e.usageErrorf("%s: invalid signal", quote(name))
		}
		e.actions[n] = action
	}
	return nil
}

const (
	sigKill = 9
	sigStop = 19
)

// applySignals adds the signals to a request, and lists them for
// --list-signal-handling.
func (e *envCommand) applySignals(request *command.Exec) error {
	for _, n := range slices.Sorted(maps.Keys(e.actions)) {
		action := e.actions[n]
		if (n == sigKill || n == sigStop) && action != envBlock {
			return e.fatalf("failed to set signal action for signal %d: %s", n, vfs.Words(vfs.EINVAL))
		}
		if action == envDefault {
			request.DefaultSignals = append(request.DefaultSignals, n)
			continue
		}
		// What is blocked never arrives either.
		request.IgnoreSignals = append(request.IgnoreSignals, n)
		if e.list {
			writeFormatted(e.Stderr, "%-10s (%2d): %s\n", signalShown(n), n, action)
		}
	}
	return nil
}

func signalShown(n int) string {
	if n < len(signals) {
		return signals[n]
	}
	switch {
	case n == 34:
		return "RTMIN"
	case n == 64:
		return "RTMAX"
	case n < 50:
		return fmt.Sprintf("RTMIN+%d", n-34)
	}
	return fmt.Sprintf("RTMAX-%d", 64-n)
}

// prepare makes the environment that operands are added to.
func (e *envCommand) prepare() error {
	if e.empty {
		e.say("cleaning environ")
		e.environment = []string{}
	} else {
		e.environment = slices.Clone(e.Environment)
	}
	for _, name := range e.unset {
		if name == "" || strings.Contains(name, "=") {
			return e.fatalf("cannot unset %s: %s", quote(name), vfs.Words(vfs.EINVAL))
		}
		if e.empty {
			continue
		}
		e.say("unset:    %s", name)
		e.environment = slices.DeleteFunc(e.environment, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	}
	return nil
}

func (e *envCommand) set(entry string) {
	e.say("setenv:   %s", entry)
	name, _, _ := strings.Cut(entry, "=")
	for i, old := range e.environment {
		if strings.HasPrefix(old, name+"=") {
			e.environment[i] = entry
			return
		}
	}
	e.environment = append(e.environment, entry)
}

func (e *envCommand) print() error {
	end := "\n"
	if e.null {
		end = "\x00"
	}
	for _, entry := range e.environment {
		e.out.WriteString(entry + end)
	}
	return nil
}

// split takes the words of -S apart.
func (e *envCommand) split(s string) ([]string, error) {
	text := s
	var words []string
	var word strings.Builder
	started := false
	finish := func() {
		if started {
			words = append(words, word.String())
		}
		word.Reset()
		started = false
	}
	inSingle, inDouble := false, false
scan:
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\'' && !inDouble:
			inSingle, started = !inSingle, true
			continue
		case c == '"' && !inSingle:
			inDouble, started = !inDouble, true
			continue
		case strings.IndexByte(" \t\n\v\f\r", c) >= 0 && !inSingle && !inDouble:
			finish()
			continue
		case c == '#' && !started && !inSingle && !inDouble:
			break scan
		case c == '\\':
			if inSingle && (i+1 >= len(s) || s[i+1] != '\\' && s[i+1] != '\'') {
				break
			}
			if i++; i == len(s) {
				return nil, e.fatalf("invalid backslash at end of string in -S")
			}
			switch c = s[i]; {
			case strings.IndexByte("\"#$'\\", c) >= 0:
			case c == '_' && !inDouble:
				finish()
				continue
			case c == '_':
				c = ' '
			case c == 'c' && inDouble:
				return nil, e.fatalf("'\\c' must not appear in double-quoted -S string")
			case c == 'c':
				break scan
			case strings.IndexByte("fnrtv", c) >= 0:
				c = "\f\n\r\t\v"[strings.IndexByte("fnrtv", c)]
			default:
				return nil, e.fatalf("invalid sequence '\\%c' in -S", c)
			}
		case c == '$' && !inSingle:
			name, ok := envVariable(s[i:])
			if !ok {
				return nil, e.fatalf("only ${VARNAME} expansion is supported, error at: %s", s[i:])
			}
			value, set := e.Getenv(name)
			if set {
				word.WriteString(value)
				started = true
			}
			i += len(name) + 2
			continue
		}
		word.WriteByte(c)
		started = true
	}
	if inSingle || inDouble {
		return nil, e.fatalf("no terminating quote in -S string")
	}
	finish()
	e.say("split -S:  %s", quote(text))
	for i, w := range words {
		if i == 0 {
			e.say(" into:    %s", quote(w))
		} else {
			e.say("     &    %s", quote(w))
		}
	}
	return words, nil
}

// envVariable is the name in ${name}.
func envVariable(s string) (string, bool) {
	if !strings.HasPrefix(s, "${") {
		return "", false
	}
	end := strings.IndexByte(s, '}')
	if end < 3 {
		return "", false
	}
	name := s[2:end]
	for i := range len(name) {
		if c := name[i]; c != '_' && !versionAlpha(c) && (i == 0 || !versionDigit(c)) {
			return "", false
		}
	}
	return name, true
}

func envProgram(string) *program {
	return &program{
		trouble: 125,
		usage: `env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARGUMENT]...]
Set the variables and run COMMAND, or print the environment.

  -i, --ignore-environment  start with an empty environment; "-" too
  -0, --null               lines end in NUL
  -u, --unset=NAME         remove a variable
  -C, --chdir=DIR          run COMMAND in DIR
  -S, --split-string=S     the words of S as arguments
      --block-signal[=SIG], --default-signal[=SIG], --ignore-signal[=SIG],
      --list-signal-handling  what becomes of signals, and a list of it
  -v, --debug              tell what is done`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'i', Long: "ignore-environment"}, {Key: '0', Long: "null"}, {Key: 'u', Long: "unset", Argument: getopt.Required},
			{Key: 'C', Long: "chdir", Argument: getopt.Required}, {Key: envKeyDefault, Long: "default-signal", Argument: getopt.Optional},
			{Key: envKeyIgnore, Long: "ignore-signal", Argument: getopt.Optional}, {Key: envKeyBlock, Long: "block-signal", Argument: getopt.Optional},
			{Key: envKeyList, Long: "list-signal-handling"}, {Key: 'v', Long: "debug"}, {Key: 'S', Long: "split-string", Argument: getopt.Required},
		}},
		run: envRun,
	}
}
