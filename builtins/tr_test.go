package builtins

import "testing"

// The expected texts are those of the real programs.
func TestTr(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"translates", "tr a-y b-z", "hello", "ifmmp"},
		{"the last character fills up", "tr a-e xy", "abcdef", "xyyyyf"},
		{"-t cuts the first string", "tr -t a-e xy", "abcdef", "xycdef"},
		{"-d deletes", "tr -d l", "hello", "heo"},
		{"-s squeezes", "tr -s l", "helllo", "helo"},
		{"-s after translation", "tr -s a-c x", "aabbccd", "xd"},
		{"-ds deletes and squeezes", "tr -ds a b", "aabbab", "b"},
		{"-c complements", "tr -c a-z '[*]'", "ab1-c", "ab]]c"},
		{"-cd keeps", "tr -cd 0-9", "a1b2", "12"},
		{"-C is -c", "tr -C a-z _", "ab1", "ab_"},
		{"classes convert case", "tr '[:upper:]' '[:lower:]'", "HeLLo", "hello"},
		{"classes in both strings stand at the same place", "tr 'x[:upper:]' '[:lower:]y'", "X", "tr: misaligned [:upper:] and/or [:lower:] construct\n[exit status 1]\n"},
		{"a class that may not be in the second", "tr a-j '[:digit:]'", "a", "tr: when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'\n[exit status 1]\n"},
		{"a class ends the second string", "tr 0-9a-z '[:upper:]'", "a", "tr: misaligned [:upper:] and/or [:lower:] construct\n[exit status 1]\n"},
		{"[c*n]", "tr a-f '[x*3]yz'", "abcdef", "xxxyzz"},
		{"[c*] fills the middle", "tr a-e 'x[y*]z'", "abcde", "xyyyz"},
		{"an octal count", "tr a-j '[x*010]yz'", "abcdefghij", "xxxxxxxxyz"},
		{"[c*] in the first string", "tr '[a*]' b", "a", "tr: the [c*] repeat construct may not appear in string1\n[exit status 1]\n"},
		{"two [c*]", "tr ab '[x*][y*]'", "a", "tr: only one [c*] repeat construct may appear in string2\n[exit status 1]\n"},
		{"a bad count", "tr a '[b*z]'", "a", "tr: invalid repeat count ‘z’ in [c*n] construct\n[exit status 1]\n"},
		{"[=c=]", "tr -d '[=b=]'", "abc", "ac"},
		{"[=c=] in the second", "tr a '[=b=]'", "a", "tr: [=c=] expressions may not appear in string2 when translating\n[exit status 1]\n"},
		{"octal escapes", "tr '\\101' '\\142'", "A", "b"},
		{"letters as escapes", "tr '\\n\\t' '01'", "a\tb\n", "a1b0"},
		{"an escaped dash is no range", "tr 'a\\-c' 123", "a-cb", "123b"},
		{"an ambiguous escape", "tr '\\400' x", " 0", "xxtr: warning: the ambiguous octal escape \\400 is being\n\tinterpreted as the 2-byte sequence \\040, 0\n"},
		{"a backslash at the end", "tr '\\' /", "a\\b", "a/btr: warning: an unescaped backslash at end of string is not portable\n"},
		{"a range that falls", "tr z-a x", "a", "tr: range-endpoints of 'z-a' are in reverse collating sequence order\n[exit status 1]\n"},
		{"an unknown class", "tr '[:foo:]' x", "a", "tr: invalid character class ‘foo’\n[exit status 1]\n"},
		{"an empty class", "tr '[::]' x", "a", "tr: missing character class name '[::]'\n[exit status 1]\n"},
		{"an empty second string", "tr a ''", "a", "tr: when not truncating set1, string2 must be non-empty\n[exit status 1]\n"},
		{"complement and class map to one", "tr -c '[:alpha:]' ab", "a1", "tr: when translating with complemented character classes,\nstring2 must map all characters in the domain to one\n[exit status 1]\n"},
		{"no operand", "tr", "", "tr: missing operand\nTry 'tr --help' for more information.\n[exit status 1]\n"},
		{"one operand", "tr a", "", "tr: missing operand after ‘a’\nTwo strings must be given when translating.\nTry 'tr --help' for more information.\n[exit status 1]\n"},
		{"two operands with -d", "tr -d a b", "", "tr: extra operand ‘b’\nOnly one string may be given when deleting without squeezing repeats.\nTry 'tr --help' for more information.\n[exit status 1]\n"},
		{"one operand with -ds", "tr -ds a", "", "tr: missing operand after ‘a’\nTwo strings must be given when both deleting and squeezing repeats.\nTry 'tr --help' for more information.\n[exit status 1]\n"},
		{"three", "tr a b c", "", "tr: extra operand ‘c’\nTry 'tr --help' for more information.\n[exit status 1]\n"},
	})
}
