package builtins

import "testing"

// The expected texts are those of the real programs.
func TestRev(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"characters", "rev", "añ日\nb", "日ña\nb"},
		{"files", "rev f n", "", "elppa\nananab\nyrrehc\n01\n9\n001\n1\n"},
		{"a byte that is none ends the file", "rev", "ab\na\xffb\ncd\n", "ba\nrev: stdin: 1: Invalid or incomplete multibyte or wide character\n[exit status 1]\n"},
		{"what follows a NUL is lost", "rev", "a\x00b\ncd\n", "dca\n"},
		{"- is a name", "rev -", "", "rev: cannot open -: No such file or directory\n[exit status 1]\n"},
		{"a directory", "rev d", "", "rev: d: 0: Is a directory\n[exit status 1]\n"},
	})
}
