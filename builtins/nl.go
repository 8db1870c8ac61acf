package builtins

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/regex"
)

// nlCommand is one run of nl.
type nlCommand struct {
	*call
	styles    [3]nlStyle // of body, header, footer
	current   *nlStyle
	delimiter string // starts a logical page's section
	start     int64
	step      int64
	restart   bool
	join      int64 // empty lines that count as one
	blank     int64
	separator string
	width     int
	format    string
	number    int64
	overflow  bool
	row       []byte
}

// nlStyle says which lines are numbered: 'a' all, 't' those with text, 'n' none,
// 'p' those that match.
type nlStyle struct {
	kind  byte
	match *regex.Matcher
}

const (
	nlBody = iota
	nlHeader
	nlFooter
)

func nlRun(c *call) error {
	n := &nlCommand{call: c, delimiter: `\:`, start: 1, step: 1, restart: true, join: 1, separator: "\t", width: 6, format: "rn"}
	n.styles = [3]nlStyle{{kind: 't'}, {kind: 'n'}, {kind: 'n'}}
	wrong := false
	operands, err := c.parse(func(p *getopt.Parser) (err error) {
		switch p.Key {
		case 'b', 'f', 'h':
			part := strings.IndexByte("bhf", byte(p.Key))
			ok, err := n.style(part, p.Value)
			if err != nil {
				return err
			}
			if !ok {
				c.errorf("invalid %s numbering style: %s", [...]string{"body", "header", "footer"}[part], quote(p.Value))
				wrong = true
			}
		case 'd':
			if len(p.Value) == 1 {
				n.delimiter = p.Value + n.delimiter[min(1, len(n.delimiter)):]
			} else {
				n.delimiter = p.Value
			}
		case 'i':
			n.step, err = n.integer(p.Value, math.MinInt64, math.MaxInt64, "invalid line number increment")
		case 'l':
			n.join, err = n.integer(p.Value, 1, math.MaxInt64, "invalid line number of blank lines")
		case 'n':
			if n.format = p.Value; p.Value != "ln" && p.Value != "rn" && p.Value != "rz" {
				c.errorf("invalid line numbering format: %s", quote(p.Value))
				wrong = true
			}
		case 'p':
			n.restart = false
		case 's':
			n.separator = p.Value
		case 'v':
			n.start, err = n.integer(p.Value, math.MinInt64, math.MaxInt64, "invalid starting line number")
		case 'w':
			var w int64
			w, err = n.integer(p.Value, 1, math.MaxInt32, "invalid line number field width")
			n.width = int(w)
		}
		return err
	})
	if err != nil {
		return err
	}
	if wrong {
		return c.tryHelp()
	}
	if n.width > 1<<20 {
		return c.fatalf("line number field width is too large: %s", quote(strconv.Itoa(n.width)))
	}
	n.number, n.current = n.start, &n.styles[nlBody]
	return c.eachInput(operands, n.input)
}

// integer is gnulib's xdectoimax.
func (c *call) integer(text string, low, high int64, what string) (int64, error) {
	s := strings.TrimLeft(text, " \t\n\v\f\r")
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	negative := strings.HasPrefix(s, "-")
	if !seqDigits(digits) || negative && strings.HasPrefix(s, "-+") {
		return 0, c.fatalf("%s: %s", what, quote(text))
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(s, "+"), 10, 64)
	cause := ""
	switch {
	case err != nil:
		cause = numberOverflow.words()
	case n < low || n > high:
		cause = ": Numerical result out of range"
		if n > 1<<30 || n < -1<<30 {
			cause = numberOverflow.words()
		}
	}
	if cause != "" {
		return 0, c.fatalf("%s: %s%s", what, quote(text), cause)
	}
	return n, nil
}

func (n *nlCommand) style(part int, text string) (bool, error) {
	switch {
	case text == "a" || text == "t" || text == "n":
		n.styles[part] = nlStyle{kind: text[0]}
	case strings.HasPrefix(text, "p"):
		m, err := regex.Compile(text[1:], regex.Options{Syntax: regex.Basic})
		if err != nil {
			return false, n.fatalf("%s", err)
		}
		n.styles[part] = nlStyle{kind: 'p', match: m}
	case text != "" && strings.IndexByte("atn", text[0]) >= 0:
		n.styles[part] = nlStyle{kind: text[0]}
	default:
		return false, nil
	}
	return true, nil
}

