package builtins

import "testing"

// The expected texts are those of the real programs.
func TestGetopt(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"the old form quotes nothing", "getopt ab:c -a -b x y", "", " -a -b x -- y\n"},
		{"options and operands in order", "getopt -o ab:c:: -l foo,bar:,baz:: -- -a -bx -c file -cy --foo --bar=1 --baz --baz=2 'a b'", "", " -a -b 'x' -c '' -c 'y' --foo --bar '1' --baz '' --baz '2' -- 'file' 'a b'\n"},
		{"all errors are told", "getopt -n prog -o a: -l long -- -z --nope -a", "", " --\nprog: invalid option -- 'z'\nprog: unrecognized option '--nope'\nprog: option requires an argument -- 'a'\n[exit status 1]\n"},
		{"no messages", "getopt -q -o a -- -z", "", " --\n[exit status 1]\n"},
		{"no output", "getopt -Q -o a -- -a", "", ""},
		{"unquoted", "getopt -u -o a: -- -a 'x y' z", "", " -a x y -- z\n"},
		{"csh", "getopt -s csh -o a: -- -a 'x!y'", "", " -a 'x'\\!'y' --\n"},
		{"one dash", "getopt -a -o a -l long,lo: -- -long -lo x -a", "", " --long --lo 'x' -a --\n"},
		{"stop at an operand", "getopt -o +ab -- -a x -b", "", " -a -- 'x' '-b'\n"},
		{"operands in place", "getopt -o -ab -- -a x -b", "", " -a 'x' -b --\n"},
		{"an ambiguous option", "getopt -o a -l foo,foobar -- --fo", "", " --\ngetopt: option '--fo' is ambiguous; possibilities: '--foo' '--foobar'\n[exit status 1]\n"},
		{"an argument too many", "getopt -o a -l foo -- --foo=1", "", " --\ngetopt: option '--foo' doesn't allow an argument\n[exit status 1]\n"},
		{"an argument too few", "getopt -o a -l bar: -- --bar", "", " --\ngetopt: option '--bar' requires an argument\n[exit status 1]\n"},
		{"an unknown shell", "getopt -s foo -o a -- -a", "", "getopt: unknown shell after -s or --shell argument\nTry 'getopt --help' for more information.\n[exit status 2]\n"},
		{"a long option without a name", "getopt -l :", "", "getopt: empty long option after -l or --long argument\nTry 'getopt --help' for more information.\n[exit status 2]\n"},
		{"-T is status 4", "getopt -T", "", "[exit status 4]\n"},
		{"nothing", "getopt", "", "getopt: missing optstring argument\nTry 'getopt --help' for more information.\n[exit status 2]\n"},
	})
}
