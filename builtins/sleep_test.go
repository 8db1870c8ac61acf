package builtins

import "testing"

// The expected texts are those of the real programs.
func TestSleep(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"nothing", "sleep 0 0.0s 0m 0h 0d", "", ""},
		{"a fraction", "sleep .001", "", ""},
		{"an exponent", "sleep 1e-3", "", ""},
		{"no operand", "sleep", "", "sleep: missing operand\nTry 'sleep --help' for more information.\n[exit status 1]\n"},
		{"all bad operands are told", "sleep x 1_0 ''", "", "sleep: invalid time interval ‘x’\nsleep: invalid time interval ‘1_0’\nsleep: invalid time interval ‘’\nTry 'sleep --help' for more information.\n[exit status 1]\n"},
		{"a sign", "sleep -- -1", "", "sleep: invalid time interval ‘-1’\nTry 'sleep --help' for more information.\n[exit status 1]\n"},
		{"two suffixes", "sleep 1ss", "", "sleep: invalid time interval ‘1ss’\nTry 'sleep --help' for more information.\n[exit status 1]\n"},
		{"not a number", "sleep nan", "", "sleep: invalid time interval ‘nan’\nTry 'sleep --help' for more information.\n[exit status 1]\n"},
	})
}
