package arith

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// variables is a world of scalars and indexed arrays.
type variables struct {
	values   map[string]string
	elements map[string]string
	charged  int64
}

func (v *variables) Load(r *Ref) (string, error) { return v.values[r.Name], nil }
func (v *variables) Store(r *Ref, n int64) error {
	v.values[r.Name] = strconv.FormatInt(n, 10)
	return nil
}
func (v *variables) Intern(string) int32 { return 0 }
func (v *variables) Stopped() error      { return nil }
func (v *variables) Charge(n int64) error {
	if v.charged += n; v.charged > 64<<20 {
		return errors.New("budget")
	}
	return nil
}
func (v *variables) Place(r *Ref, depth int) (Place, error) {
	n, err := Evaluate(r.Subscript, v, depth)
	return Place{Index: n}, err
}
func (v *variables) LoadElement(r *Ref, at Place) (string, error) {
	return v.elements[fmt.Sprint(r.Name, at.Index)], nil
}
func (v *variables) StoreElement(r *Ref, at Place, n int64) error {
	v.elements[fmt.Sprint(r.Name, at.Index)] = strconv.FormatInt(n, 10)
	return nil
}

func evaluate(text string) (string, *variables) {
	v := &variables{values: map[string]string{}, elements: map[string]string{}}
	n, err := Evaluate(text, v, 0)
	if err != nil {
		return err.Error(), v
	}
	return strconv.FormatInt(n, 10), v
}

func TestEvaluate(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing is 0", " ", "0"},
		{"addition wraps", "9223372036854775807+1", "-9223372036854775808"},
		{"a constant wraps", "9223372036854775808", "-9223372036854775808"},
		{"the smallest number by -1", "-9223372036854775808/-1", "-9223372036854775808"},
		{"its remainder", "-9223372036854775808%-1", "0"},
		{"a shift counts modulo 64", "1<<-1", "-9223372036854775808"},
		{"unary minus binds tighter than a power", "-2**2", "4"},
		{"powers are right-associative", "2**3**2", "512"},
		{"hexadecimal without digits is 0", "0x", "0"},
		{"digits beyond Z", "64#_@", "4094"},
		{"letters are alike up to base 36", "36#Z", "35"},
		{"compound assignment reads first", "x+=x=3", "3"},
		{"assignment inside a condition", "1?x=2:3", "2"},
		{"assignment behind a condition", "0?1:x=3", `0?1:x=3: attempted assignment to non-variable (error token is "=3")`},
		{"assignment to a sum", "1+x=5", `1+x=5: attempted assignment to non-variable (error token is "=5")`},
		{"assignment to an increment", "x++=7", `x++=7: attempted assignment to non-variable (error token is "=7")`},
		{"an increment of an increment", "++x++", `++x++: ++: assignment requires lvalue (error token is "++")`},
		{"an increment of a number is two signs", "1++2", "3"},
		{"an operator without operand", "1+", `1+: syntax error: operand expected (error token is "+")`},
		{"blanks before the expression go", " 1 2 ", `1 2 : syntax error in expression (error token is "2 ")`},
		{"a division by zero points to the divisor", "1% 0 +5", `1% 0 +5: division by 0 (error token is "0 +5")`},
		{"a skipped division by zero", "0&&1/0", "0"},
		{"a skipped constant is read", "0&&08", `0&&08: value too great for base (error token is "08")`},
		{"a skipped syntax error counts", "0&&(1+)", `0&&(1+): syntax error: operand expected (error token is ")")`},
		{"a colon is missing", "1?2", "1?2: `:' expected for conditional expression (error token is \"2\")"},
		{"an operand of the condition is missing", "1?:2", `1?:2: expression expected (error token is ":2")`},
		{"a parenthesis is missing", "(1", "(1: missing `)' (error token is \"1\")"},
		{"no operator of arithmetic", "1.5", `1.5: syntax error: invalid arithmetic operator (error token is ".5")`},
		{"no operand of arithmetic", "@", `@: syntax error: operand expected (error token is "@")`},
		{"a base of 65", "65#1", `65#1: invalid arithmetic base (error token is "65#1")`},
		{"a base without digits", "2#", `2#: invalid integer constant (error token is "2#")`},
		{"two bases", "2#1#1", `2#1#1: invalid number (error token is "2#1#1")`},
		{"a negative exponent", "2**-1", `2**-1: exponent less than 0 (error token is "1")`},
		{"a subscript without end", "a[1", `a[1: bad array subscript (error token is "a[1")`},
		{"a subscript is evaluated once", "a[i++]+=2, a[0]+10*i", "12"},
	} {
		if got, _ := evaluate(c.text); got != c.want {
			t.Errorf("%s: %q gave %s, want %s", c.name, c.text, got, c.want)
		}
	}
}

