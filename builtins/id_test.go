package builtins

import "testing"

// The expected texts are those of the real programs.
func TestID(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"all", "id", "", "uid=0(root) gid=0(root) groups=0(root)\n"},
		{"-u", "id -u", "", "0\n"},
		{"-un", "id -un", "", "root\n"},
		{"-gn", "id -gn", "", "root\n"},
		{"-G", "id -G", "", "0\n"},
		{"-Gz", "id -Gz", "", "0\x00"},
		{"a user", "id root", "", "uid=0(root) gid=0(root) groups=0(root)\n"},
		{"an unknown user", "id nosuch", "", "id: ‘nosuch’: no such user\n[exit status 1]\n"},
		{"names of all", "id -n", "", "id: cannot print only names or real IDs in default format\n[exit status 1]\n"},
		{"two choices", "id -ug", "", "id: cannot print \"only\" of more than one choice\n[exit status 1]\n"},
		{"-z of all", "id -z", "", "id: option --zero not permitted in default format\n[exit status 1]\n"},
		{"none", "groups", "", "root\n"},
		{"of a user", "groups root", "", "root : root\n"},
		{"whoami", "whoami", "", "root\n"},
		{"whoami takes none", "whoami x", "", "whoami: extra operand ‘x’\nTry 'whoami --help' for more information.\n[exit status 1]\n"},
	})
}
