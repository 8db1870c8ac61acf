package builtins

import "testing"

// The expected texts are those of the real programs.
func TestPr(t *testing.T) {
	runTable(t, []string{"f=1\n2\n3\n4\n5\n6\n7\n", "g=a\tb\nlong line here\n", "d/"}, []tableCase{
		{"a page", "pr -l 15 f", "", "\n\n2024-01-02 03:04                        f                         Page 1\n\n\n1\n2\n3\n4\n5\n\n\n\n\n\n\n\n2024-01-02 03:04                        f                         Page 2\n\n\n6\n7\n\n\n\n\n\n\n\n\n"},
		{"two pages", "pr -l 13 -h Title f", "", "\n\n2024-01-02 03:04                      Title                       Page 1\n\n\n1\n2\n3\n\n\n\n\n\n\n\n2024-01-02 03:04                      Title                       Page 2\n\n\n4\n5\n6\n\n\n\n\n\n\n\n2024-01-02 03:04                      Title                       Page 3\n\n\n7\n\n\n\n\n\n\n\n"},
		{"only the second", "pr +2 -l 13 f", "", "\n\n2024-01-02 03:04                        f                         Page 2\n\n\n4\n5\n6\n\n\n\n\n\n\n\n2024-01-02 03:04                        f                         Page 3\n\n\n7\n\n\n\n\n\n\n\n"},
		{"columns downwards", "pr -t -3 f", "", "1\t\t\t4\t\t\t6\n2\t\t\t5\t\t\t7\n3\n"},
		{"columns across", "pr -t -a -3 f", "", "1\t\t\t2\t\t\t3\n4\t\t\t5\t\t\t6\n7\n"},
		{"side by side", "pr -m -t f g", "", "1\t\t\t\t    a\t    b\n2\t\t\t\t    long line here\n3\t\t\t\t    \n4\t\t\t\t    \n5\t\t\t\t    \n6\t\t\t\t    \n7\t\t\t\t    \n"},
		{"joined by a character", "pr -ts, -3 f", "", "1,4,6\n2,5,7\n3\n"},
		{"a text between columns", "pr -S: -t -3 f", "", "1\t\t       :4\t\t       :6\n2\t\t       :5\t\t       :7\n3\n"},
		{"numbers", "pr -n: -t g", "", "    1:a\tb\n    2:long line here\n"},
		{"numbers in columns", "pr -n -t -2 f", "", "    1\t1\t\t\t    \t5   5\n    2\t2\t\t\t    \t6   6\n    3\t3\t\t\t    \t7   7\n    4\t4\n"},
		{"double space", "pr -d -t g", "", "a\tb\n\nlong line here\n\n"},
		{"a margin", "pr -o 4 -t g", "", "    a\tb\n    long line here\n"},
		{"a narrow page", "pr -W 10 -t g", "", "a\tb\nlong line \n"},
		{"form feeds", "pr -F -l 15 f", "", "\n\n2024-01-02 03:04                        f                         Page 1\n\n\n1\n2\n3\n4\n5\n\x0c\n\n2024-01-02 03:04                        f                         Page 2\n\n\n6\n7\n\x0c"},
		{"a form feed of the input", "pr -t", "a\x0cb\n", "a\n\x0cb\n"},
		{"control characters", "pr -c -t", "a\x01b\n", "a^Ab\n"},
		{"a date", "pr -D %Y -l 12 f", "", "\n\n2024                              f                               Page 1\n\n\n1\n2\n\n\n\n\n\n\n\n2024                              f                               Page 2\n\n\n3\n4\n\n\n\n\n\n\n\n2024                              f                               Page 3\n\n\n5\n6\n\n\n\n\n\n\n\n2024                              f                               Page 4\n\n\n7\n\n\n\n\n\n\n"},
		{"a page that is not there", "pr +3 f", "", "pr: starting page number 3 exceeds page count 1\n"},
		{"no lines", "pr -l 0 f", "", "pr: '-l PAGE_LENGTH' invalid number of lines: ‘0’: Numerical result out of range\n[exit status 1]\n"},
		{"columns and side by side", "pr -m -2 f", "", "pr: cannot specify number of columns when printing in parallel\n[exit status 1]\n"},
		{"pages backwards", "pr --pages=2:1 f", "", "pr: invalid page range ‘2:1’\n[exit status 1]\n"},
		{"a missing file", "pr nope", "", "pr: nope: No such file or directory\n[exit status 1]\n"},
	})
}
