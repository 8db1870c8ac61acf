package builtins

import "testing"

// The expected texts are those of the real programs.
func TestExpr(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"product binds tighter than sum", "expr 2 + 3 * 4", "", "14\n"},
		{"parentheses", "expr ( 2 + 3 ) * 4", "", "20\n"},
		{"division truncates", "expr -7 / 2", "", "-3\n"},
		{"the rest has the dividend's sign", "expr -7 % 3", "", "-1\n"},
		{"numbers of any size", "expr 12345678901234567890 * 98765432109876543210", "", "1219326311370217952237463801111263526900\n"},
		{"zero is status 1", "expr 1 - 1", "", "0\n[exit status 1]\n"},
		{"empty is status 1", "expr ''", "", "\n[exit status 1]\n"},
		{"numbers compare as numbers", "expr 10 < 9", "", "0\n[exit status 1]\n"},
		{"words compare as text", "expr a10 < a9", "", "1\n"},
		{"the first that is not null", "expr 0 | 5", "", "5\n"},
		{"both or zero", "expr 3 & 0", "", "0\n[exit status 1]\n"},
		{"what is not wanted is not computed", "expr 1 | 1 / 0", "", "1\n"},
		{"a match's length", "expr abcdef : abc", "", "3\n"},
		{"a match's group", "expr abcdef : '.*\\(d.\\)'", "", "de\n"},
		{"no match of a group", "expr abc : '\\(x\\)'", "", "\n[exit status 1]\n"},
		{"a match begins at the start", "expr abc : b", "", "0\n[exit status 1]\n"},
		{"characters, not bytes", "expr length héé", "", "3\n"},
		{"substr counts from one", "expr substr abcdef 2 3", "", "bcd\n"},
		{"substr of nothing", "expr substr abc 0 2", "", "\n[exit status 1]\n"},
		{"index", "expr index abcdef dc", "", "3\n"},
		{"match", "expr match abc 'a.'", "", "2\n"},
		{"plus quotes a keyword", "expr + length", "", "length\n"},
		{"a word that is no number", "expr 1 + a", "", "expr: non-integer argument\n[exit status 2]\n"},
		{"division by zero", "expr 1 / 0", "", "expr: division by zero\n[exit status 2]\n"},
		{"a missing argument", "expr 1 +", "", "expr: syntax error: missing argument after ‘+’\n[exit status 2]\n"},
		{"a missing parenthesis", "expr ( 1", "", "expr: syntax error: expecting ')' after ‘1’\n[exit status 2]\n"},
		{"another word for a parenthesis", "expr ( 1 2", "", "expr: syntax error: expecting ')' instead of ‘2’\n[exit status 2]\n"},
		{"a word too many", "expr 1 2", "", "expr: syntax error: unexpected argument ‘2’\n[exit status 2]\n"},
		{"a closing parenthesis", "expr )", "", "expr: syntax error: unexpected ')'\n[exit status 2]\n"},
		{"a faulty expression", "expr abc : '\\('", "", "expr: Unmatched ( or \\(\n[exit status 2]\n"},
		{"nothing", "expr", "", "expr: missing operand\nTry 'expr --help' for more information.\n[exit status 2]\n"},
	})
}
