package interp

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/testexpr"
	"github.com/vsh-project/vsh/vfs"
)

// test and [, and the file tests that [[ ]] shares.

func init() { builtinTables = append(builtinTables, conditionBuiltins) }

func conditionBuiltins() []builtin {
	return []builtin{
		{name: "test", run: func(p *proc, args []string) int { return builtinTest(p, "test", args) }, usage: "test [expr]"},
		{name: "[", run: func(p *proc, args []string) int { return builtinTest(p, "[", args) }, usage: "[ arg... ]"},
	}
}

func builtinTest(p *proc, name string, args []string) int {
	bracket := ""
	fail := func(message string) int {
		if p.asProgram {
			p.writeError(name + ": " + message + "\n")
		} else {
			p.errorf("%s: %s", name, message)
		}
		return 2
	}
	if name == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			if p.asProgram {
				return fail("missing ‘]’")
			}
			return fail("missing `]'")
		}
		bracket, args = "]", args[:len(args)-1]
	}
	value, err := testexpr.Eval(args, bracket, p.asProgram, func(s string) string { return "‘" + s + "’" }, tester{p})
	switch {
	case p.flow != flowNone:
		return p.status
	case err != nil:
		return fail(err.Error())
	case value:
		return 0
	}
	return 1
}

// tester answers what test asks of the process.
type tester struct{ p *proc }

func (t tester) Stopped() bool { return t.p.stopped() }

func (t tester) Unary(op byte, operand string) bool {
	switch op {
	case 't':
		return false // no descriptor is a terminal
	case 'o':
		o, ok := optionNamed(operand)
		return ok && t.p.options.has(o)
	case 'v':
		return t.p.isSet(operand)
	case 'R':
		s, ok := t.p.session.known(operand)
		v := t.p.vars.get(s)
		return ok && v.is(attrNameref) && v.set
	}
	return t.p.fileTest(op, operand)
}

func (t tester) Files(op, left, right string) bool { return t.p.compareFiles(op, left, right) }

// isSet is -v: a variable or an element that has a value; name[@] an array
// with any.
func (p *proc) isSet(word string) bool {
	name, subscript, element, ok := splitReference(word)
	if !ok {
		if n, err := strconv.Atoi(word); err == nil {
			return n == 0 || n > 0 && n <= len(p.args)
		}
		return false
	}
	r, ok := p.resolve(p.session.symbol(name))
	if !ok && !r.global {
		return false
	}
	if r.element && !element {
		subscript, element = r.subscript, true
	}
	v := p.referred(r)
	if !element {
		return v.hasValue()
	}
	if v.is(attrAssoc) {
		key, ok := p.expandText(subscript)
		if !ok {
			return false
		}
		if _, there := v.assoc.get(key); there {
			return true
		}
		return (subscript == "@" || subscript == "*") && v.count() > 0
	}
	if subscript == "@" || subscript == "*" {
		return v.count() > 0
	}
	_, there := p.elementValue(v, subscript)
	return there
}

// fileTest is one of the tests of a file.
func (p *proc) fileTest(op byte, name string) bool {
	if name == "" {
		return false
	}
	if op == 'h' || op == 'L' {
		info, err := p.view.Lstat(p.ctx, name)
		return err == nil && info.Mode()&fs.ModeSymlink != 0
	}
	info, err := p.view.Stat(p.ctx, name)
	if err != nil {
		return false
	}
	id := p.view.Identity()
	switch mode := info.Mode(); op {
	case 'f':
		return mode.IsRegular()
	case 'd':
		return mode.IsDir()
	case 's':
		return info.Size() > 0
	case 'b':
		return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0
	case 'c':
		return mode&fs.ModeCharDevice != 0
	case 'p':
		return mode&fs.ModeNamedPipe != 0
	case 'S':
		return mode&fs.ModeSocket != 0
	case 'u':
		return mode&fs.ModeSetuid != 0
	case 'g':
		return mode&fs.ModeSetgid != 0
	case 'k':
		return mode&fs.ModeSticky != 0
	case 'r':
		return p.view.Access(p.ctx, name, vfs.AccessRead) == nil
	case 'w':
		return p.view.Access(p.ctx, name, vfs.AccessWrite) == nil
	case 'x':
		return p.view.Access(p.ctx, name, vfs.AccessExecute) == nil
	case 'O':
		return info.UID == id.UID
	case 'G':
		return info.GID == id.GID
	case 'N':
		return info.Modified.After(info.Accessed)
	}
	return true // -a, -e
}

// compareFiles is -nt, -ot and -ef; a file that is missing is older than any
// other.
func (p *proc) compareFiles(op, left, right string) bool {
	a, errA := p.view.Stat(p.ctx, left)
	b, errB := p.view.Stat(p.ctx, right)
	switch strings.TrimPrefix(op, "-") {
	case "nt":
		return errA == nil && (errB != nil || a.Modified.After(b.Modified))
	case "ot":
		return errB == nil && (errA != nil || a.Modified.Before(b.Modified))
	}
	return errA == nil && errB == nil && vfs.SameFile(a, b)
}
