package builtins

import "testing"

// The expected texts are those of the real programs.
func TestPaste(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"side by side", "paste f n", "", "apple\t10\nbanana\t9\ncherry\t100\n\t1\n"},
		{"-d in turn", "paste -d ,: f n f", "", "apple,10:apple\nbanana,9:banana\ncherry,100:cherry\n,1:\n"},
		{"-s", "paste -s f n", "", "apple\tbanana\tcherry\n10\t9\t100\t1\n"},
		{"-s -d", "paste -s -d ,: n", "", "10,9:100,1\n"},
		{"no delimiter", "paste -d '\\0' f n", "", "apple10\nbanana9\ncherry100\n1\n"},
		{"an empty list", "paste -d '' f n", "", "apple10\nbanana9\ncherry100\n1\n"},
		{"escapes", "paste -d '\\n\\\\' f n f", "", "apple\n10\\apple\nbanana\n9\\banana\ncherry\n100\\cherry\n\n1\\\n"},
		{"stdin twice", "paste - -", "1\n2\n3\n", "1\t2\n3\t\n"},
		{"an empty file", "paste f e n", "", "apple\t\t10\nbanana\t\t9\ncherry\t\t100\n\t\t1\n"},
		{"nothing", "paste e e", "", ""},
		{"-s of nothing", "paste -s e", "", "\n"},
		{"-z", "paste -sz -d,", "a\x00b\x00", "a,b\x00"},
		{"a backslash at the end", "paste -d 'a\\' f", "", "paste: delimiter list ends with an unescaped backslash: a\\\n[exit status 1]\n"},
		{"a missing file ends the run", "paste f no", "", "paste: no: No such file or directory\n[exit status 1]\n"},
		{"but not with -s", "paste -s no n", "", "10\t9\t100\t1\npaste: no: No such file or directory\n[exit status 1]\n"},
	})
}
