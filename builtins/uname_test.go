package builtins

import "testing"

// The expected texts are those of the real programs.
func TestUname(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"the system", "uname", "", "Linux\n"},
		{"in their order", "uname -ms", "", "Linux x86_64\n"},
		{"unknown", "uname -pi", "", "unknown unknown\n"},
		{"-o", "uname -o", "", "GNU/Linux\n"},
		{"an operand", "uname x", "", "uname: extra operand ‘x’\nTry 'uname --help' for more information.\n[exit status 1]\n"},
		{"arch", "arch", "", "x86_64\n"},
		{"tty", "tty", "", "not a tty\n[exit status 1]\n"},
		{"tty -s", "tty -s", "", "[exit status 1]\n"},
		{"tty with an operand", "tty x", "", "tty: extra operand ‘x’\nTry 'tty --help' for more information.\n[exit status 2]\n"},
		{"nproc", "nproc --ignore=100", "", "1\n"},
		{"nproc with a bad number", "nproc --ignore=x", "", "nproc: invalid number: ‘x’\n[exit status 1]\n"},
		{"hostid takes none", "hostid x", "", "hostid: extra operand ‘x’\nTry 'hostid --help' for more information.\n[exit status 1]\n"},
	})
}
