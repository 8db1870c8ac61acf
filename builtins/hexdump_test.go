package builtins

import "testing"

// The expected texts are those of the real programs.
func TestHexdump(t *testing.T) {
	runTable(t, []string{"f=ABC\x01\n0123456789abcdefgh", "r=abcdefghijklmnopabcdefghijklmnopabcdefghijklmnop", "d/"}, []tableCase{
		{"words", "hexdump f", "", "0000000 4241 0143 300a 3231 3433 3635 3837 6139\n0000010 6362 6564 6766 0068                    \n0000017\n"},
		{"canonical", "hexdump -C f", "", "00000000  41 42 43 01 0a 30 31 32  33 34 35 36 37 38 39 61  |ABC..0123456789a|\n00000010  62 63 64 65 66 67 68                              |bcdefgh|\n00000017\n"},
		{"characters", "hexdump -c f", "", "0000000   A   B   C 001  \\n   0   1   2   3   4   5   6   7   8   9   a\n0000010   b   c   d   e   f   g   h                                    \n0000017\n"},
		{"octal bytes", "hexdump -b f", "", "0000000 101 102 103 001 012 060 061 062 063 064 065 066 067 070 071 141\n0000010 142 143 144 145 146 147 150                                    \n0000017\n"},
		{"decimal", "hexdump -d f", "", "0000000   16961   00323   12298   12849   13363   13877   14391   24889\n0000010   25442   25956   26470   00104                                \n0000017\n"},
		{"octal", "hexdump -o f", "", "0000000  041101  000503  030012  031061  032063  033065  034067  060471\n0000010  061542  062544  063546  000150                                \n0000017\n"},
		{"hexadecimal", "hexdump -x f", "", "0000000    4241    0143    300a    3231    3433    3635    3837    6139\n0000010    6362    6564    6766    0068                                \n0000017\n"},
		{"two formats", "hexdump -cx f", "", "0000000   A   B   C 001  \\n   0   1   2   3   4   5   6   7   8   9   a\n0000000    4241    0143    300a    3231    3433    3635    3837    6139\n0000010   b   c   d   e   f   g   h                                    \n0000010    6362    6564    6766    0068                                \n0000017\n"},
		{"repeated lines", "hexdump -C r", "", "00000000  61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n*\n00000030\n"},
		{"all lines", "hexdump -v -C r", "", "00000000  61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n00000010  61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n00000020  61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n00000030\n"},
		{"a length and an offset", "hexdump -C -s 3 -n 5 f", "", "00000003  01 0a 30 31 32                                    |..012|\n00000008\n"},
		{"an offset beyond the end", "hexdump -C -s 100 f", "", "00000017\n"},
		{"files run on", "hexdump -C f r", "", "00000000  41 42 43 01 0a 30 31 32  33 34 35 36 37 38 39 61  |ABC..0123456789a|\n00000010  62 63 64 65 66 67 68 61  62 63 64 65 66 67 68 69  |bcdefghabcdefghi|\n00000020  6a 6b 6c 6d 6e 6f 70 61  62 63 64 65 66 67 68 69  |jklmnopabcdefghi|\n*\n00000040  6a 6b 6c 6d 6e 6f 70                              |jklmnop|\n00000047\n"},
		{"a format of bytes", "hexdump -v -e '1/1 \"%.2x\"' f", "", "414243010a303132333435363738396162636465666768"},
		{"a format with an address", "hexdump -e '\"%04_ax \" 4/1 \"%_u \" \"\\n\"' f", "", "0000 A B C soh\n0004 lf 0 1 2\n0008 3 4 5 6\n000c 7 8 9 a\n0010 b c d e\n0014 f g h \n"},
		{"the last blank is dropped", "hexdump -e '2/4 \"%u \" \"\\n\"' f", "", "21185089 842084362\n909456435 1631139895\n1701077858 6842214\n"},
		{"signed", "hexdump -e '1/1 \"%d,\"' f", "", "65,66,67,1,10,48,49,50,51,52,53,54,55,56,57,97,98,99,100,101,102,103,104,"},
		{"strings", "hexdump -e '1/4 \"%s|\\n\"' f", "", "ABC\x01|\n\n012|\n3456|\n789a|\nbcde|\nfgh|\n"},
		{"floats", "hexdump -e '1/8 \"%e\\n\"' r", "", "8.540883e+194\n3.903820e+233\n8.540883e+194\n3.903820e+233\n8.540883e+194\n3.903820e+233\n"},
		{"a bad format", "hexdump -e bad f", "", "hexdump: bad format {bad}\n[exit status 1]\n"},
		{"a bad conversion", "hexdump -e '\"%z\"' f", "", "hexdump: bad conversion character %z\n[exit status 1]\n"},
		{"a bad size", "hexdump -e '1/3 \"%x\"' f", "", "hexdump: bad byte count for conversion character x\n[exit status 1]\n"},
		{"a bad length", "hexdump -n x f", "", "hexdump: failed to parse length: 'x': Invalid argument\n[exit status 1]\n"},
		{"missing files", "hexdump nope", "", "hexdump: nope: No such file or directory\nhexdump: all input file arguments failed\n[exit status 1]\n"},
		{"a directory", "hexdump d", "", "hexdump: d: Is a directory\n"},
		{"hd is canonical", "hd f", "", "00000000  41 42 43 01 0a 30 31 32  33 34 35 36 37 38 39 61  |ABC..0123456789a|\n00000010  62 63 64 65 66 67 68                              |bcdefgh|\n00000017\n"},
	})
}
