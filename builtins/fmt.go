package builtins

import (
	"bufio"
	"io"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// fmtCommand is one run of fmt. Lines are filled by the least sum of costs, as
// GNU's fmt computes them.
type fmtCommand struct {
	*call
	crown, tagged, split, uniform bool
	prefix                        string
	prefixFull, prefixLead        int // length with the blanks after it; blanks before it
	width, goal                   int

	in           *bufio.Reader
	next         int  // first character of the next paragraph, -1 at the end
	tabs         bool // the input has tabs, so may the output
	inColumn     int
	outColumn    int
	nextIndent   int // of the prefix of the line at hand
	prefixIndent int
	firstIndent  int
	otherIndent  int
	lastLength   int // of the last line that has been written
	words        []fmtWord
	text         []byte
}

// fmtWord is a word of a paragraph; the last of words is the one being read.
type fmtWord struct {
	start, length, space        int
	paren, period, punct, final bool
	line, cost                  int
	next                        int // the word that starts the next line
}

const (
	fmtMostWords = 1000
	fmtMostText  = 5000
)

func fmtRun(c *call) error {
	f := &fmtCommand{call: c, width: 75}
	width, goal := "", ""
	if len(c.Arguments) > 0 {
		if first := c.Arguments[0]; len(first) > 1 && first[0] == '-' && versionDigit(first[1]) {
			width = first[1:]
			c.Arguments = c.Arguments[1:]
		}
	}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c':
			f.crown = true
		case 's':
			f.split = true
		case 't':
			f.tagged = true
		case 'u':
			f.uniform = true
		case 'w':
			width = p.Value
		case 'g':
			goal = p.Value
		case 'p':
			f.setPrefix(p.Value)
		default:
			c.warnf("invalid option -- %c; -WIDTH is recognized only when it is the first\noption; use -w N instead", p.Key)
			c.status = 1
			return c.tryHelp()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if width != "" {
		n, err := c.number(width, 0, fmtMostText/2, "", "invalid width")
		if err != nil {
			return err
		}
		f.width = int(n)
	}
	f.goal = f.width * (2*(100-7) + 1) / 200
	if goal != "" {
		n, err := c.number(goal, 0, uint64(f.width), "", "invalid width")
		if err != nil {
			return err
		}
		if f.goal = int(n); width == "" {
			f.width = f.goal + 10
		}
	}
	if len(operands) == 0 {
		operands = []string{"-"}
	}
	for _, name := range operands {
		r, done, err := c.open(name)
		if err != nil {
			c.errorf("cannot open %s for reading: %s", quoteName(name), vfs.Words(err))
			continue
		}
		err = f.input(r)
		done()
		if err != nil {
			if c.ends(err) {
				return err
			}
			c.noteClosed(name, err)
			c.errorf("read error")
		}
	}
	return nil
}

func (f *fmtCommand) setPrefix(p string) {
	text := strings.TrimLeft(p, " ")
	f.prefixLead = len(p) - len(text)
	f.prefixFull = len(text)
	f.prefix = strings.TrimRight(text, " ")
}

// fmtFailure carries a read error out of the depths of a paragraph.
type fmtFailure struct{ err error }

func (f *fmtCommand) input(r io.Reader) (err error) {
	defer func() {
		if e := recover(); e != nil {
			failure, ok := e.(fmtFailure)
			if !ok {
				panic(e)
			}
			err = failure.err
		}
	}()
	f.in = bufio.NewReaderSize(r, lines.BlockSize)
	f.tabs, f.otherIndent = false, 0
	f.next = f.readPrefix()
	for f.readParagraph() {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		f.fill()
		f.writeParagraph(len(f.words) - 1)
	}
	return nil
}

func (f *fmtCommand) char() int {
	c, err := f.in.ReadByte()
	if err == io.EOF {
		return -1
	}
	if err != nil {
		panic(fmtFailure{err})
	}
	return int(c)
}

// skipSpace goes on over blanks from c and returns what follows.
func (f *fmtCommand) skipSpace(c int) int {
	for ; ; c = f.char() {
		switch c {
		case ' ':
			f.inColumn++
		case '\t':
			f.tabs = true
			f.inColumn = (f.inColumn/8 + 1) * 8
		default:
			return c
		}
	}
}

// readPrefix reads a line's blanks and prefix, and returns what follows.
func (f *fmtCommand) readPrefix() int {
	f.inColumn = 0
	c := f.skipSpace(f.char())
	if f.prefix == "" {
		f.nextIndent = min(f.prefixLead, f.inColumn)
		return c
	}
	f.nextIndent = f.inColumn
	for i := 0; i < len(f.prefix); i++ {
		if c != int(f.prefix[i]) {
			return c
		}
		f.inColumn++
		c = f.char()
	}
	return f.skipSpace(c)
}

// sameParagraph reports that the line at hand, c after its prefix, goes on.
func (f *fmtCommand) sameParagraph(c int) bool {
	return f.nextIndent == f.prefixIndent && f.inColumn >= f.nextIndent+f.prefixFull && c != '\n' && c >= 0
}

// copyRest passes on a line that belongs to no paragraph.
func (f *fmtCommand) copyRest(c int) int {
	f.outColumn = 0
	if f.inColumn > f.nextIndent || c != '\n' && c >= 0 {
		f.space(f.nextIndent)
		for i := 0; f.outColumn != f.inColumn && i < len(f.prefix); i++ {
			f.out.WriteByte(f.prefix[i])
			f.outColumn++
		}
		if c >= 0 && c != '\n' {
			f.space(f.inColumn - f.outColumn)
		}
		if c < 0 && f.inColumn >= f.nextIndent+len(f.prefix) {
			f.out.WriteByte('\n')
		}
	}
	for ; c != '\n' && c >= 0; c = f.char() {
		f.out.WriteByte(byte(c))
	}
	return c
}

func (f *fmtCommand) readParagraph() bool {
	f.lastLength = 0
	c := f.next
	for c == '\n' || c < 0 || f.nextIndent < f.prefixLead || f.inColumn < f.nextIndent+f.prefixFull {
		c = f.copyRest(c)
		if c < 0 {
			f.next = -1
			return false
		}
		f.out.WriteByte('\n')
		c = f.readPrefix()
	}
	f.prefixIndent, f.firstIndent = f.nextIndent, f.inColumn
	f.text = f.text[:0]
	f.words = append(f.words[:0], fmtWord{})
	c = f.readLine(c)
	f.setOtherIndent(f.sameParagraph(c))
	switch {
	case f.split:
	case f.crown:
		if f.sameParagraph(c) {
			for c = f.readLine(c); f.sameParagraph(c) && f.inColumn == f.otherIndent; {
				c = f.readLine(c)
			}
		}
	case f.tagged:
		if f.sameParagraph(c) && f.inColumn != f.firstIndent {
			for c = f.readLine(c); f.sameParagraph(c) && f.inColumn == f.otherIndent; {
				c = f.readLine(c)
			}
		}
	default:
		for f.sameParagraph(c) && f.inColumn == f.otherIndent {
			c = f.readLine(c)
		}
	}
	if n := len(f.words); n > 1 {
		f.words[n-2].period, f.words[n-2].final = true, true
	}
	f.next = c
	return true
}

func (f *fmtCommand) setOtherIndent(same bool) {
	switch {
	case f.split:
		f.otherIndent = f.firstIndent
	case f.crown:
		f.otherIndent = f.firstIndent
		if same {
			f.otherIndent = f.inColumn
		}
	case f.tagged:
		if same && f.inColumn != f.firstIndent {
			f.otherIndent = f.inColumn
		} else if f.otherIndent == f.firstIndent {
			f.otherIndent = 0
			if f.firstIndent == 0 {
				f.otherIndent = 3
			}
		}
	default:
		f.otherIndent = f.firstIndent
	}
}

// readLine adds the words of a line that starts with c, and returns what stands
// after the prefix of the next one.
func (f *fmtCommand) readLine(c int) int {
	for {
		f.words[len(f.words)-1] = fmtWord{start: len(f.text)}
		for {
			if len(f.text) == fmtMostText {
				f.setOtherIndent(true)
				f.flush()
			}
			f.text = append(f.text, byte(c))
			c = f.char()
			if c < 0 || c == ' ' || c >= '\t' && c <= '\r' {
				break
			}
		}
		w := &f.words[len(f.words)-1]
		w.length = len(f.text) - w.start
		f.inColumn += w.length
		w.look(f.text[w.start:])
		start := f.inColumn
		c = f.skipSpace(c)
		w.space = f.inColumn - start
		w.final = c < 0 || w.period && (c == '\n' || w.space > 1)
		if c == '\n' || c < 0 || f.uniform {
			w.space = 1
			if w.final {
				w.space = 2
			}
		}
		if len(f.words)-1 == fmtMostWords-2 {
			f.setOtherIndent(true)
			f.flush()
		}
		f.words = append(f.words, fmtWord{start: len(f.text)})
		if c == '\n' || c < 0 {
			return f.readPrefix()
		}
	}
}

// look notes the punctuation that breaks depend on.
func (w *fmtWord) look(text []byte) {
	last := text[len(text)-1]
	w.paren = strings.IndexByte("(['`\"", text[0]) >= 0
	w.punct = trIsClass("punct", last)
	for len(text) > 1 && strings.IndexByte(")]'\"", text[len(text)-1]) >= 0 {
		text = text[:len(text)-1]
	}
	w.period = strings.IndexByte(".?!", text[len(text)-1]) >= 0
}

// flush writes the first part of a paragraph that is too long to be held.
func (f *fmtCommand) flush() {
	last := len(f.words) - 1
	if last == 0 {
		// One word: pass it on.
		f.out.Write(f.text)
		f.text = f.text[:0]
		f.words[0].start = 0
		return
	}
	f.fill()
	split, best := last, fmtMostCost
	for w := f.words[0].next; w != last; w = f.words[w].next {
		if cost := f.words[w].cost - f.words[f.words[w].next].cost; cost < best {
			split, best = w, cost
		}
		if best <= fmtMostCost-9 {
			best += 9
		}
	}
	f.writeParagraph(split)
	shift := f.words[split].start
	f.text = f.text[:copy(f.text, f.text[shift:])]
	f.words = f.words[:copy(f.words, f.words[split:])]
	for i := range f.words {
		f.words[i].start -= shift
	}
}

// fmtMostCost is greater than the cost of any line.
const fmtMostCost = 1<<63 - 1

func fmtSquare(n int) int { return n * n }

// fill finds the breaks of least cost, from the last word to the first.
func (f *fmtCommand) fill() {
	w := f.words
	last := len(w) - 1
	w[last].cost = 0
	saved := w[last].length
	w[last].length = f.width
	for start := last - 1; start >= 0; start-- {
		best := fmtMostCost
		length := f.otherIndent
		if start == 0 {
			length = f.firstIndent
		}
		length += w[start].length
		for at := start + 1; ; at++ {
			cost := f.lineCost(at, length) + w[at].cost
			if start == 0 && f.lastLength > 0 {
				cost += fmtSquare((length-f.lastLength)*10) / 2
			}
			if cost < best {
				best = cost
				w[start].next, w[start].line = at, length
			}
			if at == last {
				break
			}
			if length += w[at-1].space + w[at].length; length >= f.width {
				break
			}
		}
		w[start].cost = best + f.wordCost(start)
	}
	w[last].length = saved
}

// wordCost is the cost of a line that starts with word i.
func (f *fmtCommand) wordCost(i int) int {
	w := f.words
	cost := fmtSquare(70)
	if i > 0 {
		switch before := &w[i-1]; {
		case before.period && before.final:
			cost -= fmtSquare(50)
		case before.period:
			cost += fmtSquare(600)
		case before.punct:
			cost -= fmtSquare(40)
		case i > 1 && w[i-2].final:
			cost += fmtSquare(200) / (before.length + 2)
		}
	}
	if w[i].paren {
		cost -= fmtSquare(40)
	} else if w[i].final {
		cost += fmtSquare(150) / (w[i].length + 2)
	}
	return cost
}

// lineCost is the cost of a line of that length before word next.
func (f *fmtCommand) lineCost(next, length int) int {
	last := len(f.words) - 1
	if next == last {
		return 0
	}
	cost := fmtSquare((f.goal - length) * 10)
	if f.words[next].next != last {
		cost += fmtSquare((length-f.words[next].line)*10) / 2
	}
	return cost
}

// writeParagraph writes the lines before word finish.
func (f *fmtCommand) writeParagraph(finish int) {
	f.writeLine(0, f.firstIndent)
	for w := f.words[0].next; w != finish; w = f.words[w].next {
		f.writeLine(w, f.otherIndent)
	}
}

func (f *fmtCommand) writeLine(i, indent int) {
	f.outColumn = 0
	f.space(f.prefixIndent)
	f.out.WriteString(f.prefix)
	f.outColumn += len(f.prefix)
	f.space(indent - f.outColumn)
	end := f.words[i].next
	for ; i < end; i++ {
		w := &f.words[i]
		f.out.Write(f.text[w.start : w.start+w.length])
		f.outColumn += w.length
		if i < end-1 {
			f.space(w.space)
		}
	}
	f.lastLength = f.outColumn
	if err := f.out.WriteByte('\n'); err != nil {
		panic(fmtFailure{f.writeError(err)})
	}
}

// space writes blanks, as tabs where the input has some.
func (f *fmtCommand) space(n int) {
	target := f.outColumn + n
	if f.tabs {
		if tab := target / 8 * 8; f.outColumn+1 < tab {
			for f.outColumn < tab {
				f.out.WriteByte('\t')
				f.outColumn = (f.outColumn/8 + 1) * 8
			}
		}
	}
	for ; f.outColumn < target; f.outColumn++ {
		f.out.WriteByte(' ')
	}
}

func fmtProgram(string) *program {
	return &program{
		stdinClosed: "closing standard input",
		usage: `fmt [-WIDTH] [OPTION]... [FILE]...
Print the paragraphs of the files, or of standard input, in lines of about equal
width.

  -c, --crown-margin       keep the indents of the first two lines
  -g, --goal=WIDTH         the width to aim at (93 % of the greatest)
  -p, --prefix=STRING      fill only lines that start with STRING, which stays
  -s, --split-only         break long lines, do not fill
  -t, --tagged-paragraph   the first line's indent differs from the others'
  -u, --uniform-spacing    one space between words, two after sentences
  -w, --width=WIDTH        the greatest width (75)`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'c', Long: "crown-margin"}, {Key: 'p', Long: "prefix", Argument: getopt.Required}, {Key: 's', Long: "split-only"},
			{Key: 't', Long: "tagged-paragraph"}, {Key: 'u', Long: "uniform-spacing"}, {Key: 'w', Long: "width", Argument: getopt.Required},
			{Key: 'g', Long: "goal", Argument: getopt.Required},
			{Key: '0'}, {Key: '1'}, {Key: '2'}, {Key: '3'}, {Key: '4'}, {Key: '5'}, {Key: '6'}, {Key: '7'}, {Key: '8'}, {Key: '9'},
		}},
		run: fmtRun,
	}
}
