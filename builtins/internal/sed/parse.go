package sed

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/regex"
)

const eof = -1

// Parser compiles -e and -f texts into one Script.
type Parser struct {
	Context context.Context
	Options *Options
	// Files opens the files that w writes.
	Files Files

	script  *Script
	text    string
	at      int
	where   func(line, char int) string
	line    int
	count   int // -e expressions so far
	pending *command
	blocks  []block
	first   bool
}

// block is an open brace.
type block struct {
	index int
	where string
}

// parseFault unwinds to Expression or File.
type parseFault struct{ err *Error }

func (p *Parser) fail(format string, args ...any) {
	panic(parseFault{&Error{Text: p.where(p.line, p.at) + ": " + fmt.Sprintf(format, args...), Status: statusUsage}})
}

// Expression compiles the text of one -e.
func (p *Parser) Expression(text string) error {
	p.count++
	number := p.count
	return p.compile(text, func(_, char int) string {
		return fmt.Sprintf("-e expression #%d, char %d", number, char)
	})
}

// File compiles a file's text.
func (p *Parser) File(name, text string) error {
	return p.compile(text, func(line, _ int) string { return fmt.Sprintf("file %s line %d", name, line) })
}

func (p *Parser) compile(text string, where func(line, char int) string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(parseFault)
			if !ok {
				panic(r)
			}
			err = fault.err
		}
	}()
	p.first = p.script == nil
	if p.first {
		p.script = &Script{options: p.Options, labels: map[string]int{}, outputs: map[string]*output{}, sources: map[string]*lineSource{}}
	}
	p.text, p.at, p.line, p.where = text, 0, 1, where
	p.program()
	return nil
}

// Finish resolves labels and gives the script.
func (p *Parser) Finish() (*Script, error) {
	if p.pending != nil {
		p.endText()
	}
	if len(p.blocks) > 0 {
		return nil, usageError("%s: unmatched `{'", p.blocks[0].where)
	}
	s := p.script
	s.count = p.count
	for i := range s.commands {
		c := &s.commands[i]
		switch c.name {
		case 'b', 't', 'T':
			if c.label == "" {
				c.target = len(s.commands)
				continue
			}
			target, ok := s.labels[c.label]
			if !ok {
				return nil, &Error{Text: "can't find label for jump to `" + c.label + "'", Status: statusPanic}
			}
			c.target = target
		}
	}
	return s, nil
}

func (p *Parser) next() int {
	if p.at >= len(p.text) {
		return eof
	}
	c := p.text[p.at]
	p.at++
	if c == '\n' {
		p.line++
	}
	return int(c)
}

func (p *Parser) back(c int) {
	if c == eof {
		return
	}
	if c == '\n' {
		p.line--
	}
	p.at--
}

func isBlank(c int) bool { return c == ' ' || c == '\t' }
func isSpace(c int) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c int) bool { return c >= '0' && c <= '9' }

func (p *Parser) nonblank() int {
	c := p.next()
	for isBlank(c) {
		c = p.next()
	}
	return c
}

// integer reads a number that starts with c.
func (p *Parser) integer(c int) int64 {
	n := int64(0)
	for isDigit(c) {
		if n < 1<<58 {
			n = n*10 + int64(c-'0')
		}
		c = p.next()
	}
	p.back(c)
	return n
}

func (p *Parser) endOfCommand() {
	c := p.nonblank()
	switch c {
	case '}', '#':
		p.back(c)
	case eof, '\n', ';':
	default:
		p.fail("extra characters after command")
	}
}

const maximumCommands = 1 << 20

func (p *Parser) program() {
	if p.pending != nil {
		p.readText(p.pending, true)
	}
	for {
		c := p.next()
		for c == ';' || isSpace(c) {
			c = p.next()
		}
		if c == eof {
			return
		}
		if len(p.script.commands) >= maximumCommands {
			p.fail("script too long")
		}
		cmd := command{number: -1}
		if p.address(&cmd.first, c) {
			if cmd.first.kind == addressPlus || cmd.first.kind == addressMultiple {
				p.fail("invalid usage of +N or ~N as first address")
			}
			if c = p.nonblank(); c == ',' {
				if !p.address(&cmd.second, p.nonblank()) {
					p.fail("unexpected `,'")
				}
				c = p.nonblank()
			}
			if cmd.first.kind == addressLine && cmd.first.number == 0 && (cmd.second.kind != addressRegex || p.Options.POSIX) &&
				(c != 'r' || cmd.second.kind != addressNone || p.Options.POSIX) {
				p.fail("invalid usage of line address 0")
			}
		}
		if c == '!' {
			cmd.negated = true
			if c = p.nonblank(); c == '!' {
				p.fail("multiple `!'s")
			}
		}
		if c == eof {
			p.fail("missing command")
		}
		cmd.name = byte(c)
		if p.command(&cmd) {
			p.script.commands = append(p.script.commands, cmd)
			if n := len(p.script.commands); p.pending != nil {
				p.pending = &p.script.commands[n-1]
			}
		}
	}
}

