package builtins

import "testing"

// The expected texts are those of the real programs.
func TestCut(t *testing.T) {
	runTable(t, []string{"f=a:b:c:d\nno\n:x:\n", "t=1\t2\t3\n"}, []tableCase{
		{"-f", "cut -d: -f2 f", "", "b\nno\nx\n"},
		{"the delimiter is a tab", "cut -f2 t", "", "2\n"},
		{"ranges come in the line's order", "cut -d: -f3-,1 f", "", "a:c:d\nno\n:\n"},
		{"up to a field", "cut -d: -f-2 f", "", "a:b\nno\n:x\n"},
		{"-s leaves lines without delimiter out", "cut -d: -s -f1 f", "", "a\n\n"},
		{"--complement", "cut -d: --complement -f2 f", "", "a:c:d\nno\n:\n"},
		{"--output-delimiter", "cut -d: -f1,3- --output-delimiter=// f", "", "a//c//d\nno\n//\n"},
		{"-b", "cut -b2-3,5 f", "", ":bc\no\nx:\n"},
		{"-c cuts bytes", "cut -c1", "éa\n", "\xc3\n"},
		{"--output-delimiter stands between ranges of bytes", "cut -c1-2,3,5 --output-delimiter=/ f", "", "a:/b/c\nno\n:x/:\n"},
		{"ranges that overlap are one", "cut -c1-3,2-4 --output-delimiter=/ f", "", "a:b:\nno\n:x:\n"},
		{"an empty --output-delimiter is NUL", "cut -d: -f1,2 --output-delimiter= f", "", "a\x00b\nno\n\x00x\n"},
		{"-z", "cut -z -c1", "ab\x00cd", "a\x00c\x00"},
		{"the last line gets a newline", "cut -d: -f1", "a:b", "a\n"},
		{"a newline as delimiter makes fields of lines", "cut -f2 '-d\n' --output-delimiter=/", "a\nb\nc\n", "b\n"},
		{"no list", "cut f", "", "cut: you must specify a list of bytes, characters, or fields\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"two lists", "cut -f1 -c1 f", "", "cut: only one list may be specified\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"field 0", "cut -f0 f", "", "cut: fields are numbered from 1\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"byte 0", "cut -b0 f", "", "cut: byte/character positions are numbered from 1\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"a range without ends", "cut -f- f", "", "cut: invalid range with no endpoint: -\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"a range that falls", "cut -f3-1 f", "", "cut: invalid decreasing range\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"no number", "cut -f1,x f", "", "cut: invalid field value ‘x’\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"two dashes", "cut -f1--2 f", "", "cut: invalid field range\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"too large", "cut -f99999999999999999999 f", "", "cut: field number ‘99999999999999999999’ is too large\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"-d of two bytes", "cut -d ab -f1 f", "", "cut: the delimiter must be a single character\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"-d without -f", "cut -d: -c1 f", "", "cut: an input delimiter may be specified only when operating on fields\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"-s without -f", "cut -s -c1 f", "", "cut: suppressing non-delimited lines makes sense\n\tonly when operating on fields\nTry 'cut --help' for more information.\n[exit status 1]\n"},
		{"a missing file", "cut -f1 no", "", "cut: no: No such file or directory\n[exit status 1]\n"},
	})
}
