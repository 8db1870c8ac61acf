// Package testexpr evaluates the expressions of test and [: bash's builtin and
// coreutils' program, which share POSIX's rules by the number of arguments and
// differ in the rest.
package testexpr

import (
	"fmt"
	"strconv"
	"strings"
)

// Env answers what an expression asks of its surroundings.
type Env interface {
	// Unary is a file test (-e and its like), or -t, -o, -v, -R.
	Unary(op byte, operand string) bool
	// Files is -nt, -ot or -ef.
	Files(op, left, right string) bool
	// Stopped reports that the evaluation is to end; its result is void then.
	Stopped() bool
}

// Eval evaluates args, without the name and, for [, without the closing
// bracket, which is passed as bracket: bash names it in one message. program
// asks for coreutils' rules and messages, quoted by quote. The error's text is
// the message after "test: ".
func Eval(args []string, bracket string, program bool, quote func(string) string, env Env) (bool, error) {
	e := &expression{args: args, bracket: bracket, program: program, quote: quote, env: env}
	if len(args) == 0 {
		return false, nil
	}
	value := e.byCount(len(args))
	if e.err == nil && e.pos < len(args) {
		switch {
		case program:
			e.fail("extra argument %s", e.quoted(args[e.pos]))
		case strings.HasPrefix(args[e.pos], "-"):
			e.fail("syntax error: `%s' unexpected", args[e.pos])
		default:
			e.fail("too many arguments")
		}
	}
	return value && e.err == nil, e.err
}

type expression struct {
	args    []string
	bracket string
	program bool
	quote   func(string) string
	env     Env
	pos     int
	depth   int
	err     error
}

// maxDepth bounds "(" and "!" inside one another.
const maxDepth = 10000

func (e *expression) fail(format string, args ...any) bool {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
	e.pos = len(e.args)
	return false
}

// quoted is an argument as a message shows it.
func (e *expression) quoted(s string) string {
	if e.program {
		return e.quote(s)
	}
	return s
}

// beyond reports that the arguments end too early.
func (e *expression) beyond() bool {
	if e.program {
		return e.fail("missing argument after %s", e.quoted(e.args[len(e.args)-1]))
	}
	return e.fail("argument expected")
}

func (e *expression) at(i int) string {
	if i < len(e.args) {
		return e.args[i]
	}
	return ""
}

// next moves on; more is set when another argument must follow.
func (e *expression) next(more bool) bool {
	e.pos++
	if more && e.pos >= len(e.args) {
		e.beyond()
		return false
	}
	return true
}

// byCount applies POSIX's rules for n arguments from pos.
func (e *expression) byCount(n int) bool {
	switch n {
	case 1:
		return e.one()
	case 2:
		v := e.two()
		if !e.program {
			e.pos = len(e.args)
		}
		return v
	case 3:
		return e.three()
	case 4:
		if e.at(e.pos) == "!" {
			e.pos++
			return !e.three()
		}
		if e.at(e.pos) == "(" && e.at(e.pos+3) == ")" {
			e.pos++
			v := e.two()
			e.pos++
			return v
		}
	}
	return e.or()
}

func (e *expression) one() bool {
	e.pos++
	return e.at(e.pos-1) != ""
}

func (e *expression) two() bool {
	first := e.at(e.pos)
	switch {
	case first == "!":
		e.pos++
		return !e.one()
	case len(first) == 2 && first[0] == '-':
		if !e.isUnary(first) {
			return e.fail("%s: unary operator expected", e.quoted(first))
		}
		return e.unary()
	case e.program:
		return e.beyond()
	}
	return e.fail("%s: unary operator expected", first)
}

func (e *expression) three() bool {
	switch first, op := e.at(e.pos), e.at(e.pos+1); {
	case e.isBinary(op):
		return e.binary(false)
	case !e.program && (op == "-a" || op == "-o"):
		l := e.one()
		e.pos++
		r := e.one()
		return op == "-a" && l && r || op == "-o" && (l || r)
	case first == "!":
		e.pos++
		return !e.two()
	case first == "(" && e.at(e.pos+2) == ")":
		e.pos++
		v := e.one()
		e.pos++
		return v
	case op == "-a" || op == "-o":
		return e.or()
	default:
		return e.fail("%s: binary operator expected", e.quoted(op))
	}
}

func (e *expression) or() bool {
	value := false
	for {
		value = e.and() || value
		if e.err != nil || e.at(e.pos) != "-o" || e.pos >= len(e.args) {
			return value
		}
		e.pos++
	}
}

func (e *expression) and() bool {
	value := true
	for {
		value = e.term() && value
		if e.err != nil || e.at(e.pos) != "-a" || e.pos >= len(e.args) {
			return value
		}
		e.pos++
	}
}

func (e *expression) term() bool {
	if e.env.Stopped() {
		return e.fail("")
	}
	negated := false
	for e.at(e.pos) == "!" {
		if !e.next(true) {
			return false
		}
		negated = !negated
	}
	if e.pos >= len(e.args) {
		return e.beyond()
	}
	return e.primary() != negated
}

func (e *expression) primary() bool {
	left := len(e.args) - e.pos
	first := e.args[e.pos]
	switch {
	case first == "(":
		return e.parenthesis()
	case e.program && left >= 4 && first == "-l" && e.isBinary(e.at(e.pos+2)):
		return e.binary(true)
	case left >= 3 && e.isBinary(e.at(e.pos+1)):
		return e.binary(false)
	case e.program && len(first) == 2 && first[0] == '-', left >= 2 && e.isUnary(first):
		return e.unary()
	}
	return e.one()
}

