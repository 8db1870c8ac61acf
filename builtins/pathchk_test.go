package builtins

import "testing"

// The expected texts are those of the real programs.
func TestPathchk(t *testing.T) {
	runTable(t, []string{"f=", "d/"}, []tableCase{
		{"a good name", "pathchk d/x nodir/x", "", ""},
		{"a file as a directory", "pathchk f/x", "", "pathchk: f/x: Not a directory\n[exit status 1]\n"},
		{"a character", "pathchk -p 'a b'", "", "pathchk: nonportable character ‘ ’ in file name 'a b'\n[exit status 1]\n"},
		{"a long component", "pathchk -p abcdefghijklmnopq", "", "pathchk: limit 14 exceeded by length 17 of file name component ‘abcdefghijklmnopq’\n[exit status 1]\n"},
		{"a dash", "pathchk -P a/-b", "", "pathchk: leading '-' in a component of file name 'a/-b'\n[exit status 1]\n"},
		{"an empty name", "pathchk -P ''", "", "pathchk: empty file name\n[exit status 1]\n"},
		{"an empty name for the system", "pathchk ''", "", "pathchk: '': No such file or directory\n[exit status 1]\n"},
		{"both", "pathchk --portability é", "", "pathchk: nonportable character ‘é’ in file name 'é'\n[exit status 1]\n"},
		{"no name", "pathchk", "", "pathchk: missing operand\nTry 'pathchk --help' for more information.\n[exit status 1]\n"},
	})
}
