package builtins

import "testing"

// The expected texts are those of the real programs.
func TestTest(t *testing.T) {
	runTable(t, []string{"f=x", "d/"}, []tableCase{
		{"no expression is false", "test", "", "[exit status 1]\n"},
		{"a string", "test a", "", ""},
		{"an empty string", "test ''", "", "[exit status 1]\n"},
		{"a file", "test -f f", "", ""},
		{"a directory", "test -d f", "", "[exit status 1]\n"},
		{"equal", "test a = a", "", ""},
		{"numbers", "test 1 -lt 2", "", ""},
		{"no number", "test 1 -eq x", "", "test: invalid integer ‘x’\n[exit status 2]\n"},
		{"and, or", "test '' -o a -a b", "", ""},
		{"not", "test ! a", "", "[exit status 1]\n"},
		{"parentheses", "test ( a )", "", ""},
		{"too much", "test a b c d", "", "test: extra argument ‘b’\n[exit status 2]\n"},
		{"a missing bracket", "[ a", "", "[: missing ‘]’\n[exit status 2]\n"},
		{"brackets", "[ a = a ]", "", ""},
		{"no closing parenthesis", "test ( a", "", "test: missing argument after ‘a’\n[exit status 2]\n"},
		{"the same file", "test f -ef f", "", ""},
		{"--help is a string", "test --help", "", ""},
		{"not readable", "test -r no", "", "[exit status 1]\n"},
	})
}