// address reads an address that starts with c, if one does.
func (p *Parser) address(a *address, c int) bool {
	switch {
	case c == '/' || c == '\\':
		if c == '\\' {
			c = p.next()
		}
		text, ok := p.delimited(c, true)
		if !ok {
			p.fail("unterminated address regex")
		}
		options := regex.Options{}
		for {
			switch c = p.nonblank(); {
			case c == 'I' && !p.Options.POSIX:
				options.IgnoreCase = true
				continue
			case c == 'M' && !p.Options.POSIX:
				options.Newline = true
				continue
			}
			break
		}
		p.back(c)
		a.kind = addressRegex
		a.matcher = p.regex(text, options)
	case isDigit(c):
		a.kind, a.number = addressLine, p.integer(c)
		if c = p.nonblank(); c != '~' || p.Options.POSIX {
			p.back(c)
			return true
		}
		if a.step = p.integer(p.nonblank()); a.step > 0 {
			a.kind = addressStep
		}
	case (c == '+' || c == '~') && !p.Options.POSIX:
		a.kind = addressPlus
		if c == '~' {
			a.kind = addressMultiple
		}
		a.number = p.integer(p.nonblank())
	case c == '$':
		a.kind = addressLast
	default:
		return false
	}
	return true
}

// delimited reads up to an unescaped delimiter. A delimiter within brackets
// does not count in an expression.
func (p *Parser) delimited(delimiter int, expression bool) (string, bool) {
	if delimiter >= 0x80 {
		p.fail("delimiter character is not a single-byte character")
	}
	var b strings.Builder
	bracket := 0 // 1: just opened, 2: within
	for {
		c := p.next()
		if c == eof || c == '\n' {
			p.back(c)
			return "", false
		}
		if bracket > 0 && c == '\\' && p.at < len(p.text) && (p.text[p.at] != 'n' || p.Options.POSIX) && int(p.text[p.at]) != delimiter {
			bracket = 2 // no escape: a backslash is itself there
			b.WriteByte('\\')
			continue
		}
		if bracket > 0 && c != '\\' {
			switch {
			case c == ']' && bracket > 1:
				bracket = 0
			case c == '^' && bracket == 1 && strings.HasSuffix(b.String(), "["):
			case c == '[' && p.at < len(p.text) && strings.IndexByte(":.=", p.text[p.at]) >= 0:
				if end := strings.Index(p.text[p.at+1:], p.text[p.at:p.at+1]+"]"); end >= 0 && !strings.Contains(p.text[p.at:p.at+1+end], "\n") {
					b.WriteByte('[')
					b.WriteString(p.text[p.at : p.at+1+end+2])
					p.at += 1 + end + 2
					bracket = 2
					continue
				}
				bracket = 2
			default:
				bracket = 2
			}
			b.WriteByte(byte(c))
			continue
		}
		if c == delimiter {
			return b.String(), true
		}
		if c == '\\' {
			c = p.next()
			switch {
			case c == eof:
				return "", false
			case c == delimiter && (expression || c != '&'):
			case c == 'n' && expression:
				c = '\n'
			case c != '\n' || !expression:
				b.WriteByte('\\')
			}
			if bracket > 0 {
				bracket = 2
			}
		} else if c == '[' && expression {
			bracket = 1
		}
		b.WriteByte(byte(c))
	}
}

