package builtins

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRg(t *testing.T) {
	for _, c := range []struct {
		rule string
		args []string
		want string
	}{
		{"ignored and hidden files are left out", []string{"TODO"}, "keep.log:TODO\nsrc/a.go:// TODO\nsrc/b.py:# TODO\n"},
		{"a named path keeps its form", []string{"-n", "TODO", "./src"}, "./src/a.go:1:// TODO\n./src/b.py:1:# TODO\n"},
		{"a named file is searched whatever the rules", []string{"TODO", "x.log"}, "TODO\n"},
		{"-u searches ignored files, -uu hidden ones", []string{"-uul", "TODO"}, ".hid/h\nkeep.log\nsrc/a.go\nsrc/b.py\nsub/t.tmp\nx.log\n"},
		{"--hidden", []string{"--hidden", "-l", "TODO"}, ".hid/h\nkeep.log\nsrc/a.go\nsrc/b.py\n"},
		{"-g takes in", []string{"-g", "*.{go,log}", "-l", "TODO"}, "keep.log\nsrc/a.go\nx.log\n"},
		{"-g ! leaves out", []string{"-g", "!src/", "-l", "TODO"}, "keep.log\n"},
		{"-t and -T", []string{"-tpy", "-l", "TODO"}, "src/b.py\n"},
		{"a type that is none", []string{"-tfoo", "x"}, "unrecognized file type: foo\n[exit status 2]\n"},
		{"-c counts, -o with names", []string{"-c", "e", "n"}, "3\n"},
		{"--count-matches", []string{"--count-matches", "e", "n"}, "4\n"},
		{"-r with groups and names", []string{"-or", "$2-${x}$$", "(?P<x>t)(.)", "n"}, "w-t$\nh-t$\n"},
		{"-U goes over lines", []string{"-Un", "two\nth", "n"}, "2:two\n3:three\n"},
		{"-S", []string{"-S", "todo", "-l"}, "keep.log\nsrc/a.go\nsrc/b.py\n"},
		{"--vimgrep", []string{"--vimgrep", "e", "n"}, "n:1:3:one\nn:3:4:three\nn:3:5:three\nn:5:4:five\n"},
		{"context of 0 is none", []string{"-A0", "one|five", "n"}, "one\nfive\n"},
		{"context", []string{"-A1", "one|four", "n"}, "one\ntwo\n--\nfour\nfive\n"},
		{"a binary file is named", []string{"foo", "bin"}, "binary file matches (found \"\\0\" byte around offset 3)\n"},
		{"look-around needs -P", []string{"-oP", "(?<=t)w", "n"}, "w\n"},
		{"Unicode classes", []string{"-o", `\w+`, "u"}, "né\n"},
		{"no match", []string{"zzz"}, "[exit status 1]\n"},
		{"a missing path", []string{"x", "none"}, "none: No such file or directory (os error 2)\n[exit status 2]\n"},
		{"--files", []string{"--files", "src"}, "src/a.go\nsrc/b.py\n"},
		{"--json", []string{"--json", "two", "n"}, `{"type":"begin","data":{"path":{"text":"n"}}}
{"type":"match","data":{"path":{"text":"n"},"lines":{"text":"two\n"},"line_number":2,"absolute_offset":4,"submatches":[{"match":{"text":"two"},"start":0,"end":3}]}}
{"type":"end","data":{"path":{"text":"n"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":0,"human":"0.000000s"},"searches":1,"searches_with_match":1,"bytes_searched":0,"bytes_printed":0,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"0.000000s","nanos":0,"secs":0},"stats":{"elapsed":{"secs":0,"nanos":0,"human":"0.000000s"},"searches":1,"searches_with_match":1,"bytes_searched":0,"bytes_printed":0,"matched_lines":1,"matches":1}},"type":"summary"}
`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files(".git/", ".gitignore=*.log\n!keep.log\nsub/*.tmp\n", "x.log=TODO\n", "keep.log=TODO\n", "sub/t.tmp=TODO\n",
				"src/a.go=// TODO\n", "src/b.py=# TODO\n", ".hid/h=TODO\n", "n=one\ntwo\nthree\nfour\nfive\n", "bin=foo\x00\n", "u=né\n")
			require.Equal(t, c.want, s.output(append([]string{"rg"}, c.args...)...))
		})
	}
}
