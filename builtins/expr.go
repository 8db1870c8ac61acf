package builtins

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/regex"
)

// exprCommand is one run of expr: the words that are left and how deep in
// parentheses they stand.
type exprCommand struct {
	*call
	words []string
	next  int
	depth int
}

// exprDeepest bounds the recursion over parentheses and keywords.
const exprDeepest = 10000

// exprValue is a number, or a text where number is nil.
type exprValue struct {
	number *big.Int
	text   string
}

func exprRun(c *call) error {
	switch words := c.Arguments; {
	case len(words) == 1 && len(words[0]) > 2 && strings.HasPrefix("--help", words[0]):
		return c.showHelp()
	case len(words) == 1 && len(words[0]) > 2 && strings.HasPrefix("--version", words[0]):
		return c.showVersion()
	case len(words) > 0 && words[0] == "--":
		c.Arguments = words[1:]
	}
	if len(c.Arguments) == 0 {
		return c.usageErrorf("missing operand")
	}
	e := &exprCommand{call: c, words: c.Arguments}
	v, err := e.or(true)
	if err != nil {
		return err
	}
	if e.next < len(e.words) {
		return c.fatalf("syntax error: unexpected argument %s", quote(e.words[e.next]))
	}
	c.out.WriteString(v.String() + "\n")
	if v.null() {
		c.status = 1
	}
	return nil
}

func exprNumber(n int) exprValue { return exprValue{number: big.NewInt(int64(n))} }

func (v exprValue) String() string {
	if v.number != nil {
		return v.number.String()
	}
	return v.text
}

// null reports whether v counts as false: empty, or zero.
func (v exprValue) null() bool {
	if v.number != nil {
		return v.number.Sign() == 0
	}
	return v.text == "" || v.text != "-" && strings.Trim(strings.TrimPrefix(v.text, "-"), "0") == ""
}

// integer is v as a number, nil where it is none.
func (v exprValue) integer() *big.Int {
	if v.number != nil {
		return v.number
	}
	if !seqDigits(strings.TrimPrefix(v.text, "-")) {
		return nil
	}
	n, _ := new(big.Int).SetString(v.text, 10)
	return n
}

// take goes past the next word where it is one of those given.
func (e *exprCommand) take(words ...string) string {
	if e.next < len(e.words) {
		for _, w := range words {
			if e.words[e.next] == w {
				e.next++
				return w
			}
		}
	}
	return ""
}

// or and the methods below it are the levels of precedence; what is read without
// wanted has no effect but must be well formed.
func (e *exprCommand) or(wanted bool) (exprValue, error) {
	left, err := e.and(wanted)
	for err == nil && e.take("|") != "" {
		var right exprValue
		if right, err = e.and(wanted && left.null()); err == nil && left.null() {
			if left = right; left.null() {
				left = exprNumber(0)
			}
		}
	}
	return left, err
}

func (e *exprCommand) and(wanted bool) (exprValue, error) {
	left, err := e.comparison(wanted)
	for err == nil && e.take("&") != "" {
		var right exprValue
		if right, err = e.comparison(wanted && !left.null()); err == nil && (left.null() || right.null()) {
			left = exprNumber(0)
		}
	}
	return left, err
}

func (e *exprCommand) comparison(wanted bool) (exprValue, error) {
	left, err := e.sum(wanted)
	for err == nil {
		operator := e.take("<", "<=", "=", "==", "!=", ">=", ">")
		if operator == "" {
			break
		}
		var right exprValue
		if right, err = e.sum(wanted); err != nil || !wanted {
			continue
		}
		order := 0
		if a, b := left.integer(), right.integer(); a != nil && b != nil {
			order = a.Cmp(b)
		} else {
			order = strings.Compare(left.String(), right.String())
		}
		holds := false
		switch operator {
		case "<":
			holds = order < 0
		case "<=":
			holds = order <= 0
		case "=", "==":
			holds = order == 0
		case "!=":
			holds = order != 0
		case ">=":
			holds = order >= 0
		case ">":
			holds = order > 0
		}
		left = exprNumber(0)
		if holds {
			left = exprNumber(1)
		}
	}
	return left, err
}

func (e *exprCommand) sum(wanted bool) (exprValue, error) {
	return e.arithmetic(wanted, e.product, "+", "-")
}

func (e *exprCommand) product(wanted bool) (exprValue, error) {
	return e.arithmetic(wanted, e.match, "*", "/", "%")
}

func (e *exprCommand) arithmetic(wanted bool, operand func(bool) (exprValue, error), operators ...string) (exprValue, error) {
	left, err := operand(wanted)
	for err == nil {
		operator := e.take(operators...)
		if operator == "" {
			break
		}
		var right exprValue
		if right, err = operand(wanted); err != nil || !wanted {
			continue
		}
		a, b := left.integer(), right.integer()
		if a == nil || b == nil {
			return left, e.fatalf("non-integer argument")
		}
		if b.Sign() == 0 && (operator == "/" || operator == "%") {
			return left, e.fatalf("division by zero")
		}
		if err := e.ctx.Err(); err != nil {
			return left, err
		}
		n := new(big.Int)
		switch operator {
		case "+":
			n.Add(a, b)
		case "-":
			n.Sub(a, b)
		case "*":
			n.Mul(a, b)
		case "/":
			n.Quo(a, b)
		case "%":
			n.Rem(a, b)
		}
		left = exprValue{number: n}
	}
	return left, err
}

