package interp

import (
	"os"
	"strings"
	"time"

	"github.com/vsh-project/vsh/internal/printf"
	"github.com/vsh-project/vsh/internal/quote"
	"github.com/vsh-project/vsh/internal/strftime"
)

// echo and printf.

func init() { builtinTables = append(builtinTables, outputBuiltins) }

func outputBuiltins() []builtin {
	return []builtin{
		{name: "echo", run: builtinEcho, usage: "echo [-neE] [arg ...]"},
		{name: "printf", run: builtinPrintf, usage: "printf [-v var] format [arguments]"},
	}
}

func builtinEcho(p *proc, args []string) int {
	escapes, newline := p.shopts.has(shoptXpgEcho), true
	if p.asProgram && len(args) == 1 && (args[0] == "--help" || args[0] == "--version") {
		if args[0] == "--version" {
			p.write("echo (GNU coreutils) 9.1\nAnswered by vsh 0.1 under the MIT licence.\n")
		} else {
			p.write("Usage: echo [-neE] [STRING]...\nWrite the STRINGs, separated by blanks, and a newline.\n" +
				"  -n  no newline at the end\n  -e  interpret backslash escapes\n  -E  do not (the default)\n")
		}
		return 0
	}
	if !escapes || !p.options.has(optPosix) {
		for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
			for _, c := range args[0][1:] {
				switch c {
				case 'n':
					newline = false
				case 'e':
					escapes = true
				case 'E':
					escapes = false
				}
			}
			args = args[1:]
		}
	}
	for i, a := range args {
		if i > 0 {
			p.write(" ")
		}
		if !escapes || strings.IndexByte(a, '\\') < 0 {
			p.write(a)
		} else if text, end := echoEscapes(a, p.asProgram); end {
			p.write(text)
			return 0
		} else {
			p.write(text)
		}
		if p.stopped() {
			return p.status
		}
	}
	if newline {
		p.write("\n")
	}
	return 0
}

// echoEscapes resolves the escapes of echo -e; end reports \c. The program
// takes \NNN for octal, the builtin \0NNN only.
func echoEscapes(s string, program bool) (text string, end bool) {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.WriteString(s)
			return b.String(), false
		}
		b.WriteString(s[:i])
		s = s[i+1:]
		switch c := s[0]; {
		case c == '"' || c == '\'' || c == '?' || c >= '1' && c <= '7' && !program:
			b.WriteByte('\\')
			b.WriteByte(c)
			s = s[1:]
		case program && (c == 'u' || c == 'U'):
			b.WriteByte('\\')
		default:
			n, end, _ := printf.Escape(&b, s, printf.Escapes{})
			if end {
				return b.String(), true
			}
			s = s[n:]
		}
	}
}

func builtinPrintf(p *proc, args []string) int {
	variable, assigns := "", false
	if !p.asProgram {
		o := p.shortOptions("printf", "v:", args)
		for o.next() {
			variable, assigns = o.value, true
		}
		if o.status != 0 {
			return o.status
		}
		args = o.args
		if _, _, _, ok := splitReference(variable); assigns && !ok {
			p.errorf("printf: `%s': not a valid identifier", variable)
			return 2
		}
		if len(args) == 0 {
			return p.usageOf("printf")
		}
	} else {
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		if len(args) == 0 {
			p.writeError("printf: missing operand\nTry 'printf --help' for more information.\n")
			return 1
		}
	}
	out := &printfOutput{p: p, captures: assigns}
	config := &printf.Config{
		GNU: p.asProgram, Out: out, Quote: quote.Backslash, Now: p.session.config.Now, Started: p.session.started,
		Error: func(message string) {
			if p.asProgram {
				p.flushOut()
				p.writeError("printf: " + message + "\n")
			} else {
				p.errorf("printf: %s", message)
			}
		},
		Poll: func() error {
			if p.stopped() || p.outError != nil {
				return os.ErrClosed
			}
			return nil
		},
		Assign: func(name, value string) error {
			if !p.assignWord("printf", name, value) {
				return os.ErrInvalid
			}
			return nil
		},
	}
	config.Strftime = p.formatTime
	status, err := printf.Run(config, args[0], args[1:])
	if err != nil {
		if p.flow != flowNone {
			return p.status
		}
		return 1
	}
	value, _, _ := strings.Cut(string(out.captured), "\x00") // where a C string ends
	if assigns && !p.assignWord("printf", variable, value) {
		return 1
	}
	return status
}

// printfOutput is where printf's text goes: a variable's value, or out.
type printfOutput struct {
	p        *proc
	captures bool
	captured []byte
}

func (o *printfOutput) Write(b []byte) (int, error) {
	if !o.captures {
		o.p.write(string(b))
		return len(b), nil
	}
	if !o.p.gather(len(b)) {
		return 0, os.ErrClosed
	}
	o.captured = append(o.captured, b...)
	return len(b), nil
}

// formatTime is strftime in the script's time zone.
func (p *proc) formatTime(format string, t time.Time) string {
	zone, _ := p.get("TZ")
	return strftime.Format(format, t.In(strftime.Zone(zone)), false)
}
