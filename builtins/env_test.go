package builtins

import "testing"

// The expected texts are those of the real programs.
func TestEnv(t *testing.T) {
	runTable(t, []string{"d/", "s=x"}, []tableCase{
		{"adds at the end", "env -i A=1 B=2", "", "A=1\nB=2\n"},
		{"- is -i", "env - A=1", "", "A=1\n"},
		{"the last of a name counts", "env -i A=1 A=2 B=3", "", "A=2\nB=3\n"},
		{"-u", "env -i -u A B=1", "", "B=1\n"},
		{"-0", "env -i -0 A=1 B=2", "", "A=1\x00B=2\x00"},
		{"-S", `env -i -S 'A=1 B="x y" C=a\_b'`, "", "env: ‘b’: No such file or directory\n[exit status 127]\n"},
		{"-S with escapes", "env -i -S 'A=a\\tb #c'", "", "A=a\tb\n"},
		{"-S with a variable", "env -i -S 'A=${HOME}'", "", "A=/w\n"},
		{"-S before other options", "env -S -i A=1", "", "A=1\n"},
		{"letters before -S", "env -iS 'A=3'", "", "A=3\n"},
		{"a command", "env A=1 printenv A", "", "1\n"},
		{"-C", "env -C d pwd -P", "", "/w/d\n"},
		{"a command's status", "env false", "", "[exit status 1]\n"},
		{"no command", "env nosuch", "", "env: ‘nosuch’: No such file or directory\n[exit status 127]\n"},
		{"a command with a blank", "env 'a b'", "", "env: ‘a b’: No such file or directory\nenv: use -[v]S to pass options in shebang lines\n[exit status 127]\n"},
		{"a directory", "env ./d", "", "env: ‘./d’: Permission denied\n[exit status 126]\n"},
		{"-v", "env -i -v A=1 PATH=/usr/bin echo hi", "", "hi\ncleaning environ\nsetenv:   A=1\nsetenv:   PATH=/usr/bin\nexecuting: echo\n   arg[0]= ‘echo’\n   arg[1]= ‘hi’\n"},
		{"-S without end", `env -S '"a'`, "", "env: no terminating quote in -S string\n[exit status 125]\n"},
		{"-S with a bad escape", "env -S '\\q'", "", "env: invalid sequence '\\q' in -S\n[exit status 125]\n"},
		{"-S with a bare variable", "env -S '$HOME'", "", "env: only ${VARNAME} expansion is supported, error at: $HOME\n[exit status 125]\n"},
		{"-u of no name", "env -u a=b", "", "env: cannot unset ‘a=b’: Invalid argument\n[exit status 125]\n"},
		{"-C without command", "env -C d", "", "env: must specify command with --chdir (-C)\nTry 'env --help' for more information.\n[exit status 125]\n"},
		{"-C of nothing", "env -C no true", "", "env: cannot change directory to 'no': No such file or directory\n[exit status 125]\n"},
		{"-0 with command", "env -0 true", "", "env: cannot specify --null (-0) with command\nTry 'env --help' for more information.\n[exit status 125]\n"},
		{"an unknown signal", "env --block-signal=xx true", "", "env: ‘xx’: invalid signal\nTry 'env --help' for more information.\n[exit status 125]\n"},
	})
}