// regex compiles an expression; an empty one is the last one used.
func (p *Parser) regex(text string, options regex.Options) *matcher {
	if text == "" {
		if options.IgnoreCase || options.Newline {
			p.fail("cannot specify modifiers on empty regexp")
		}
		return nil
	}
	options.Syntax = regex.POSIXBasic
	switch {
	case p.Options.Extended && p.Options.POSIX:
		options.Syntax = regex.SedPOSIXExtended
	case p.Options.Extended:
		options.Syntax = regex.SedExtended
	case p.Options.POSIX:
		options.Syntax = regex.SedPOSIXBasic
	}
	options.Bytes, options.ASCIIRanges = p.Options.Bytes, true
	options.TextAnchors = p.Options.NullData
	text = expandEscapes(text, escapesRegex)
	m, err := regex.Compile(text, options)
	if err != nil {
		if strings.HasPrefix(err.Error(), "character class syntax") {
			panic(parseFault{&Error{Text: err.Error(), Status: statusPanic}})
		}
		p.fail("%s", err)
	}
	return &matcher{regex: m, finder: m.Finder(p.Context), text: text, ignoreCase: options.IgnoreCase, lines: options.Newline}
}

// command reads what follows a command's name; false where it leaves nothing
// to run.
func (p *Parser) command(cmd *command) bool {
	o := p.Options
	if o.POSIX {
		if strings.IndexByte("eFvzLQTRW", cmd.name) >= 0 {
			p.fail("unknown command: `%c'", cmd.name)
		}
		if strings.IndexByte("aiqr=", cmd.name) >= 0 && cmd.second.kind != addressNone {
			p.fail("command only uses one address")
		}
	}
	index := len(p.script.commands)
	switch cmd.name {
	case '#':
		p.comment(cmd)
		return false
	case 'v':
		version := p.readLabel()
		if version != "" && newerThan49(version) {
			p.fail("expected newer version of sed")
		}
		return false
	case '{':
		p.blocks = append(p.blocks, block{index: index, where: p.where(p.line, 0)})
		if len(p.blocks) > 10000 {
			p.fail("too many nested blocks")
		}
	case '}':
		if len(p.blocks) == 0 {
			p.fail("unexpected `}'")
		}
		if cmd.first.kind != addressNone {
			p.fail("} doesn't want any addresses")
		}
		p.endOfCommand()
		last := len(p.blocks) - 1
		p.script.commands[p.blocks[last].index].target = index
		p.blocks = p.blocks[:last]
		return o.Debug // to be shown
	case 'e':
		if o.Sandbox {
			p.fail("e/r/w commands disabled in sandbox mode")
		}
		p.fail("the `e' command is not supported")
	case 'a', 'i', 'c':
		p.textCommand(cmd)
	case ':':
		if cmd.first.kind != addressNone {
			p.fail(": doesn't want any addresses")
		}
		label := p.readLabel()
		if label == "" {
			p.fail("\":\" lacks a label")
		}
		if _, ok := p.script.labels[label]; !ok {
			p.script.labels[label] = index
		}
		cmd.label = label
		return o.Debug
	case 'b', 't', 'T':
		cmd.label = p.readLabel()
	case 'q', 'Q', 'l', 'L':
		if (cmd.name == 'q' || cmd.name == 'Q') && cmd.second.kind != addressNone {
			p.fail("command only uses one address")
		}
		if cmd.name == 'L' {
			p.fail("unknown command: `L'")
		}
		if c := p.nonblank(); isDigit(c) && !o.POSIX {
			cmd.number = p.integer(c)
		} else {
			p.back(c)
		}
		p.endOfCommand()
	case '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
		p.endOfCommand()
	case 'r', 'R', 'w', 'W':
		p.fileCommand(cmd)
	case 's':
		p.substitute(cmd)
	case 'y':
		p.transliterate(cmd)
	default:
		p.fail("unknown command: `%c'", cmd.name)
	}
	return true
}

func (p *Parser) comment(cmd *command) {
	if cmd.first.kind != addressNone {
		p.fail("comments don't accept any addresses")
	}
	c := p.next()
	if c == 'n' && p.first && p.at == 2 {
		// GNU sed 4.9 does not ask that the line ends here.
		p.Options.Quiet = true
	}
	for c != eof && c != '\n' {
		c = p.next()
	}
}

// newerThan49 compares a version with the one whose behaviour this is.
func newerThan49(version string) bool {
	want := [3]int{4, 9, 0}
	for i, part := range strings.SplitN(version, ".", 3) {
		n, err := strconv.Atoi(part)
		if err != nil {
			return true // no version that any sed has
		}
		if n != want[i] {
			return n > want[i]
		}
	}
	return false
}

func (p *Parser) readLabel() string {
	var b strings.Builder
	c := p.nonblank()
	for c != eof && !isSpace(c) && c != ';' && c != '}' {
		b.WriteByte(byte(c))
		c = p.next()
	}
	p.back(c)
	return b.String()
}

