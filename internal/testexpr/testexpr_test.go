package testexpr

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

type files struct{}

func (files) Unary(op byte, operand string) bool {
	return operand == "/tmp" && (op == 'd' || op == 'e')
}
func (files) Files(op, left, right string) bool { return false }
func (files) Stopped() bool                     { return false }

// The answers are bash 5.2's builtin and coreutils 9.1's program: status and
// message, in the C.UTF-8 locale.
func TestAnswersAreTheRealTools(t *testing.T) {
	for _, c := range []struct {
		call    string
		status  int
		message string
		program int
		text    string
	}{
		{`test a b`, 2, `a: unary operator expected`, 2, `missing argument after ‘b’`},
		{`test -Q b`, 2, `-Q: unary operator expected`, 2, `‘-Q’: unary operator expected`},
		{`test -ab b`, 2, `-ab: unary operator expected`, 2, `missing argument after ‘b’`},
		{`test a b c`, 2, `b: binary operator expected`, 2, `‘b’: binary operator expected`},
		{`test a b c d`, 2, `too many arguments`, 2, `extra argument ‘b’`},
		{`test ! a b c`, 2, `b: binary operator expected`, 2, `‘b’: binary operator expected`},
		{`test ( a`, 2, `(: unary operator expected`, 2, `missing argument after ‘a’`},
		{`test ( a )`, 0, ``, 0, ``},
		{`test ( a b`, 2, `a: binary operator expected`, 2, `‘a’: binary operator expected`},
		{`test ( a b )`, 2, `a: unary operator expected`, 2, `missing argument after ‘)’`},
		{`test a -a`, 2, `a: unary operator expected`, 2, `missing argument after ‘-a’`},
		{`test a -a b`, 0, ``, 0, ``},
		{`test a -o`, 2, `a: unary operator expected`, 2, `missing argument after ‘-o’`},
		{`test -f`, 0, ``, 0, ``},
		{`test -f -a b -a c`, 2, `too many arguments`, 2, `extra argument ‘b’`},
		{`test a = b = c`, 2, `too many arguments`, 2, `extra argument ‘=’`},
		{`test a -eq 1`, 2, `a: integer expression expected`, 2, `invalid integer ‘a’`},
		{`test 1 -eq b`, 2, `b: integer expression expected`, 2, `invalid integer ‘b’`},
		{`test 1.5 -eq 1`, 2, `1.5: integer expression expected`, 2, `invalid integer ‘1.5’`},
		{`test " 1 " -eq 1`, 0, ``, 0, ``},
		{`test +1 -eq 1`, 0, ``, 0, ``},
		{`test "" -eq 0`, 2, `: integer expression expected`, 2, `invalid integer ‘’`},
		{`test 99999999999999999999 -eq 1`, 2, `99999999999999999999: integer expression expected`, 1, ``},
		{`test -t`, 0, ``, 0, ``},
		{`test -t 0`, 1, ``, 1, ``},
		{`test -t x`, 1, ``, 2, `invalid integer ‘x’`},
		{`test -t x y`, 2, `x: binary operator expected`, 2, `‘x’: binary operator expected`},
		{`[ a`, 2, "missing `]'", 2, `missing ‘]’`},
		{`[`, 2, "missing `]'", 2, `missing ‘]’`},
		{`[ ]`, 1, ``, 1, ``},
		{`[ a = ]`, 2, `a: unary operator expected`, 2, `missing argument after ‘=’`},
		{`[ = a ]`, 2, `=: unary operator expected`, 2, `missing argument after ‘a’`},
		{`[ a b ]`, 2, `a: unary operator expected`, 2, `missing argument after ‘b’`},
		{`[ ! ]`, 0, ``, 0, ``},
		{`[ ! a ]`, 1, ``, 1, ``},
		{`[ ! ! a ]`, 0, ``, 0, ``},
		{`[ a -a ! ]`, 0, ``, 2, `missing argument after ‘!’`},
		{`[ ( ) ]`, 2, `(: unary operator expected`, 2, `missing argument after ‘)’`},
		{`[ ( a -o b ) -a c ]`, 0, ``, 0, ``},
		{`[ ( a -o b -a c ]`, 2, "`)' expected, found ]", 2, `‘)’ expected, found ‘]’`},
		{`[ ( a -o b x c ]`, 2, "`)' expected, found x", 2, `‘)’ expected, found ‘x’`},
		{`[ a -z b -o c ]`, 2, "syntax error: `-z' unexpected", 2, `extra argument ‘-z’`},
		{`[ -n a -o -z ]`, 0, ``, 2, `missing argument after ‘-z’`},
		{`[ -n a -a -z b c ]`, 2, `too many arguments`, 2, `extra argument ‘c’`},
		{`[ a -gt ]`, 2, `a: unary operator expected`, 2, `missing argument after ‘-gt’`},
		{`[ 1 -gt 2 3 ]`, 2, `too many arguments`, 2, `extra argument ‘3’`},
		{`[ -o errexit ]`, 1, ``, 2, `‘-o’: unary operator expected`},
		{`[ -v x ]`, 1, ``, 2, `‘-v’: unary operator expected`},
		{`[ -R x ]`, 1, ``, 2, `‘-R’: unary operator expected`},
		{`[ -l a = 1 ]`, 2, `too many arguments`, 1, ``},
		{`[ -l a -eq 1 ]`, 2, `too many arguments`, 0, ``},
		{`[ a == a ]`, 0, ``, 0, ``},
		{`[ a =~ a ]`, 2, `=~: binary operator expected`, 2, `‘=~’: binary operator expected`},
		{`[ a < b ]`, 0, ``, 2, `‘<’: binary operator expected`},
		{`[ b > a ]`, 0, ``, 2, `‘>’: binary operator expected`},
		{`[ a != b ]`, 0, ``, 0, ``},
		{`[ -e /tmp -a -d /tmp ]`, 0, ``, 0, ``},
		{`[ -d /tmp -o a b c ]`, 2, `too many arguments`, 2, `extra argument ‘b’`},
		{`[ ! -d /tmp -o a ]`, 0, ``, 0, ``},
		{`[ a -ef b ]`, 1, ``, 1, ``},
		{`[ -a ]`, 0, ``, 0, ``},
		{`[ -a -a -a ]`, 0, ``, 2, `‘-a’: unary operator expected`},
		{`[ ! = ! ]`, 0, ``, 0, ``},
		{`[ ( = ( ]`, 0, ``, 0, ``},
		{`[ ( ! a ) ]`, 1, ``, 1, ``},
		{`[ a -o b -o c ]`, 0, ``, 0, ``},
		{`[ -z "" -a -z "" ]`, 0, ``, 0, ``},
		{`[ 1 -eq 1 -a 2 -eq 2 ]`, 0, ``, 0, ``},
		{`[ 1 -eq 1 -a 2 -eq ]`, 2, "syntax error: `-eq' unexpected", 2, `extra argument ‘-eq’`},
		{`[ a = a -x ]`, 2, "syntax error: `-x' unexpected", 2, `extra argument ‘-x’`},
		{`[ a = a x ]`, 2, `too many arguments`, 2, `extra argument ‘x’`},
		{`[ a b c d e ]`, 2, `too many arguments`, 2, `extra argument ‘b’`},
		{`[ -f a b ]`, 2, `a: binary operator expected`, 2, `‘a’: binary operator expected`},
		{`[ -nt a ]`, 2, `-nt: unary operator expected`, 2, `missing argument after ‘a’`},
		{`[ a -nt ]`, 2, `a: unary operator expected`, 2, `missing argument after ‘-nt’`},
		{`[ a -nt b c ]`, 2, `too many arguments`, 2, `extra argument ‘c’`},
		{`[ ! a -a b ]`, 1, ``, 1, ``},
		{`[ ! ( a ) ]`, 1, ``, 1, ``},
		{`[ ( ( a ) ) ]`, 0, ``, 2, `missing argument after ‘)’`},
		{`[ -b -c ]`, 1, ``, 1, ``},
		{`[ a -b ]`, 2, `a: unary operator expected`, 2, `missing argument after ‘-b’`},
		{`[ 0x10 -eq 16 ]`, 2, `0x10: integer expression expected`, 2, `invalid integer ‘0x10’`},
		{`[ 010 -eq 10 ]`, 0, ``, 0, ``},
		{`[ -1 -lt 0 ]`, 0, ``, 0, ``},
		{`[ - ]`, 0, ``, 0, ``},
		{`[ -- a ]`, 2, `--: unary operator expected`, 2, `‘--’: unary operator expected`},
		{`[ -- ]`, 0, ``, 0, ``},
		{`[ --help ]`, 0, ``, 0, ``},
		{`test --help a`, 2, `--help: unary operator expected`, 2, `missing argument after ‘a’`},
		{`[ a ] ]`, 2, `a: unary operator expected`, 2, `missing argument after ‘]’`},
	} {
		for _, program := range []bool{false, true} {
			args := split(c.call)
			name := args[0]
			args = args[1:]
			status, message := 0, ""
			bracket := ""
			if name == "[" {
				if len(args) == 0 || args[len(args)-1] != "]" {
					continue // the caller's business
				}
				bracket, args = "]", args[:len(args)-1]
			}
			ok, err := Eval(args, bracket, program, func(s string) string { return "‘" + s + "’" }, files{})
			switch {
			case err != nil:
				status, message = 2, err.Error()
			case !ok:
				status = 1
			}
			if program {
				assert.Equal(t, c.program, status, "program: %s", c.call)
				assert.Equal(t, c.text, message, "program: %s", c.call)
			} else {
				assert.Equal(t, c.status, status, "builtin: %s", c.call)
				assert.Equal(t, c.message, message, "builtin: %s", c.call)
			}
		}
	}
}

// split takes a call apart; double quotes keep blanks.
func split(call string) []string {
	var out []string
	for i, quoted := range strings.Split(call, `"`) {
		if i%2 == 1 {
			out = append(out, quoted)
			continue
		}
		out = append(out, strings.Fields(quoted)...)
	}
	return out
}

func TestNestingIsBounded(t *testing.T) {
	_, err := Eval(append(strings.Split(strings.Repeat("( ", 100000), " "), "a"), "", false, nil, files{})
	assert.Error(t, err)
	ok, err := Eval(append(strings.Fields(strings.Repeat("! ", 100001)), "a"), "", false, nil, files{})
	assert.NoError(t, err)
	assert.False(t, ok)
}
