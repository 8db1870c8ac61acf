package interp

import (
	"fmt"
	"io"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// history and fc. A shell that reads no terminal keeps no history by itself;
// what a script puts in, it can list.

func init() {
	builtinTables = append(builtinTables, func() []builtin {
		return []builtin{
			{name: "history", run: builtinHistory, usage: "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]"},
			{name: "fc", run: builtinFc, usage: "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]"},
		}
	})
}

// history is the list; replaced, never changed in place. saved counts the
// lines that came from a file or are in one.
type history struct {
	lines  []string
	saved  int
	stored bool // the last line came from history -s
}

func (h *history) add(line string) {
	h.lines = append(h.lines[:len(h.lines):len(h.lines)], line)
}

// dropLast takes the last line away.
func (h *history) dropLast() {
	h.lines = h.lines[: len(h.lines)-1 : len(h.lines)-1]
	h.saved = min(h.saved, len(h.lines))
}

func builtinHistory(p *proc, args []string) int {
	var clear, store, expand bool
	var file byte
	files := 0
	remove, removes := "", false
	o := p.shortOptions("history", "acd:npsrw", args)
	for o.next() {
		switch o.letter {
		case 'a', 'n', 'r', 'w':
			file = o.letter
			files++
		case 'c':
			clear = true
		case 'd':
			remove, removes = o.value, true
		case 'p':
			expand = true
		case 's':
			store = true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if files > 1 {
		p.errorf("history: cannot use more than one of -anrw")
		return 1
	}
	if clear {
		p.history = history{}
		if len(args) == 0 && files == 0 && !store {
			return 0
		}
	}
	switch {
	case expand:
		status := 0
		for _, a := range args {
			expanded, ok := expandHistory(p.history.lines, a)
			if !ok {
				p.errorf("history: %s: history expansion failed", a)
				status = 1
				continue
			}
			p.write(expanded + "\n")
		}
		return status
	case store:
		if len(args) == 0 {
			return 0
		}
		line := strings.Join(args, " ")
		if !p.charge(int64(len(line)) + 32) {
			return 1
		}
		p.history.add(line)
		p.history.stored = true
		return 0
	case removes:
		return p.removeHistory(remove)
	case file != 0:
		return p.historyFile(file, args)
	}
	from := 0
	if len(args) > 0 {
		n, ok := legalNumber(args[0])
		switch {
		case !ok:
			p.errorf("history: %s: numeric argument required", args[0])
			return 1
		case len(args) > 1:
			p.errorf("history: too many arguments")
			p.abort(1)
			return 1
		}
		if n < 0 {
			n = -n
		}
		if n < int64(len(p.history.lines)) {
			from = len(p.history.lines) - int(n)
		}
	}
	for i, line := range p.history.lines[from:] {
		p.write(fmt.Sprintf("%5d  %s\n", from+i+1, line))
	}
	return 0
}

// removeHistory is history -d: one line, or first-last; negative numbers count
// from the end.
func (p *proc) removeHistory(what string) int {
	refuse := func() int {
		p.errorf("history: %s: history position out of range", what)
		return 1
	}
	n := len(p.history.lines)
	place := func(s string) (int, bool) {
		v, ok := legalNumber(s)
		if v < 0 {
			v += int64(n) + 1
		}
		return int(v), ok && v >= 1 && v <= int64(n)
	}
	first, last := what, what
	if i := strings.LastIndexByte(what, '-'); i > 0 && what[i-1] != '-' {
		first, last = what[:i], what[i+1:]
	}
	if _, ok := legalNumber(first); !ok {
		p.errorf("history: %s: history position out of range", what)
		return 1
	}
	a, ok := place(first)
	b, ok2 := place(last)
	if !ok || !ok2 {
		return refuse()
	}
	if a > b {
		return 0
	}
	lines := append([]string(nil), p.history.lines[:a-1]...)
	p.history.lines = append(lines, p.history.lines[b:]...)
	p.history.saved = min(p.history.saved, len(p.history.lines))
	return 0
}

// historyFile is -a (append what is new), -n and -r (read) and -w (write).
func (p *proc) historyFile(letter byte, args []string) int {
	name, ok := p.get("HISTFILE")
	if len(args) > 0 {
		name, ok = args[0], true
	}
	if !ok || name == "" {
		return 1
	}
	if letter == 'n' || letter == 'r' {
		f, err := p.open(name, vfs.O_RDONLY)
		if err != nil {
			return 1 // bash says nothing
		}
		defer f.close()
		text, status := p.readSource(f, name)
		if status != 0 || len(text) > p.session.config.MaxSource || !p.charge(int64(len(text))*2) {
			return 1
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		if letter == 'n' {
			lines = lines[min(p.history.saved, len(lines)):]
		}
		if len(text) > 0 {
			p.history.lines = append(p.history.lines[:len(p.history.lines):len(p.history.lines)], lines...)
		}
		p.history.saved = len(p.history.lines)
		return 0
	}
	flag, lines := vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, p.history.lines
	if letter == 'a' {
		flag, lines = vfs.O_WRONLY|vfs.O_CREATE|vfs.O_APPEND, lines[min(p.history.saved, len(lines)):]
		if len(lines) == 0 {
			return 0
		}
	}
	f, err := p.open(name, flag)
	if err != nil {
		return 1
	}
	defer f.close()
	for _, line := range lines {
		if _, err := f.write(p.ctx, []byte(line+"\n")); err != nil {
			if err != io.EOF {
				p.errorf("history: %s: %s", name, words(err))
			}
			return 1
		}
	}
	p.history.saved = len(p.history.lines)
	return 0
}