func TestWhatPrecedesAnErrorHappens(t *testing.T) {
	if _, v := evaluate("x=7, 1+"); v.values["x"] != "7" {
		t.Errorf("x is %q", v.values["x"])
	}
}

func TestValuesAreExpressions(t *testing.T) {
	v := &variables{values: map[string]string{"x": "y+1", "y": "z", "z": "5", "loop": "loop", "bad": "1+"}, elements: map[string]string{}}
	for text, want := range map[string]string{
		"x*2": "12", "loop": `loop: expression recursion level exceeded (error token is "loop")`,
		"2*bad": `1+: syntax error: operand expected (error token is "+")`,
	} {
		got := ""
		if n, err := Evaluate(text, v, 0); err != nil {
			got = err.Error()
		} else {
			got = strconv.FormatInt(n, 10)
		}
		if got != want {
			t.Errorf("%q gave %s, want %s", text, got, want)
		}
	}
}

func TestDeepNesting(t *testing.T) {
	const n = 200_000
	for name, text := range map[string]string{
		"parentheses": strings.Repeat("(", n), "signs": strings.Repeat("- ", n) + "1", "conditions": strings.Repeat("1?1:", n) + "1",
		"assignments": strings.Repeat("a=", n) + "1", "powers": strings.Repeat("1**", n) + "1", "subscripts": strings.Repeat("a[", n),
	} {
		got, v := evaluate(text)
		if v.charged != 0 && got != "budget" {
			t.Errorf("%s: %d bytes are still charged", name, v.charged)
		}
	}
	if got, _ := evaluate(strings.Repeat("1+", 100_000) + "1"); got != "100001" {
		t.Errorf("a long sum gave %.80s", got)
	}
}

// TestAgainstBash compares random expressions.
func TestAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	r := rand.New(rand.NewSource(3))
	atoms := strings.Fields("1 2 0 3 x y a[1] a[x] 08 0x1f 2#101 + - * / % ** ++ -- = += *= << >> < <= > >= == != && || ! ~ & | ^ ? : ( ) , 7 5 z x y 1 2 @ -1 >>= |=")
	var texts []string
	var in bytes.Buffer
	for len(texts) < 5000 {
		s := ""
		for n := r.Intn(8); n >= 0; n-- {
			s += atoms[r.Intn(len(atoms))]
			if r.Intn(5) == 0 {
				s += " "
			}
		}
		if s = strings.Trim(s, " "); s == "--" { // let's own
			continue
		}
		texts = append(texts, s)
		fmt.Fprintln(&in, s)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "-c", `while IFS= read -r e; do unset a ${!x*} ${!y*} ${!z*} ${!_*}; x=3 y=x+1 z=; let "$e"; s=$?; echo "$s $x $y $z ${a[*]}"; done 2>&1`)
	cmd.Env = []string{"LC_ALL=C"}
	cmd.Stdin = &in
	out, _ := cmd.Output()
	answers := strings.Split(string(out), "\n")
	bad := 0
	for _, text := range texts {
		v := &variables{values: map[string]string{"x": "3", "y": "x+1", "z": ""}, elements: map[string]string{}}
		n, err := Evaluate(text, v, 0)
		got, status := "", 0
		if err != nil {
			got, status = "environment: line 0: let: "+err.Error()+"\n", 1
		} else if n == 0 {
			status = 1
		}
		elements := make([]string, 0, 2)
		for i := -1; i < 64; i++ {
			if s, ok := v.elements[fmt.Sprint("a", i)]; ok {
				elements = append(elements, s)
			}
		}
		got += fmt.Sprint(status, " ", v.values["x"], " ", v.values["y"], " ", v.values["z"], " ", strings.Join(elements, " "))
		want := answers[0]
		answers = answers[1:]
		if strings.Contains(want, "let: ") {
			_, message, _ := strings.Cut(want, "let: ")
			want = "environment: line 0: let: " + message + "\n" + answers[0]
			answers = answers[1:]
		}
		if got != want {
			if bad++; bad < 20 {
				t.Errorf("%q\n got %s\nbash %s", text, got, want)
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d differ", bad)
	}
}