func (p *Parser) readFileName() string {
	var b strings.Builder
	c := p.nonblank()
	for c != eof && c != '\n' {
		b.WriteByte(byte(c))
		c = p.next()
	}
	return b.String()
}

func (p *Parser) fileCommand(cmd *command) {
	if p.Options.Sandbox {
		p.fail("e/r/w commands disabled in sandbox mode")
	}
	cmd.fileName = p.readFileName()
	if cmd.fileName == "" {
		p.fail("missing filename in r/R/w/W commands")
	}
	switch cmd.name {
	case 'w', 'W':
		cmd.file = p.output(cmd.fileName)
	case 'R':
		source := p.script.sources[cmd.fileName]
		if source == nil {
			source = &lineSource{name: cmd.fileName}
			p.script.sources[cmd.fileName] = source
		}
		cmd.input = source
	}
}

// output opens a file that w writes, once for all commands that name it.
func (p *Parser) output(name string) *output {
	if o := p.script.outputs[name]; o != nil {
		return o
	}
	w, err := p.Files.Create(name)
	if err != nil {
		panic(parseFault{&Error{Text: fmt.Sprintf("couldn't open file %s: %s", name, p.Files.Words(err)), Status: statusPanic}})
	}
	o := &output{sink: &sink{w: w}, delimiter: '\n'}
	if p.Options.NullData {
		o.delimiter = 0
	}
	p.script.outputs[name] = o
	return o
}

// textCommand reads the text of a, i or c.
func (p *Parser) textCommand(cmd *command) {
	c := p.nonblank()
	if c == eof {
		p.fail("expected \\ after `a', `c' or `i'")
	}
	if c == '\\' {
		switch c = p.next(); {
		case c == eof:
			p.pending = cmd
			return
		case c == '\n':
		default:
			p.back(c)
		}
	} else {
		if p.Options.POSIX {
			p.fail("expected \\ after `a', `c' or `i'")
		}
		p.back(c)
	}
	p.readText(cmd, false)
}

// readText reads lines up to one that does not end in a backslash. Text that
// the end cuts off after a backslash goes on in the next -e.
func (p *Parser) readText(cmd *command, continued bool) {
	start := p.at
	for {
		c := p.next()
		if c == '\\' {
			if p.next() == eof {
				// The next -e goes on with the line that is begun here.
				cmd.text = append(cmd.text, p.text[start:p.at]...)
				cmd.text = append(cmd.text, '\n')
				p.pending = cmd
				return
			}
			continue
		}
		if c == '\n' || c == eof {
			end := p.at
			if c == '\n' {
				end--
			}
			cmd.text = append(cmd.text, p.text[start:end]...)
			cmd.text = append(cmd.text, '\n')
			p.pending = nil
			p.finishText(cmd)
			return
		}
	}
}

func (p *Parser) finishText(cmd *command) {
	cmd.text = []byte(expandEscapes(string(cmd.text), escapesText))
}

// endText ends a text of which no more came.
func (p *Parser) endText() {
	if cmd := p.pending; len(cmd.text) > 0 {
		cmd.text = append(cmd.text[:len(cmd.text)-2], '\n')
		p.finishText(cmd)
	}
	p.pending = nil
}

func (p *Parser) transliterate(cmd *command) {
	delimiter := p.next()
	if delimiter == eof || delimiter == '\n' {
		p.back(delimiter)
		p.fail("unterminated `y' command")
	}
	from, ok := p.delimited(delimiter, false)
	if !ok {
		p.fail("unterminated `y' command")
	}
	to, ok := p.delimited(delimiter, false)
	if !ok {
		p.fail("unterminated `y' command")
	}
	source := characters(expandEscapes(from, escapesText), p.Options.Bytes)
	target := characters(expandEscapes(to, escapesText), p.Options.Bytes)
	if len(source) != len(target) {
		p.fail("strings for `y' command are different lengths")
	}
	p.endOfCommand()
	cmd.mapping = map[rune][]byte{}
	cmd.from, cmd.to = from, to
	table := new([256]byte)
	for i := range table {
		table[i] = byte(i)
	}
	simple := true
	for i, s := range source {
		key := characterKey(s)
		if _, ok := cmd.mapping[key]; ok {
			continue
		}
		cmd.mapping[key] = []byte(target[i])
		if len(s) == 1 && len(target[i]) == 1 && (s[0] < 0x80 || p.Options.Bytes) {
			table[s[0]] = target[i][0]
		} else {
			simple = false
		}
	}
	if simple {
		cmd.bytes = table
	}
}
