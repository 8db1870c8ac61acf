package interp

import (
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// fcOptions is what fc was asked for.
type fcOptions struct {
	list, plain, reverse, again bool
	editor                      string
}

func builtinFc(p *proc, args []string) int {
	var o fcOptions
	// A negative number is an operand, not an option.
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		if a[1] >= '0' && a[1] <= '9' {
			break
		}
		args = args[1:]
		if a == "--" {
			break
		}
		for i := 1; i < len(a); i++ {
			switch a[i] {
			case 'l':
				o.list = true
			case 'n':
				o.plain = true
			case 'r':
				o.reverse = true
			case 's':
				o.again = true
			case 'e':
				value := a[i+1:]
				if value == "" {
					if len(args) == 0 {
						p.errorf("fc: -e: option requires an argument")
						return p.usageOf("fc")
					}
					value, args = args[0], args[1:]
				}
				o.editor = value
				i = len(a)
			default:
				p.errorf("fc: -%c: invalid option", a[i])
				return p.usageOf("fc")
			}
		}
	}
	switch {
	case o.again || o.editor == "-":
		return p.fcAgain(args)
	case len(p.history.lines) == 0:
		return 0
	}
	n := len(p.history.lines)
	first, last := n, n
	if o.list {
		first = max(1, n-15)
	}
	var ok, ok2 = true, true
	if len(args) > 0 {
		first, ok = p.fcPlace(args[0])
		if !o.list {
			last = first
		}
	}
	if len(args) > 1 {
		last, ok2 = p.fcPlace(args[1])
	}
	if !ok || !ok2 {
		p.errorf("fc: no command found")
		return 1
	}
	if first > last {
		first, last, o.reverse = last, first, !o.reverse
	}
	if !o.list {
		return p.fcEdit(first, last, o)
	}
	for i := range last - first + 1 {
		k := first + i
		if o.reverse {
			k = last - i
		}
		number := strconv.Itoa(k)
		if o.plain {
			number = ""
		}
		p.write(number + "\t " + p.history.lines[k-1] + "\n")
	}
	return 0
}

// fcPlace is the line, from 1, that a number or the beginning of one names.
func (p *proc) fcPlace(s string) (int, bool) {
	n := len(p.history.lines)
	if v, err := strconv.Atoi(s); err == nil {
		switch {
		case v < 0:
			return max(1, v+n+1), true
		case v == 0:
			return n, true
		case v > n:
			return 1, true
		}
		return v, true
	}
	for i := n - 1; i >= 0; i-- {
		if strings.HasPrefix(p.history.lines[i], s) {
			return i + 1, true
		}
	}
	return 0, false
}

// fcAgain is fc -s: it runs a line again, changed, and puts that in the place
// of the last one.
func (p *proc) fcAgain(args []string) int {
	var changes [][2]string
	for len(args) > 0 {
		old, text, found := strings.Cut(args[0], "=")
		if !found {
			break
		}
		changes = append(changes, [2]string{old, text})
		args = args[1:]
	}
	at, ok := len(p.history.lines), len(p.history.lines) > 0
	if ok && len(args) > 0 {
		at, ok = p.fcPlace(args[0])
	}
	if !ok {
		p.errorf("fc: no command found")
		return 1
	}
	line := p.history.lines[at-1]
	for _, c := range changes {
		if c[0] != "" {
			line = strings.ReplaceAll(line, c[0], c[1])
		}
		if !p.charge(int64(len(line))) {
			return 1
		}
	}
	p.flushOut()
	p.writeError(line + "\n")
	p.history.dropLast()
	p.history.add(line)
	p.history.stored = false
	return p.fcRun(line)
}

func (p *proc) fcRun(text string) int {
	if !p.deeper() {
		return p.status
	}
	if p.scratch(int64(len(text))) {
		p.evaluateText(text, evalEval)
	}
	p.shallower()
	return p.status
}

// fcEdit hands lines to an editor and runs what it leaves. The line that
// history -s put in last is taken for the fc command itself.
func (p *proc) fcEdit(first, last int, o fcOptions) int {
	if p.history.stored {
		p.history.stored = false
		p.history.dropLast()
		if n := len(p.history.lines); last > n {
			first, last = min(first, n), n
		}
	}
	if last == 0 {
		return 0
	}
	var text strings.Builder
	for i := range last - first + 1 {
		k := first + i
		if o.reverse {
			k = last - i
		}
		text.WriteString(p.history.lines[k-1] + "\n")
	}
	name := "/tmp/bash-fc." + strconv.FormatInt(p.session.config.Now().UnixNano(), 36)
	f, err := p.open(name, vfs.O_RDWR|vfs.O_CREATE|vfs.O_EXCL)
	if err != nil {
		p.errorf("fc: %s: cannot open temp file: %s", name, words(err))
		return 1
	}
	_, err = f.write(p.ctx, []byte(text.String()))
	f.close()
	defer p.view.Unlink(p.ctx, name)
	if err != nil {
		p.errorf("fc: %s: %s", name, words(err))
		return 1
	}
	editor := o.editor
	if editor == "" {
		editor = "${FCEDIT:-${EDITOR:-ed}}"
	}
	if status := p.fcRun(editor + " " + name); status != 0 || p.flow != flowNone {
		return 1
	}
	f, err = p.open(name, vfs.O_RDONLY)
	if err != nil {
		return 1
	}
	edited, status := p.readSource(f, name)
	f.close()
	if status != 0 || !p.charge(int64(len(edited))) {
		return 1
	}
	p.flushOut()
	p.writeError(string(edited))
	for _, line := range strings.Split(strings.TrimSuffix(string(edited), "\n"), "\n") {
		p.history.add(line)
	}
	return p.fcRun(string(edited))
}
