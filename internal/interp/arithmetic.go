package interp

import (
	"errors"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/arith"
	"github.com/vsh-project/vsh/internal/parse"
)

// arithmetic is a prepared arithmetic expression: its text is expanded like a
// double-quoted string and then evaluated.
type arithmetic struct {
	w *word
	// fixed is the scanned expression where nothing is to be expanded.
	fixed *arith.Expr
	// command stands before the message of an error: "((: " of (( )), "x: " of ${x:o}.
	command string
}

// arithmetic prepares an expression as the parser gives it.
func (c *compiler) arithmetic(x syntax.ArithmExpr) *arithmetic {
	a := &arithmetic{w: c.word(parse.Arithmetic(x))}
	if a.w.plain && strings.IndexByte(a.w.fixed, '[') < 0 {
		a.fixed = arith.Parse(a.w.fixed, c.session.intern)
	}
	return a
}

// of is the expression with what stands before the messages of its errors.
func (a *arithmetic) of(command string) *arithmetic {
	if a != nil {
		a.command = command
	}
	return a
}

// shown is the expression as set -x shows it.
func (a *arithmetic) shown(p *proc) string { s, _ := a.w.text(p); return s }

// eval expands and evaluates. A failure has given the command up: the message
// is out and p.flow is set.
func (a *arithmetic) eval(p *proc) (int64, bool) {
	if a.fixed != nil {
		return p.evaluateExpr(a.command, a.fixed)
	}
	s, ok := a.w.text(p)
	if !ok {
		return 0, false
	}
	return p.evaluateFor(a.command, s)
}

// evalTraced is eval with set -x's line before it; trim says that blanks in
// front are not shown.
func (a *arithmetic) evalTraced(p *proc, trim bool) (int64, bool) {
	if !p.options.has(optXtrace) {
		return a.eval(p)
	}
	s, ok := a.w.text(p)
	if !ok {
		return 0, false
	}
	shown := s
	if trim {
		shown = strings.TrimLeft(s, " \t\n")
	}
	p.trace("(( " + shown + " ))")
	return p.evaluateFor(a.command, s)
}

// evaluate evaluates an arithmetic expression that an expansion produced.
func (p *proc) evaluate(expression string) (int64, bool) { return p.evaluateFor("", expression) }

// evaluateFor is evaluate on behalf of a command, whose name stands in messages.
func (p *proc) evaluateFor(name, expression string) (int64, bool) {
	if x := p.expressions[expression]; x != nil && p.arithmeticDepth == 0 {
		return p.evaluateExpr(name, x)
	}
	// A subscript inside an expression counts as one level deeper.
	if len(expression) > scannedSize || p.arithmeticDepth > 0 {
		n, err := arith.Evaluate(expression, arithmeticVariables{p, name}, p.arithmeticDepth)
		return p.evaluated(name, n, err)
	}
	if n, ok := arith.Constant(expression); ok {
		return n, true
	}
	x := arith.Parse(expression, p.session.intern)
	if p.expressions == nil || len(p.expressions) >= scannedTexts {
		p.expressions = make(map[string]*arith.Expr, 8)
	}
	p.expressions[expression] = x
	return p.evaluateExpr(name, x)
}

const (
	// scannedTexts bounds the cache of parsed expressions, scannedSize what is
	// worth keeping.
	scannedTexts = 128
	scannedSize  = 256
)

func (p *proc) evaluateExpr(name string, x *arith.Expr) (int64, bool) {
	n, err := x.Eval(arithmeticVariables{p, name})
	return p.evaluated(name, n, err)
}

// evaluated reports what went wrong and gives the command up.
func (p *proc) evaluated(name string, n int64, err error) (int64, bool) {
	if err == nil {
		return n, true
	}
	var fault *arith.Error
	if errors.As(err, &fault) {
		p.errorf("%s%s", name, fault)
		p.abort(1)
	} else if p.flow == flowNone {
		p.abort(1)
	}
	return 0, false
}

// intern is the symbol of a name in an expression.
func (s *Session) intern(name string) int32 { return int32(s.symbol(name)) }

// errSaid ends an evaluation whose message is out already.
var errSaid = errors.New("reported")

// arithmeticVariables are a process's variables as expressions see them.
// command is what stands before the messages of its errors.
type arithmeticVariables struct {
	p       *proc
	command string
}

func (e arithmeticVariables) Intern(name string) int32 { return e.p.session.intern(name) }

func (e arithmeticVariables) Charge(n int64) error {
	if !e.p.charge(n) {
		return errSaid
	}
	return nil
}

func (e arithmeticVariables) Stopped() error {
	if e.p.stopped() {
		return errSaid
	}
	return nil
}

// variableOf is the variable that r or its element belongs to, nil when there
// is none.
func (e arithmeticVariables) variableOf(r *arith.Ref) *variable {
	to, ok := e.p.resolve(symbol(r.Symbol))
	if !ok && !to.global {
		return nil
	}
	return e.p.referred(to)
}

