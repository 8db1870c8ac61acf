package builtins

import (
	"io"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
)

// getoptCommand is one run of getopt(1). It parses the options of a script,
// where an error does not end the parsing.
type getoptCommand struct {
	*call
	short       string
	long        []getoptLong
	alternative bool
	name        string
	quiet       bool // no messages
	noOutput    bool
	unquoted    bool
	csh         bool
	order       byte // '+' stops at an operand, '-' keeps operands in place
	silent      bool // a leading : in the short options
	failed      bool
	row         strings.Builder
}

type getoptLong struct {
	name     string
	argument int // colons
}

const (
	statusGetoptParse = 1
	statusGetoptUsage = 2
	statusGetoptTest  = 4
)

func getoptRun(c *call) error {
	g := &getoptCommand{call: c, name: "getopt"}
	_, compatible := c.Getenv("GETOPT_COMPATIBLE")
	args := c.Arguments
	if len(args) == 0 {
		if compatible {
			c.out.WriteString(" --\n")
			return nil
		}
		return c.usageErrorf("missing optstring argument")
	}
	if !strings.HasPrefix(args[0], "-") || compatible {
		g.unquoted = true
		g.short = strings.TrimLeft(args[0], "-+")
		args = args[1:]
	} else {
		given := false
		operands, err := c.parse(func(p *getopt.Parser) error { return g.option(p, &given) })
		if err != nil {
			return err
		}
		if !given {
			if len(operands) == 0 {
				return c.usageErrorf("missing optstring argument")
			}
			g.short, operands = operands[0], operands[1:]
		}
		args = operands
	}
	if _, strict := c.Getenv("POSIXLY_CORRECT"); strict {
		g.order = '+'
	}
	if g.short != "" && (g.short[0] == '+' || g.short[0] == '-') {
		g.order, g.short = g.short[0], g.short[1:]
	}
	g.short, g.silent = strings.CutPrefix(g.short, ":")
	g.parseAll(args)
	if !g.noOutput {
		c.out.WriteString(g.row.String() + "\n")
	}
	if g.failed {
		return command.ExitError(statusGetoptParse)
	}
	return nil
}

func (g *getoptCommand) option(p *getopt.Parser, given *bool) error {
	switch p.Key {
	case 'a':
		g.alternative = true
	case 'o':
		g.short, *given = p.Value, true
	case 'l':
		for _, name := range strings.FieldsFunc(p.Value, func(r rune) bool { return strings.ContainsRune(", \t\n", r) }) {
			bare := strings.TrimSuffix(strings.TrimSuffix(name, ":"), ":")
			if bare == "" {
				return g.usageErrorf("empty long option after -l or --long argument")
			}
			g.long = append(g.long, getoptLong{bare, len(name) - len(bare)})
		}
	case 'n':
		g.name = p.Value
	case 'q':
		g.quiet = true
	case 'Q':
		g.noOutput = true
	case 's':
		switch p.Value {
		case "sh", "bash":
			g.csh = false
		case "csh", "tcsh":
			g.csh = true
		default:
			return g.usageErrorf("unknown shell after -s or --shell argument")
		}
	case 'T':
		return command.ExitError(statusGetoptTest)
	case 'u':
		g.unquoted = true
	case 'h':
		return g.showHelp()
	case 'V':
		return g.showVersion()
	}
	return nil
}

// complain prints a message of the script's own options, under its name.
func (g *getoptCommand) complain(message string) {
	g.failed = true
	if !g.quiet && !g.silent {
		io.WriteString(g.Stderr, g.name+": "+message+"\n")
	}
}

func (g *getoptCommand) put(word string) { g.row.WriteString(" " + word) }

func (g *getoptCommand) putQuoted(word string) { g.put(g.quoted(word)) }

