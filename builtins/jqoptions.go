package builtins

import (
	"fmt"
	"io"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/jq"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// arguments reads the command line. jq takes options among operands, letters
// together only where it knows them all, and no abbreviations.
func (q *jqCommand) arguments() error {
	args := q.Arguments
	done := false
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case !done && arg == "--":
			if !q.hasProgram { // jq 1.6 wants the program before it
				fmt.Fprintf(q.Stderr, "Usage: %s\n", q.call.program.usage)
				return command.ExitError(jqUsage)
			}
			done = true
		case done || !jqOption(arg):
			if err := q.operand(arg); err != nil {
				return err
			}
		case strings.HasPrefix(arg, "-L"):
			folder := arg[2:]
			if folder == "" {
				if len(args) == 0 {
					io.WriteString(q.Stderr, "-L takes a parameter: (e.g. -L /search/path or -L/search/path)\n")
					io.WriteString(q.Stderr, "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at https://stedolan.github.io/jq\n")
					return command.ExitError(jqUsage)
				}
				folder, args = args[0], args[1:]
			}
			q.search, q.searchGiven = append(q.search, folder), true
		case strings.HasPrefix(arg, "--"):
			used, err := q.long(arg[2:], args)
			if err != nil {
				return err
			}
			args = args[used:]
		default:
			if err := q.letters(arg); err != nil {
				return err
			}
		}
	}
	return nil
}

// jqOption tells an option from a program such as -.a.
func jqOption(arg string) bool {
	return len(arg) > 1 && arg[0] == '-' && (arg[1] == '-' || arg[1]|0x20 >= 'a' && arg[1]|0x20 <= 'z')
}

func (q *jqCommand) operand(arg string) error {
	switch {
	case !q.hasProgram:
		q.program, q.hasProgram = arg, true
	case q.operands == jqStrings:
		q.positional = append(q.positional, jq.Text(arg))
	case q.operands == jqJSON:
		v, err := jq.Parse(arg)
		if err != nil {
			return q.usage("invalid JSON text passed to --jsonargs")
		}
		q.positional = append(q.positional, v)
	default:
		q.files = append(q.files, arg)
	}
	return nil
}

func (q *jqCommand) letters(arg string) error {
	if strings.Trim(arg[1:], "srcCMaSRnfjehV") != "" {
		return q.usage("Unknown option %s", arg)
	}
	for _, letter := range arg[1:] {
		switch letter {
		case 's':
			q.slurp = true
		case 'r':
			q.rawOutput = true
		case 'c':
			q.pretty = false
		case 'C':
			q.color = true
		case 'M':
			q.color = false
		case 'a':
			q.ascii = true
		case 'S':
			q.sortKeys = true
		case 'R':
			q.raw = true
		case 'n':
			q.nullInput = true
		case 'f':
			q.fromFile = true
		case 'j':
			q.rawOutput, q.joinOutput = true, true
		case 'e':
			q.exitStatus = true
		case 'h':
			return q.showHelp()
		case 'V':
			return q.showVersion()
		}
	}
	return nil
}

// long takes an option's full name and tells how many arguments it used.
func (q *jqCommand) long(name string, args []string) (used int, err error) {
	switch name {
	case "slurp":
		return 0, q.letters("-s")
	case "raw-output":
		return 0, q.letters("-r")
	case "compact-output":
		return 0, q.letters("-c")
	case "color-output":
		return 0, q.letters("-C")
	case "monochrome-output":
		return 0, q.letters("-M")
	case "ascii-output":
		return 0, q.letters("-a")
	case "sort-keys":
		return 0, q.letters("-S")
	case "raw-input":
		return 0, q.letters("-R")
	case "null-input":
		return 0, q.letters("-n")
	case "from-file":
		return 0, q.letters("-f")
	case "join-output":
		return 0, q.letters("-j")
	case "exit-status":
		return 0, q.letters("-e")
	case "help":
		return 0, q.showHelp()
	case "version":
		return 0, q.showVersion()
	case "unbuffered":
		q.unbuffered = true
	case "seq":
		q.seq = true
	case "stream":
		q.stream = true
	case "stream-errors":
		q.streamErrors = true
	case "tab":
		q.pretty, q.indent = true, "\t"
	case "args":
		q.operands = jqStrings
	case "jsonargs":
		q.operands = jqJSON
	case "indent":
		if len(args) == 0 {
			return 0, q.usage("--indent takes one parameter")
		}
		return 1, q.setIndent(args[0])
	case "arg", "argjson", "slurpfile", "rawfile", "argfile":
		return 2, q.named2(name, args)
	case "debug-dump-disasm", "debug-trace", "debug-trace=all", "run-tests":
		return 0, q.usage("option --%s is not supported", name)
	default:
		return 0, q.usage("Unknown option --%s", name)
	}
	return 0, nil
}

// named2 sets a named argument; the first of a name counts.
func (q *jqCommand) named2(option string, args []string) error {
	if len(args) < 2 {
		hint := "varname filename"
		switch option {
		case "arg":
			hint = "varname value"
		case "argjson":
			hint = "varname text"
		}
		return q.usage("--%s takes two parameters (e.g. --%s %s)", option, option, hint)
	}
	name, text := args[0], args[1]
	for _, g := range q.named {
		if g.Name == name {
			return nil
		}
	}
	var v jq.Value
	var err error
	switch option {
	case "arg":
		v = jq.Text(text)
	case "argjson":
		if v, err = jq.Parse(text); err != nil {
			return q.usage("invalid JSON text passed to --argjson")
		}
	default:
		if v, err = q.fileArgument(option, text); err != nil {
			q.errorf("Bad JSON in --%s %s %s: %s", option, name, text, err)
			return command.ExitError(jqUsage)
		}
	}
	q.named = append(q.named, jq.Global{Name: name, Value: v})
	return nil
}

func (q *jqCommand) fileArgument(option, file string) (jq.Value, error) {
	text, err := q.readAll(file)
	if err != nil {
		return nil, fmt.Errorf("Could not open %s: %s", file, vfs.Words(err))
	}
	if option == "rawfile" {
		return jq.Text(text), nil
	}
	values, err := jq.ParseMany(text)
	if err != nil {
		return nil, err
	}
	if option == "argfile" && len(values) == 1 {
		return values[0], nil
	}
	return jq.NewArray(values), nil
}
