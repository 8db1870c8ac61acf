package builtins

import "testing"

// The expected texts are those of the real programs.
func TestNl(t *testing.T) {
	runTable(t, []string{"f=apple\nbanana\ncherry\n", "n=10\n9\n100\n1\n", "d/", "e="}, []tableCase{
		{"lines with text", "nl", "a\n\nb\n", "     1\ta\n       \n     2\tb\n"},
		{"-ba", "nl -ba", "a\n\nb\n", "     1\ta\n     2\t\n     3\tb\n"},
		{"-bp", "nl -bpb", "a\nb\n", "       a\n     1\tb\n"},
		{"-bn", "nl -bn f", "", "       apple\n       banana\n       cherry\n"},
		{"-n ln -w -s", "nl -nln -w3 -s: f", "", "1  :apple\n2  :banana\n3  :cherry\n"},
		{"-n rz", "nl -nrz -v-2 f", "", "-00002\tapple\n-00001\tbanana\n000000\tcherry\n"},
		{"-v -i", "nl -v10 -i-5 f", "", "    10\tapple\n     5\tbanana\n     0\tcherry\n"},
		{"-l", "nl -ba -l2", "a\n\n\n\nb\n", "     1\ta\n       \n     2\t\n       \n     3\tb\n"},
		{"sections", "nl -ha -fa", "\\:\\:\\:\nh\n\\:\\:\nb\n\\:\nf\n", "\n     1\th\n\n     1\tb\n\n     1\tf\n"},
		{"-p", "nl -p", "a\n\\:\\:\nb\n", "     1\ta\n\n     2\tb\n"},
		{"-d", "nl -d @@", "@@@@\nx\n@@\ny\n", "\n     1\tx\n\n       y\n"},
		{"a wide number", "nl -w1 -v999 f", "", "999\tapple\n1000\tbanana\n1001\tcherry\n"},
		{"a bad style", "nl -bx f", "", "nl: invalid body numbering style: ‘x’\nTry 'nl --help' for more information.\n[exit status 1]\n"},
		{"a bad format", "nl -nx f", "", "nl: invalid line numbering format: ‘x’\nTry 'nl --help' for more information.\n[exit status 1]\n"},
		{"width 0", "nl -w0 f", "", "nl: invalid line number field width: ‘0’: Numerical result out of range\n[exit status 1]\n"},
		{"no number", "nl -vx f", "", "nl: invalid starting line number: ‘x’\n[exit status 1]\n"},
		{"overflow", "nl -v 9223372036854775807 f", "", "9223372036854775807\tapple\nnl: line number overflow\n[exit status 1]\n"},
		{"a missing file", "nl no e", "", "nl: no: No such file or directory\n[exit status 1]\n"},
	})
}