func (e *exprCommand) match(wanted bool) (exprValue, error) {
	left, err := e.keyword(wanted)
	for err == nil && e.take(":") != "" {
		var right exprValue
		if right, err = e.keyword(wanted); err == nil && wanted {
			left, err = e.matching(left.String(), right.String())
		}
	}
	return left, err
}

// matching is what "text : pattern" stands for.
func (e *exprCommand) matching(text, pattern string) (exprValue, error) {
	m, err := regex.Compile(pattern, regex.Options{Syntax: regex.POSIXBasic})
	if err != nil {
		return exprValue{}, e.fatalf("%s", err)
	}
	found, err := m.Find(e.ctx, []byte(text), 0, nil)
	if err != nil {
		return exprValue{}, err
	}
	if found != nil && found[0] != 0 {
		found = nil
	}
	switch {
	case m.Groups() == 0 && found == nil:
		return exprNumber(0), nil
	case m.Groups() == 0:
		return exprNumber(exprLength(text[:found[1]])), nil
	case found == nil || found[2] < 0:
		return exprValue{}, nil
	}
	return exprValue{text: text[found[2]:found[3]]}, nil
}

// exprLength counts characters; a byte outside UTF-8 is one.
func exprLength(s string) int { return utf8.RuneCountInString(s) }

func (e *exprCommand) keyword(wanted bool) (exprValue, error) {
	e.depth++
	defer func() { e.depth-- }()
	if e.depth > exprDeepest {
		return exprValue{}, e.fatalf("memory exhausted")
	}
	word := e.take("+", "length", "match", "index", "substr")
	if word == "" {
		return e.primary(wanted)
	}
	if word == "+" {
		if e.next == len(e.words) {
			return exprValue{}, e.missing()
		}
		e.next++
		return exprValue{text: e.words[e.next-1]}, nil
	}
	var args [3]exprValue
	count := 2
	switch word {
	case "length":
		count = 1
	case "substr":
		count = 3
	}
	for i := range count {
		var err error
		if args[i], err = e.keyword(wanted); err != nil {
			return exprValue{}, err
		}
	}
	text := args[0].String()
	switch word {
	case "length":
		return exprNumber(exprLength(text)), nil
	case "match":
		if !wanted {
			return args[0], nil
		}
		return e.matching(text, args[1].String())
	case "index":
		return exprNumber(exprIndex(text, args[1].String())), nil
	}
	return exprValue{text: exprSubstring(text, args[1].integer(), args[2].integer())}, nil
}

// exprIndex is the position of the first character of text that is in set.
func exprIndex(text, set string) int {
	position := 0
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRuneInString(text[i:])
		position++
		if strings.Contains(set, text[i:i+n]) {
			return position
		}
		i += n
	}
	return 0
}

func exprSubstring(text string, position, length *big.Int) string {
	if position == nil || length == nil || position.Sign() <= 0 || length.Sign() <= 0 {
		return ""
	}
	limit := func(n *big.Int) int {
		if !n.IsInt64() {
			return len(text) + 1
		}
		return int(min(n.Int64(), int64(len(text)+1)))
	}
	skip := func(i, count int) int {
		for ; count > 0 && i < len(text); count-- {
			_, n := utf8.DecodeRuneInString(text[i:])
			i += n
		}
		return i
	}
	start := skip(0, limit(position)-1)
	return text[start:skip(start, limit(length))]
}

func (e *exprCommand) missing() error {
	if e.next == 0 {
		return e.fatalf("syntax error: missing argument after %s", quote("expr"))
	}
	return e.fatalf("syntax error: missing argument after %s", quote(e.words[e.next-1]))
}

func (e *exprCommand) primary(wanted bool) (exprValue, error) {
	if e.next == len(e.words) {
		return exprValue{}, e.missing()
	}
	word := e.words[e.next]
	e.next++
	switch word {
	case "(":
		v, err := e.or(wanted)
		switch {
		case err != nil:
			return v, err
		case e.next == len(e.words):
			return v, e.fatalf("syntax error: expecting ')' after %s", quote(e.words[e.next-1]))
		case e.take(")") == "":
			return v, e.fatalf("syntax error: expecting ')' instead of %s", quote(e.words[e.next]))
		}
		return v, nil
	case ")":
		return exprValue{}, e.fatalf("syntax error: unexpected ')'")
	}
	return exprValue{text: word}, nil
}

func exprProgram(string) *program {
	return &program{
		output:  outputStyle{status: 3},
		trouble: 2, noHelp: true,
		usage: `expr EXPRESSION
   or: expr --help | --version
Print the value of EXPRESSION, whose operators and operands are arguments of
their own. From loose to tight:

  A | B          A unless it is empty or 0, else B
  A & B          A unless A or B is empty or 0, else 0
  A < B  A <= B  A = B  A != B  A >= B  A > B   1 where it holds, else 0
  A + B  A - B   sum, difference
  A * B  A / B  A % B   product, quotient, remainder
  A : REGEX      the match of REGEX at the start of A: its \( \), else its length
  match A REGEX  the same
  substr A POSITION LENGTH   part of A, from 1
  index A CHARACTERS         where one of CHARACTERS first stands in A, or 0
  length A       characters in A
  + WORD         WORD, even where it is an operator
  ( EXPRESSION )

The status is 0, 1 where the value is empty or 0, 2 for a faulty expression.`,
		run: exprRun,
	}
}
