// Package getopt parses arguments as GNU getopt_long does: permuted operands,
// bundled short options, abbreviated long ones, its exact messages.
package getopt

import (
	"fmt"
	"strings"
)

// Argument says whether an option takes one.
type Argument uint8

const (
	None Argument = iota
	Required
	Optional
)

// Option is one option. Key is what Next reports; below 128 it is the short
// option's letter too, above the option is long only. Several Long names may
// share a Key.
type Option struct {
	Key      rune
	Long     string
	Argument Argument
}

// Order is what happens at an operand.
type Order uint8

const (
	// Permute takes options after operands too (GNU's default).
	Permute Order = iota
	// Stop ends at the first operand (POSIXLY_CORRECT, or '+').
	Stop
	// InOrder reports operands as options of Key 1 ('-').
	InOrder
)

// Spec is a command's table of options.
type Spec struct {
	Options []Option
	Order   Order
	// LongOnly lets one dash introduce long options (find, getopt -a).
	LongOnly bool
	// Digits makes -NUM an option of Key '0' with the digits as its argument
	// (head -5, grep -2); digits that follow one another are joined.
	Digits bool
	// Numbers makes an argument that starts with - and a digit or a point an
	// operand (seq -1 2).
	Numbers bool
}

// Error is a usage error; Message is GNU's without the program's name.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// Parser goes through arguments option by option.
type Parser struct {
	spec     *Spec
	args     []string
	next     int
	before   []string
	cluster  string
	bundle   string // the word that cluster is the rest of
	operands []string

	// Key and Value are the option just found and its argument; HasValue tells
	// an empty argument from none.
	Key      rune
	Value    string
	HasValue bool
	// Attached says that a short option's argument stood in its own word: -o1.
	Attached bool
	// Typed is the option as the message of a command may show it: "-n" or "--lines".
	Typed string
	err   error
}

// New starts over args (without the program's name).
func New(spec *Spec, args []string) *Parser { return &Parser{spec: spec, args: args} }

// Operands are what is left once Next has returned false without an error.
func (p *Parser) Operands() []string {
	if p.next < len(p.args) {
		return append(p.operands, p.args[p.next:]...)
	}
	return p.operands
}

// Peek is the argument that Next will look at, for options that span two.
func (p *Parser) Peek() (arg string, ok bool) {
	if p.cluster != "" || p.next >= len(p.args) {
		return "", false
	}
	return p.args[p.next], true
}

// Skip takes the argument that Peek shows away.
func (p *Parser) Skip() { p.next++ }

// Before and Rest are the arguments before the option just found and those that
// have not been looked at, for an option that other words take the place of.
// Letters bundled before it come first, as a word of their own.
func (p *Parser) Before() []string { return p.before }

// Rest is what follows the option just found.
func (p *Parser) Rest() []string { return p.args[p.next:] }

// Err is the usage error that ended Next, or nil.
func (p *Parser) Err() error { return p.err }

func (p *Parser) fail(format string, args ...any) bool {
	p.err = &Error{Message: fmt.Sprintf(format, args...)}
	return false
}

// Next advances to the next option and reports whether there is one.
func (p *Parser) Next() bool {
	p.Key, p.Value, p.HasValue, p.Typed, p.Attached = 0, "", false, "", false
	if p.err != nil {
		return false
	}
	if p.cluster != "" {
		p.before = p.args[:p.next-1]
		if letters := p.bundle[:len(p.bundle)-len(p.cluster)]; letters != "" {
			p.before = append(p.before[:len(p.before):len(p.before)], "-"+letters)
		}
		return p.short()
	}
	p.before = p.args[:p.next]
	for p.next < len(p.args) {
		arg := p.args[p.next]
		switch {
		case arg == "--":
			p.next++
			return false
		case strings.HasPrefix(arg, "--"):
			p.next++
			return p.long(arg[2:], "--")
		case len(arg) > 1 && arg[0] == '-' && !(p.spec.Numbers && (arg[1] == '.' || arg[1] >= '0' && arg[1] <= '9')):
			p.next++
			if p.spec.LongOnly && (len(arg) > 2 || !p.isShort(arg[1])) {
				return p.long(arg[1:], "-")
			}
			p.cluster, p.bundle = arg[1:], arg[1:]
			return p.short()
		case p.spec.Order == Stop:
			return false
		case p.spec.Order == InOrder:
			p.next++
			p.Key, p.Value, p.HasValue = 1, arg, true
			return true
		default:
			p.operands = append(p.operands, arg)
			p.next++
		}
	}
	return false
}

func (p *Parser) isShort(c byte) bool {
	for i := range p.spec.Options {
		if p.spec.Options[i].Key == rune(c) {
			return true
		}
	}
	return false
}

func (p *Parser) short() bool {
	c := p.cluster[0]
	if p.spec.Digits && c >= '0' && c <= '9' {
		n := 1
		for n < len(p.cluster) && p.cluster[n] >= '0' && p.cluster[n] <= '9' {
			n++
		}
		p.Key, p.Value, p.HasValue, p.Typed = '0', p.cluster[:n], true, "-"+p.cluster[:n]
		p.cluster = p.cluster[n:]
		return true
	}
	p.cluster = p.cluster[1:]
	for i := range p.spec.Options {
		o := &p.spec.Options[i]
		if o.Key != rune(c) || c >= 128 {
			continue
		}
		p.Key, p.Typed = o.Key, "-"+string(rune(c))
		switch {
		case o.Argument == None:
		case p.cluster != "":
			p.Value, p.HasValue, p.Attached, p.cluster = p.cluster, true, true, ""
		case o.Argument == Required:
			if p.next >= len(p.args) {
				return p.fail("option requires an argument -- '%c'", c)
			}
			p.Value, p.HasValue = p.args[p.next], true
			p.next++
		}
		return true
	}
	return p.fail("invalid option -- '%s'", string([]byte{c}))
}

func (p *Parser) long(text, dashes string) bool {
	name, value, hasValue := strings.Cut(text, "=")
	var found *Option
	var others []*Option // those that name may stand for besides found
	for i := range p.spec.Options {
		o := &p.spec.Options[i]
		if o.Long == "" || !strings.HasPrefix(o.Long, name) {
			continue
		}
		if o.Long == name {
			found, others = o, nil
			break
		}
		if found != nil && (found.Key != o.Key || found.Argument != o.Argument) {
			others = append(others, o)
			continue
		}
		if found == nil {
			found = o
		}
	}
	if len(others) > 0 {
		var b strings.Builder
		for _, o := range append([]*Option{found}, others...) {
			fmt.Fprintf(&b, " '%s%s'", dashes, o.Long)
		}
		return p.fail("option '%s%s' is ambiguous; possibilities:%s", dashes, text, b.String())
	}
	if found == nil {
		return p.fail("unrecognized option '%s%s'", dashes, text)
	}
	p.Typed = dashes + found.Long
	switch {
	case found.Argument == None && hasValue:
		return p.fail("option '%s%s' doesn't allow an argument", dashes, found.Long)
	case found.Argument == Required && !hasValue:
		if p.next >= len(p.args) {
			return p.fail("option '%s%s' requires an argument", dashes, found.Long)
		}
		value, hasValue = p.args[p.next], true
		p.next++
	}
	p.Key, p.Value, p.HasValue = found.Key, value, hasValue
	return true
}