// quoted writes a word so that the shell reads it back.
func (g *getoptCommand) quoted(word string) string {
	if g.unquoted {
		return word
	}
	var b strings.Builder
	b.WriteByte('\'')
	for _, c := range []byte(word) {
		switch {
		case c == '\'':
			b.WriteString(`'\''`)
		case g.csh && c == '\\':
			b.WriteString(`\\`)
		case g.csh && c == '\n':
			b.WriteString(`\n`)
		case g.csh && (c == '!' || c == ' ' || c >= '\t' && c <= '\r'):
			b.WriteString(`'\` + string(c) + `'`)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// parseAll goes through the script's arguments as getopt_long does.
func (g *getoptCommand) parseAll(args []string) {
	var operands []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			operands = append(operands, args...)
			args = nil
		case len(arg) < 2 || arg[0] != '-':
			switch g.order {
			case '-':
				g.putQuoted(arg)
			case '+':
				operands = append(append(operands, arg), args...)
				args = nil
			default:
				operands = append(operands, arg)
			}
		case strings.HasPrefix(arg, "--"):
			args, _ = g.longOption("--", arg[2:], args, true)
		default:
			if g.alternative && (len(arg) > 2 || g.letter(arg[1]) < 0) {
				if rest, ok := g.longOption("-", arg[1:], args, g.letter(arg[1]) < 0); ok {
					args = rest
					continue
				}
			}
			args = g.letters(arg[1:], args)
		}
	}
	g.put("--")
	for _, o := range operands {
		g.putQuoted(o)
	}
}

// longOption takes one long option; ok is false where there is none of the name
// and the letters are to be tried.
func (g *getoptCommand) longOption(dash, text string, args []string, must bool) (rest []string, ok bool) {
	name, value, attached := strings.Cut(text, "=")
	var found *getoptLong
	var candidates []*getoptLong
	for i := range g.long {
		o := &g.long[i]
		if o.name == name {
			found, candidates = o, nil
			break
		}
		if strings.HasPrefix(o.name, name) {
			candidates = append(candidates, o)
		}
	}
	if found == nil && len(candidates) > 1 {
		message := "option '" + dash + text + "' is ambiguous; possibilities:"
		for _, o := range candidates {
			message += " '" + dash + o.name + "'"
		}
		g.complain(message)
		return args, true
	}
	if found == nil && len(candidates) == 1 {
		found = candidates[0]
	}
	switch {
	case found == nil && !must:
		return args, false
	case found == nil:
		g.complain("unrecognized option '" + dash + text + "'")
		return args, true
	case attached && found.argument == 0:
		g.complain("option '" + dash + found.name + "' doesn't allow an argument")
		return args, true
	case !attached && found.argument == 1:
		if len(args) == 0 {
			g.complain("option '" + dash + found.name + "' requires an argument")
			return args, true
		}
		value, args = args[0], args[1:]
	}
	g.put("--" + found.name)
	if found.argument > 0 {
		g.putQuoted(value)
	}
	return args, true
}

// letter is how many colons follow a short option, or -1.
func (g *getoptCommand) letter(c byte) int {
	i := strings.IndexByte(g.short, c)
	if i < 0 || c == ':' || c == ';' {
		return -1
	}
	rest := g.short[i+1:]
	return min(len(rest)-len(strings.TrimLeft(rest, ":")), 2)
}

func (g *getoptCommand) letters(text string, args []string) []string {
	for i := 0; i < len(text); i++ {
		c := text[i]
		colons := g.letter(c)
		if colons < 0 {
			g.complain("invalid option -- '" + string(rune(c)) + "'")
			continue
		}
		if colons == 0 {
			g.put("-" + string(rune(c)))
			continue
		}
		value := text[i+1:]
		if value == "" && colons == 1 {
			if len(args) == 0 {
				g.complain("option requires an argument -- '" + string(rune(c)) + "'")
				return args
			}
			value, args = args[0], args[1:]
		}
		g.put("-" + string(rune(c)))
		g.putQuoted(value)
		return args
	}
	return args
}

func getoptProgram(string) *program {
	return &program{
		output:  outputStyle{closedIsFine: true, status: 3},
		trouble: statusGetoptUsage,
		usage: `getopt SHORT ARGUMENT...
   or: getopt [OPTION]... [--] SHORT ARGUMENT...
   or: getopt [OPTION]... -o SHORT [OPTION]... [--] [ARGUMENT]...
Print the arguments of a script in order: options, "--", operands, quoted for
eval.

  -a, --alternative     long options may have one dash
  -l, --longoptions=NAMES  long options, separated by commas
  -n, --name=NAME       the name in messages
  -o, --options=LETTERS short options; a colon after one: it has an argument, two:
                        it may have one
  -q, --quiet           no messages
  -Q, --quiet-output    no output
  -s, --shell=SHELL     quote for sh, bash, csh or tcsh
  -T, --test            end with status 4
  -u, --unquoted        quote nothing
  -h, --help; -V, --version

The status is 1 for a wrong option of the script, 2 for one of getopt.`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'a', Long: "alternative"}, {Key: 'l', Long: "longoptions", Argument: getopt.Required}, {Key: 'n', Long: "name", Argument: getopt.Required},
			{Key: 'o', Long: "options", Argument: getopt.Required}, {Key: 'q', Long: "quiet"}, {Key: 'Q', Long: "quiet-output"},
			{Key: 's', Long: "shell", Argument: getopt.Required}, {Key: 'T', Long: "test"}, {Key: 'u', Long: "unquoted"}, {Key: 'h'}, {Key: 'V'},
		}},
		run: getoptRun,
	}
}
