// Package arith evaluates bash's arithmetic: 64-bit integers that wrap, read
// from the text of an expression.
//
// bash evaluates while it reads, so that what stands before a syntax error has
// happened. Parse therefore never fails: it makes a program of the operations
// in the order in which bash performs them, the last of which may be to report
// the error. Programs are immutable.
package arith

// Ref is a variable, or an array's element, in an expression.
type Ref struct {
	Name string
	// Symbol is what the Intern function gave for Name.
	Symbol int32
	// Subscript is the text between the brackets, with Element set.
	Subscript string
	Element   bool
}

// Place is an element whose subscript has been evaluated.
type Place struct {
	Index int64
	Key   string
	// Keyed is set for an associative array's; Missing for a subscript that was
	// refused: it reads as 0.
	Keyed, Missing bool
}

// Env is the world of an evaluation. An error other than *Error ends it and is
// returned as it is: its message is out.
type Env interface {
	// Load is the text of a variable; "" when it is unset.
	Load(r *Ref) (string, error)
	// Store assigns a variable.
	Store(r *Ref, n int64) error
	// Place evaluates the subscript of an element, once however often the
	// element is then read and written. depth is for Evaluate.
	Place(r *Ref, depth int) (Place, error)
	LoadElement(r *Ref, at Place) (string, error)
	StoreElement(r *Ref, at Place, n int64) error
	// Intern gives a name its Symbol.
	Intern(name string) int32
	// Charge takes n bytes that an inner expression needs, and gives them back
	// when n is negative.
	Charge(n int64) error
	// Stopped is asked once in a while; an error ends the evaluation.
	Stopped() error
}

// Error is an error in an expression, in bash's words.
type Error struct {
	// Expression is the text, without leading blanks, of the expression it
	// occurred in: of the innermost, where a variable's value is one.
	Expression, Message string
	// Token is the rest of the expression from the last token on.
	Token string
}

func (e *Error) Error() string {
	return e.Expression + ": " + e.Message + ` (error token is "` + e.Token + `")`
}

// MaxDepth is how deep bash follows variables whose values are expressions.
const MaxDepth = 1024

// maxNesting bounds the nesting of one expression's own text: four for a
// parenthesis.
const maxNesting = 40_000

// Cost is what Parse takes for a text of n bytes, at most.
func Cost(n int) int64 { return 256 + 40*int64(n) }

// Constant is the value of a text that is nothing but a decimal number.
func Constant(s string) (int64, bool) {
	if s == "" {
		return 0, true
	}
	i, negative := 0, false
	if s[0] == '-' {
		negative = true
		i = 1
	}
	if i == len(s) || s[i] == '0' && i+1 < len(s) || len(s)-i > 18 {
		return 0, false
	}
	n := int64(0)
	for ; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	if negative {
		n = -n
	}
	return n, true
}

// Evaluate parses and evaluates text. depth counts the expressions that it is
// inside of.
func Evaluate(text string, env Env, depth int) (int64, error) {
	if n, ok := Constant(text); ok {
		return n, nil
	}
	cost := Cost(len(text))
	if err := env.Charge(cost); err != nil {
		return 0, err
	}
	n, err := Parse(text, env.Intern).eval(env, depth)
	env.Charge(-cost)
	return n, err
}
