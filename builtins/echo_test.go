package builtins

import "testing"

// The expected texts are those of the real programs.
func TestEcho(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"strings", "echo a 'b  c'", "", "a b  c\n"},
		{"-n", "echo -n a", "", "a"},
		{"-e", "echo -e 'a\\tb\\x41\\0101\\101\\q\\\\'", "", "a\tbAAA\\q\\\n"},
		{"-E is the default", "echo 'a\\n'", "", "a\\n\n"},
		{"\\c ends", "echo -e 'a\\cb' c", "", "a"},
		{"bundled", "echo -neE 'a\\n'", "", "a\\n"},
		{"no option", "echo -nq a", "", "-nq a\n"},
		{"a backslash at the end", "echo -e 'a\\'", "", "a\\\n"},
		{"two digits of hexadecimal", "echo -e '\\x414\\xg'", "", "A4\\xg\n"},
		{"nothing", "echo", "", "\n"},
		{"--help among others is text", "echo --help x", "", "--help x\n"},
	})
}