func (n *nlCommand) input(_ string, r io.Reader) error {
	in := lines.NewReader(r, n.Host())
	defer in.Close()
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := n.ctx.Err(); err != nil {
			return err
		}
		text := bytes.TrimSuffix(line, []byte{'\n'})
		n.row = n.row[:0]
		if part, ok := n.section(text); ok {
			n.current = &n.styles[part]
			if n.restart {
				n.number, n.overflow = n.start, false
			}
		} else if err := n.text(text); err != nil {
			return err
		}
		if _, err := n.out.Write(append(n.row, '\n')); err != nil {
			return n.writeError(err)
		}
	}
}

// section recognises the line that starts a part of a logical page.
func (n *nlCommand) section(text []byte) (int, bool) {
	if n.delimiter == "" || len(text)%len(n.delimiter) != 0 {
		return 0, false
	}
	times := len(text) / len(n.delimiter)
	if times < 1 || times > 3 || string(text) != strings.Repeat(n.delimiter, times) {
		return 0, false
	}
	return [...]int{nlFooter, nlBody, nlHeader}[times-1], true
}

func (n *nlCommand) text(text []byte) error {
	numbered := false
	switch n.current.kind {
	case 'a':
		numbered = true
		if n.join > 1 {
			if len(text) == 0 {
				n.blank++
			}
			if numbered = len(text) > 0 || n.blank == n.join; numbered {
				n.blank = 0
			}
		}
	case 't':
		numbered = len(text) > 0
	case 'p':
		match, err := n.current.match.Match(n.ctx, text)
		if err != nil {
			return err
		}
		numbered = match
	}
	if !numbered {
		n.row = append(n.row, strings.Repeat(" ", n.width+len(n.separator))...)
	} else {
		if n.overflow {
			return n.fatalf("line number overflow")
		}
		n.writeNumber()
		next := n.number + n.step
		n.overflow = (next > n.number) != (n.step > 0) && n.step != 0
		n.number = next
	}
	n.row = append(n.row, text...)
	return nil
}

func (n *nlCommand) writeNumber() {
	digits := strconv.FormatInt(n.number, 10)
	fill := max(0, n.width-len(digits))
	switch n.format {
	case "ln":
		n.row = append(append(n.row, digits...), strings.Repeat(" ", fill)...)
	case "rz":
		if n.number < 0 {
			n.row = append(n.row, '-')
			digits = digits[1:]
		}
		n.row = append(append(n.row, strings.Repeat("0", fill)...), digits...)
	default:
		n.row = append(append(n.row, strings.Repeat(" ", fill)...), digits...)
	}
	n.row = append(n.row, n.separator...)
}

func nlProgram(string) *program {
	return &program{
		stdinClosed: "-",
		usage: `nl [OPTION]... [FILE]...
Print the lines of the files, or of standard input, with numbers before them.

  -b, --body-numbering=STYLE      which lines of a body are numbered (t)
  -d, --section-delimiter=CC      starts parts of a page (\:)
  -f, --footer-numbering=STYLE    which lines of a footer (n)
  -h, --header-numbering=STYLE    which lines of a header (n)
  -i, --line-increment=N          the step (1)
  -l, --join-blank-lines=N        N empty lines count as one (1)
  -n, --number-format=FORMAT      ln left, rn right, rz right with zeros (rn)
  -p, --no-renumber               do not start again at each part
  -s, --number-separator=STRING   between number and line (TAB)
  -v, --starting-line-number=N    the first number (1)
  -w, --number-width=N            columns of the number (6)

STYLE is a (all), t (not empty), n (none) or pBRE (those that match BRE). A line
of the delimiter once, twice, three times starts a footer, body, header.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'h', Long: "header-numbering", Argument: getopt.Required}, {Key: 'b', Long: "body-numbering", Argument: getopt.Required},
			{Key: 'f', Long: "footer-numbering", Argument: getopt.Required}, {Key: 'v', Long: "starting-line-number", Argument: getopt.Required},
			{Key: 'i', Long: "line-increment", Argument: getopt.Required}, {Key: 'p', Long: "no-renumber"},
			{Key: 'l', Long: "join-blank-lines", Argument: getopt.Required}, {Key: 's', Long: "number-separator", Argument: getopt.Required},
			{Key: 'w', Long: "number-width", Argument: getopt.Required}, {Key: 'n', Long: "number-format", Argument: getopt.Required},
			{Key: 'd', Long: "section-delimiter", Argument: getopt.Required},
		}},
		run: nlRun,
	}
}
