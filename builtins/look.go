package builtins

import (
	"bytes"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/vfs"
)

// lookCommand is one run of look.
type lookCommand struct {
	*call
	dictionary, fold bool
	prefix           []byte
}

func lookRun(c *call) error {
	l := &lookCommand{call: c}
	file, end := "/usr/share/dict/words", -1
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'a':
			file = "/usr/share/dict/web2"
		case 'd':
			l.dictionary = true
		case 'f':
			l.fold = true
		case 't':
			if end = -1; p.Value != "" {
				end = int(p.Value[0])
			}
		case 'h':
			return c.showHelp()
		case 'V':
			return c.showVersion()
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch len(operands) {
	case 1:
		l.dictionary, l.fold = true, true
	case 2:
		file = operands[1]
	default:
		return c.usageErrorf("bad usage")
	}
	prefix := operands[0]
	if i := strings.IndexByte(prefix, byte(end)); end >= 0 && i >= 0 {
		prefix = prefix[:i+1]
	}
	l.prefix = []byte(prefix)
	if l.dictionary {
		l.prefix = lookLetters(nil, l.prefix, len(prefix))
	}
	f, err := c.View().Open(c.ctx, file, vfs.O_RDONLY, 0)
	if err == nil {
		defer f.Close()
		var info *vfs.Info
		if info, err = f.Stat(); err == nil && info.IsDir() {
			err = vfs.ENODEV
		} else if err == nil && info.Bytes == 0 {
			err = vfs.EINVAL
		}
	}
	if err != nil {
		return c.fatalf("%s: %s", file, vfs.Words(err))
	}
	text, release, err := c.readWhole(f)
	defer release()
	if err != nil {
		if c.ends(err) {
			return err
		}
		return c.fatalf("%s: %s", file, vfs.Words(err))
	}
	return l.search(text)
}

// lookLetters appends at most n letters and digits of line.
func lookLetters(dst, line []byte, n int) []byte {
	for _, b := range line {
		if len(dst) == n {
			break
		}
		if versionAlpha(b) || versionDigit(b) {
			dst = append(dst, b)
		}
	}
	return dst
}

// compare orders the line at the start of text and the prefix.
func (l *lookCommand) compare(text []byte) int {
	line, _, _ := bytes.Cut(text[:min(len(text), 64<<10)], []byte{'\n'})
	if l.dictionary {
		line = lookLetters(nil, line, len(l.prefix))
	}
	line = line[:min(len(line), len(l.prefix))]
	if l.fold {
		return bytes.Compare(bytes.ToLower(line), bytes.ToLower(l.prefix))
	}
	return bytes.Compare(line, l.prefix)
}

// search halves the text as long as there is a line behind its middle, and goes
// on line by line: in a text that is not sorted it finds what look finds.
func (l *lookCommand) search(text []byte) error {
	next := func(from, end int) int {
		if i := bytes.IndexByte(text[from:end], '\n'); i >= 0 {
			return from + i + 1
		}
		return end
	}
	front, back := 0, len(text)
	for {
		middle := next(front+(back-front)/2, back)
		if middle >= back || back <= front {
			break
		}
		if l.compare(text[middle:]) < 0 {
			front = middle
		} else {
			back = middle
		}
	}
	back = len(text)
	found := false
	for front < back {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		order := l.compare(text[front:])
		end := next(front, back)
		if order > 0 || order < 0 && found {
			break
		}
		if order == 0 {
			found = true
			if _, err := l.out.Write(text[front:end]); err != nil {
				return l.writeError(err)
			}
		}
		front = end
	}
	if !found {
		return exitWith(1)
	}
	return nil
}

func lookProgram(string) *program {
	return &program{
		output: outputStyle{closedIsFine: true},
		usage: `look [OPTION]... TEXT [FILE]
Print the lines of FILE, which is sorted, that begin with TEXT. Without FILE it
is /usr/share/dict/words, with -d and -f.

  -a, --alternative  /usr/share/dict/web2
  -d, --alphanum     only letters and digits count
  -f, --ignore-case  case does not count
  -t, --terminate=C  TEXT ends after its first C
  -h, --help; -V, --version

The status is 1 where there is no such line.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'a', Long: "alternative"}, {Key: 'd', Long: "alphanum"}, {Key: 'f', Long: "ignore-case"},
			{Key: 't', Long: "terminate", Argument: getopt.Required}, {Key: 'h'}, {Key: 'V'},
		}},
		run: lookRun,
	}
}
