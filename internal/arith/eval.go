package arith

import "math"

// Eval evaluates the expression.
func (x *Expr) Eval(env Env) (int64, error) { return x.eval(env, 0) }

// Simple is the variable that the expression consists of, if it is that alone.
func (x *Expr) Simple() *Ref {
	if len(x.ops) == 1 && x.ops[0].code == opLoad {
		return &x.refs[0]
	}
	return nil
}

func (x *Expr) eval(env Env, depth int) (int64, error) {
	if depth > MaxDepth {
		f := failure(x.text, "expression recursion level exceeded", x.text)
		return 0, &f
	}
	var small [12]int64
	stack := small[:]
	if x.depth > len(small) {
		stack = make([]int64, x.depth)
	}
	var places []Place
	if x.places > 0 {
		places = make([]Place, x.places)
	}
	top := -1
	ops := x.ops
	for pc := 0; pc < len(ops); pc++ {
		o := &ops[pc]
		switch o.code {
		case opPush:
			top++
			stack[top] = o.n
		case opLoad, opLoadAt:
			var s string
			var err error
			if r := &x.refs[o.arg]; o.code == opLoad {
				s, err = env.Load(r)
			} else {
				s, err = env.LoadElement(r, places[o.n])
			}
			if err != nil {
				return 0, err
			}
			n, ok := Constant(s)
			if !ok {
				if err := env.Stopped(); err != nil {
					return 0, err
				}
				if n, err = Evaluate(s, env, depth+1); err != nil {
					return 0, err
				}
			}
			top++
			stack[top] = n
		case opStore:
			if err := env.Store(&x.refs[o.arg], stack[top]); err != nil {
				return 0, err
			}
		case opPlace:
			at, err := env.Place(&x.refs[o.arg], depth+1)
			if err != nil {
				return 0, err
			}
			places[o.n] = at
		case opStoreAt:
			if err := env.StoreElement(&x.refs[o.arg], places[o.n], stack[top]); err != nil {
				return 0, err
			}
		case opStep:
			stack[top] += o.n
		case opDrop:
			top--
		case opNegate:
			stack[top] = -stack[top]
		case opNot:
			stack[top] = truth(stack[top] == 0)
		case opComplement:
			stack[top] = ^stack[top]
		case opAnd:
			if stack[top] == 0 {
				pc = int(o.arg) - 1
			} else {
				top--
			}
		case opOr:
			if stack[top] != 0 {
				stack[top] = 1
				pc = int(o.arg) - 1
			} else {
				top--
			}
		case opTruth:
			stack[top] = truth(stack[top] != 0)
		case opElse:
			if stack[top] == 0 {
				pc = int(o.arg) - 1
			}
			top--
		case opJump:
			pc = int(o.arg) - 1
		case opBinary:
			n, message := binary(token(o.n), stack[top-1], stack[top])
			if message != "" {
				f := failure(x.text, message, x.text[min(int(o.arg), len(x.text)):])
				return 0, &f
			}
			top--
			stack[top] = n
		case opFail:
			f := x.failures[o.arg]
			return 0, &f
		}
	}
	return stack[top], nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func binary(t token, a, b int64) (n int64, message string) {
	switch t {
	case '+':
		return a + b, ""
	case '-':
		return a - b, ""
	case '*':
		return a * b, ""
	case '/', '%':
		switch {
		case b == 0:
			return 0, "division by 0"
		case b == -1 && a == math.MinInt64:
			if t == '/' {
				return a, ""
			}
			return 0, ""
		case t == '/':
			return a / b, ""
		}
		return a % b, ""
	case tokPower:
		if b < 0 {
			return 0, "exponent less than 0"
		}
		for n = 1; b > 0; b >>= 1 {
			if b&1 != 0 {
				n *= a
			}
			a *= a
		}
		return n, ""
	case tokLeft:
		return a << (uint64(b) & 63), ""
	case tokRight:
		return a >> (uint64(b) & 63), ""
	case '<':
		return truth(a < b), ""
	case '>':
		return truth(a > b), ""
	case tokLessEqual:
		return truth(a <= b), ""
	case tokGreaterEqual:
		return truth(a >= b), ""
	case tokEqual:
		return truth(a == b), ""
	case tokNotEqual:
		return truth(a != b), ""
	case '&':
		return a & b, ""
	case '^':
		return a ^ b, ""
	case '|':
		return a | b, ""
	}
	return 0, ""
}
