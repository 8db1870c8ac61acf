package builtins

import "testing"

// The expected texts are those of the real programs.
func TestPrintf(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"the format again", "printf '%s-%d\\n' a 1 b 2", "", "a-1\nb-2\n"},
		{"%q", "printf '%q\\n' 'a b' '' plain", "", "'a b'\n''\nplain\n"},
		{"%b", "printf '%b|' 'a\\tb'", "", "a\tb|"},
		{"no number", "printf '%d\\n' x", "", "0\nprintf: ‘x’: expected a numeric value\n[exit status 1]\n"},
		{"a number and more", "printf '%d\\n' 5x", "", "5\nprintf: ‘5x’: value not completely converted\n[exit status 1]\n"},
		{"no operand", "printf", "", "printf: missing operand\nTry 'printf --help' for more information.\n[exit status 1]\n"},
		{"too many arguments", "printf 'x\\n' a", "", "x\nprintf: warning: ignoring excess arguments, starting with ‘a’\n"},
		{"a bad conversion", "printf %z", "", "printf: %z: invalid conversion specification\n[exit status 1]\n"},
		{"--", "printf -- '%s\\n' x", "", "x\n"},
	})
}