func (e arithmeticVariables) Load(r *arith.Ref) (string, error) {
	value, set := e.p.value(symbol(r.Symbol))
	if !set {
		return "", e.unset(r.Name)
	}
	return value, nil
}

// unset is an error under set -u.
func (e arithmeticVariables) unset(name string) error {
	p := e.p
	if !p.options.has(optNounset) {
		return nil
	}
	p.errorf("%s: unbound variable", name)
	p.fatal()
	return errSaid
}

// statusUnbound is what set -u ends a script with.
const statusUnbound = 127

func (e arithmeticVariables) Store(r *arith.Ref, n int64) error {
	if !e.p.assign(symbol(r.Symbol), strconv.FormatInt(n, 10), false) {
		return errSaid
	}
	return nil
}

func (e arithmeticVariables) Place(r *arith.Ref, depth int) (arith.Place, error) {
	p, text := e.p, r.Subscript
	if text == "@" || text == "*" {
		p.errorf("%s[%s]: bad array subscript", r.Name, text)
		return arith.Place{Missing: true}, nil
	}
	if strings.ContainsAny(text, "$`\"'\\") {
		var ok bool
		if text, ok = p.expandText(text); !ok {
			return arith.Place{}, errSaid
		}
	}
	v := e.variableOf(r)
	if v != nil && v.assoc != nil {
		return arith.Place{Key: text, Keyed: true}, nil
	}
	if text == "" {
		return arith.Place{Missing: true, Key: "["}, nil
	}
	saved := p.arithmeticDepth
	p.arithmeticDepth = depth
	i, ok := p.index(v, text)
	p.arithmeticDepth = saved
	if !ok {
		return arith.Place{}, errSaid
	}
	return arith.Place{Index: i, Key: text}, nil
}

func (e arithmeticVariables) LoadElement(r *arith.Ref, at arith.Place) (string, error) {
	if at.Missing {
		if at.Key != "" { // a[]; bash looks twice
			e.p.errorf("%s[]: bad array subscript", r.Name)
			e.p.errorf("%s[]: bad array subscript", r.Name)
		}
		return "", nil
	}
	var value string
	var set bool
	switch v := e.variableOf(r); {
	case at.Keyed:
		value, set = v.assoc.get(at.Key)
	case at.Index < 0:
		e.p.errorf("%s: bad array subscript", r.Name)
		return "", nil
	case v == nil:
	case v.indexed != nil:
		value, set = v.indexed.get(at.Index)
	case at.Index == 0:
		value, set = v.scalar()
	}
	if !set {
		return "", e.unset(r.Name + "[" + at.Key + "]")
	}
	return value, nil
}

func (e arithmeticVariables) StoreElement(r *arith.Ref, at arith.Place, n int64) error {
	p, value := e.p, strconv.FormatInt(n, 10)
	var ok bool
	switch {
	case at.Missing:
		if at.Key != "" {
			p.errorf("%s`%s[]': not a valid identifier", e.command, r.Name)
		}
		return nil
	case at.Keyed:
		ok = p.assignElement(symbol(r.Symbol), at.Key, value, false)
	case at.Index < 0:
		// bash says so and goes on.
		p.errorf("%s[%s]: bad array subscript", r.Name, at.Key)
		return nil
	default:
		ok = p.assignIndex(symbol(r.Symbol), at.Index, value)
	}
	if !ok {
		return errSaid
	}
	return nil
}

// subscript is a prepared subscript: of a key or of an index, as the variable
// turns out to be. all is '@' or '*' for those.
type subscript struct {
	all byte
	add bool // [i]+=v in an array literal
	// missing says that nothing stands between the brackets.
	missing bool
	w       *word
	// expression is what an index is read from where it differs from the key:
	// single quotes have no meaning in it.
	expression *word
}

func (c *compiler) subscript(x syntax.ArithmExpr) *subscript {
	i := parse.Subscript(x)
	s := &subscript{all: i.All, add: i.Append, w: c.word(i.Key)}
	if i.Arithmetic != i.Key {
		s.expression = c.word(i.Arithmetic)
	}
	s.missing = i.All == 0 && (i.Key == nil || len(i.Key.Parts) == 0 || i.Key == i.Arithmetic && c.source(i.Key.Pos(), i.Key.End()) == "")
	return s
}

// key is the subscript's expanded text.
func (s *subscript) key(p *proc) (string, bool) { return s.w.text(p) }

// index is the subscript's value for v, counted from the end when negative.
func (s *subscript) index(p *proc, v *variable) (int64, bool) {
	w := s.w
	if s.expression != nil {
		w = s.expression
	}
	t, ok := w.text(p)
	if !ok {
		return 0, false
	}
	return p.index(v, t)
}