func (e *expression) parenthesis() bool {
	if e.depth++; e.depth > maxDepth {
		return e.fail("too many parentheses")
	}
	defer func() { e.depth-- }()
	if !e.next(true) {
		return false
	}
	var value bool
	if e.program {
		// The rules by count apply to what stands before the parenthesis.
		n := 1
		for e.pos+n < len(e.args) && e.args[e.pos+n] != ")" {
			if n == 4 {
				n = len(e.args) - e.pos
				break
			}
			n++
		}
		value = e.byCount(n)
	} else {
		value = e.or()
	}
	if e.err != nil {
		return false
	}
	if e.pos >= len(e.args) {
		switch {
		case e.bracket != "" && e.program:
			return e.fail("%s expected, found %s", e.quoted(")"), e.quoted(e.bracket))
		case e.bracket != "":
			return e.fail("`)' expected, found %s", e.bracket)
		case e.program:
			return e.fail("%s expected", e.quoted(")"))
		}
		return e.fail("`)' expected")
	}
	if e.args[e.pos] != ")" {
		if e.program {
			return e.fail("%s expected, found %s", e.quoted(")"), e.quoted(e.args[e.pos]))
		}
		return e.fail("`)' expected, found %s", e.args[e.pos])
	}
	e.pos++
	return value
}

func (e *expression) isUnary(op string) bool {
	if len(op) != 2 || op[0] != '-' {
		return false
	}
	letters := "abcdefghknoprstuvwxzGLNORS"
	if e.program {
		letters = "bcdefghknprstuwxzGLNOS"
	}
	return strings.IndexByte(letters, op[1]) >= 0
}

func (e *expression) isBinary(op string) bool {
	switch op {
	case "=", "==", "!=", "-nt", "-ot", "-ef", "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	case "<", ">":
		return !e.program
	}
	return false
}

func (e *expression) unary() bool {
	op := e.args[e.pos]
	if !e.isUnary(op) {
		return e.fail("%s: unary operator expected", e.quoted(op))
	}
	if op == "-t" && !e.program {
		return e.terminal()
	}
	if !e.next(true) {
		return false
	}
	operand := e.args[e.pos]
	e.pos++
	switch op[1] {
	case 'n':
		return operand != ""
	case 'z':
		return operand == ""
	case 't':
		if _, ok := e.integer(operand); !ok {
			return false
		}
	}
	return e.env.Unary(op[1], operand)
}

// terminal is bash's -t, whose operand may be left out.
func (e *expression) terminal() bool {
	e.pos++
	if e.pos >= len(e.args) {
		return e.env.Unary('t', "1")
	}
	n := strings.Trim(e.args[e.pos], " \t\n")
	if _, err := strconv.ParseInt(n, 10, 64); err != nil {
		return false
	}
	e.pos++
	return e.env.Unary('t', n)
}

// binary evaluates "left op right"; coreutils takes "-l STRING" for a number on
// either side.
func (e *expression) binary(leftLength bool) bool {
	if leftLength {
		e.pos++
	}
	left, op := e.args[e.pos], e.args[e.pos+1]
	e.pos += 2
	rightLength := e.program && e.pos < len(e.args)-1 && e.args[e.pos] == "-l"
	if rightLength {
		e.pos++
	}
	right := e.args[e.pos]
	e.pos++
	switch op {
	case "=", "==":
		return left == right
	case "!=":
		return left != right
	case "<":
		return left < right
	case ">":
		return left > right
	case "-nt", "-ot", "-ef":
		if leftLength || rightLength {
			return e.fail("%s does not accept -l", op)
		}
		return e.env.Files(op, left, right)
	}
	if leftLength {
		left = strconv.Itoa(len(left))
	}
	if rightLength {
		right = strconv.Itoa(len(right))
	}
	a, ok := e.integer(left)
	if !ok {
		return false
	}
	b, ok := e.integer(right)
	if !ok {
		return false
	}
	c := compare(a, b)
	switch op {
	case "-eq":
		return c == 0
	case "-ne":
		return c != 0
	case "-lt":
		return c < 0
	case "-le":
		return c <= 0
	case "-gt":
		return c > 0
	}
	return c >= 0
}

// integer checks a number and gives its sign and digits, without leading
// zeros; bash's must fit in 64 bits.
func (e *expression) integer(s string) (string, bool) {
	t := strings.Trim(s, " \t\n\v\f\r")
	sign := ""
	if strings.HasPrefix(t, "+") || strings.HasPrefix(t, "-") {
		sign, t = strings.Trim(t[:1], "+"), t[1:]
	}
	digits := t != ""
	for i := 0; i < len(t); i++ {
		digits = digits && t[i] >= '0' && t[i] <= '9'
	}
	if digits && !e.program {
		_, err := strconv.ParseInt(sign+t, 10, 64)
		digits = err == nil
	}
	if !digits {
		if e.program {
			e.fail("invalid integer %s", e.quoted(s))
		} else {
			e.fail("%s: integer expression expected", s)
		}
		return "", false
	}
	if t = strings.TrimLeft(t, "0"); t == "" {
		return "", true
	}
	return sign + t, true
}

// compare orders two numbers as integer gives them.
func compare(a, b string) int {
	x, y := strings.HasPrefix(a, "-"), strings.HasPrefix(b, "-")
	switch {
	case x && !y:
		return -1
	case y && !x:
		return 1
	case x:
		return compare(b[1:], a[1:])
	case len(a) != len(b):
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
