package builtins

import "testing"

// The expected texts are those of the real programs.
func TestFmt(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"fills", "fmt -w 30", "Hello there.  This is a test. And more (yes) of it! Ok?\nnext line here: with, punctuation; and \"quotes\".\n", "Hello there.  This is a\ntest. And more (yes) of\nit! Ok?  next line here:\nwith, punctuation; and\n\"quotes\".\n"},
		{"-u", "fmt -u -w 30", "Hello there.  This is a test. And more (yes) of it! Ok?\nnext line here: with, punctuation; and \"quotes\".\n", "Hello there.  This is a\ntest. And more (yes) of\nit! Ok?  next line here:\nwith, punctuation; and\n\"quotes\".\n"},
		{"-s", "fmt -s -w 30", "Hello there.  This is a test. And more (yes) of it! Ok?\nnext line here: with, punctuation; and \"quotes\".\n", "Hello there.  This is a\ntest. And more (yes) of\nit! Ok?\nnext line here: with,\npunctuation; and \"quotes\".\n"},
		{"-g", "fmt -g 20 -w 30", "Hello there.  This is a test. And more (yes) of it! Ok?\nnext line here: with, punctuation; and \"quotes\".\n", "Hello there.  This is\na test. And more\n(yes) of it! Ok?\nnext line here: with,\npunctuation; and \"quotes\".\n"},
		{"an old width", "fmt -25", "Hello there.  This is a test. And more (yes) of it! Ok?\nnext line here: with, punctuation; and \"quotes\".\n", "Hello there.  This is a\ntest. And more (yes) of\nit! Ok?  next line here:\nwith, punctuation; and\n\"quotes\".\n"},
		{"indents stay", "fmt -w 12", "  aa bb cc\n  dd\n", "  aa bb\n  cc dd\n"},
		{"another indent is another paragraph", "fmt", "a\n  b\n", "a\n  b\n"},
		{"-c", "fmt -c -w 12", "  aa bb\ncc dd ee ff\ngg\n", "  aa bb cc\ndd ee ff gg\n"},
		{"-t", "fmt -t -w 18", "Tag one two three four\n  five six seven eight\n", "Tag one two three\n  four five six\n  seven eight\n"},
		{"-p", "fmt -p '#' -w 14", "# some comment text\n# more\ncode line\n", "# some\n# comment\n# text more\ncode line\n"},
		{"empty lines", "fmt", "a\n\n\nb\n", "a\n\n\nb\n"},
		{"tabs", "fmt -w 20", "\tone two three four\n", "\tone two\n\tthree four\n"},
		{"a long word", "fmt -w 5", "a bbbbbbbbbb c\n", "a\nbbbbbbbbbb\nc\n"},
		{"a width too large", "fmt -w 2501", "", "fmt: invalid width: ‘2501’: Numerical result out of range\n[exit status 1]\n"},
		{"a late width", "fmt -c -20", "", "fmt: invalid option -- 2; -WIDTH is recognized only when it is the first\noption; use -w N instead\nTry 'fmt --help' for more information.\n[exit status 1]\n"},
		{"a missing file", "fmt no", "", "fmt: cannot open 'no' for reading: No such file or directory\n[exit status 1]\n"},
	})
}
