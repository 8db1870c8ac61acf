package builtins

import "testing"

// The expected texts are those of the real programs.
func TestIconv(t *testing.T) {
	runTable(t, []string{"u=é€\n", "l=caf\xe9\x0a", "bad=ab\xffcd\x0a", "d/"}, []tableCase{
		{"to UTF-8", "iconv -f latin1 l", "", "café\n"},
		{"to Latin 1 until it lacks a character", "iconv -t ISO-8859-1 u", "", "\xe9iconv: illegal input sequence at position 2\x0a[exit status 1]\x0a"},
		{"-c leaves out what it lacks", "iconv -c -t ASCII u", "", "\n"},
		{"something alike", "iconv -t ASCII//TRANSLIT", "“x” – ñ ß 日\n", "\"x\" - n ss ?\n"},
		{"ignored, but told", "iconv -t ASCII//IGNORE u", "", "\niconv: illegal input sequence at position 6\n[exit status 1]\n"},
		{"UTF-16 has a mark", "iconv -t UTF-16", "a", "\xff\xfea\x00"},
		{"UTF-16 of either order", "iconv -f UTF-16", "\xfe\xff\x00a\x00\x0a", "a\n"},
		{"pairs", "iconv -f UTF-8 -t UTF-16BE", "😀", "\xd8=\xde\x00"},
		{"a code page", "iconv -f KOI8-R l", "", "cafИ\n"},
		{"Shift JIS", "iconv -f SJIS", "\x93\xfa", "日"},
		{"GBK", "iconv -f utf-8 -t GBK", "日", "\xc8\xd5"},
		{"bytes that are none", "iconv -f UTF-8 bad", "", "abiconv: illegal input sequence at position 2\n[exit status 1]\n"},
		{"a character that is cut", "iconv -f UTF-8 -t UTF-16LE", "a\xe3\x81", "a\x00iconv: incomplete character or shift sequence at end of buffer\n[exit status 1]\n"},
		{"an unknown encoding", "iconv -f foo u", "", "iconv: failed to start conversion processing: No such file or directory\n[exit status 1]\n"},
		{"a missing file", "iconv nope", "", "iconv: cannot open input file `nope': No such file or directory\n[exit status 1]\n"},
		{"a directory", "iconv d", "", "iconv: error while reading the input: Is a directory\n[exit status 1]\n"},
		{"an unknown option", "iconv -x", "", "iconv: invalid option -- 'x'\nTry `iconv --help' or `iconv --usage' for more information.\n[exit status 64]\n"},
	})
}
