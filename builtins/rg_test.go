package builtins

import (
	"fmt"
	"strings"
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
		{"-c wins over -l", []string{"-lc", "e", "n"}, "3\n"},
		{"-A takes -C back", []string{"-C1", "-A0", "two", "n"}, "two\n"},
		{"-o shows empty matches, but none behind a match", []string{"-on", "e*$", "n"}, "1:e\n2:\n3:ee\n4:\n5:e\n"},
		{"an attached value may follow =", []string{"-A=1", "two", "n"}, "two\nthree\n"},
		{"-N wins over --column", []string{"-N", "--column", "two", "n"}, "1:two\n"},
		{"-b with -o and -r counts in what is replaced", []string{"-obr", "XX", "e", "n"}, "2:XX\n11:XX\n13:XX\n22:XX\n"},
		{"colours join matches that touch", []string{"--color=always", "e", "n", "-m2"}, "on\x1b[0m\x1b[1m\x1b[31me\x1b[0m\nthr\x1b[0m\x1b[1m\x1b[31mee\x1b[0m\n"},
		{"a newline in a pattern needs -U", []string{`a\nb`, "n"}, "the literal '\"\\n\"' is not allowed in a regex\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).\nWhen multiline mode is enabled, new line characters can be matched.\n[exit status 2]\n"},
		{"-Uv prints what no match touches", []string{"-Uvn", `two\nth`, "n"}, "1:one\n4:four\n5:five\n"},
		{"-U --column is of the first line", []string{"-U", "--column", `o\nth`, "n"}, "2:3:two\n3:3:three\n"},
		{"-Uc counts matches", []string{"-Uc", `e$|o\nt`, "n"}, "4\n"},
		{"-U with context", []string{"-UnA1", `two\nth`, "n"}, "2:two\n3:three\n4-four\n"},
		{"UTF-16 is told by its mark", []string{"-o", "h.", "u16"}, "hé\n"},
		{"and by -E", []string{"-E", "latin1", "-o", "h.", "l1"}, "hé\n"},
		{"an encoding that is none", []string{"-E", "foo", "x", "n"}, "grep config error: unknown encoding: foo\n[exit status 2]\n"},
		{"an open class in a glob", []string{"-g", "[", "x"}, "error parsing glob '[': unclosed character class; missing ']'\n[exit status 2]\n"},
		{"--files -q", []string{"--files", "-q"}, ""},
		{"--path-separator", []string{"--files", "--path-separator", ":", "src"}, "src:a.go\nsrc:b.py\n"},
		{"nothing to search", []string{"-g", "zz", "x"}, "No files were searched, which means ripgrep probably applied a filter you didn't expect.\nRunning with --debug will show why files are being skipped.\n[exit status 2]\n"},
		{"--stats", []string{"--stats", "e", "n"}, "one\nthree\nfive\n\n4 matches\n3 matched lines\n1 files contained matches\n1 files searched\n15 bytes printed\n24 bytes searched\n0.000000 seconds spent searching\n0.000000 seconds\n"},
		{"no match", []string{"zzz"}, "[exit status 1]\n"},
		{"a missing path", []string{"x", "none"}, "none: No such file or directory (os error 2)\n[exit status 2]\n"},
		{"--files", []string{"--files", "src"}, "src/a.go\nsrc/b.py\n"},
		{"--json", []string{"--json", "two", "n"}, `{"type":"begin","data":{"path":{"text":"n"}}}
{"type":"match","data":{"path":{"text":"n"},"lines":{"text":"two\n"},"line_number":2,"absolute_offset":4,"submatches":[{"match":{"text":"two"},"start":0,"end":3}]}}
{"type":"end","data":{"path":{"text":"n"},"binary_offset":null,"stats":{"elapsed":{"secs":0,"nanos":0,"human":"0.000000s"},"searches":1,"searches_with_match":1,"bytes_searched":24,"bytes_printed":211,"matched_lines":1,"matches":1}}}
{"data":{"elapsed_total":{"human":"0.000000s","nanos":0,"secs":0},"stats":{"bytes_printed":211,"bytes_searched":24,"elapsed":{"human":"0.000000s","nanos":0,"secs":0},"matched_lines":1,"matches":1,"searches":1,"searches_with_match":1}},"type":"summary"}
`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files(".git/", ".gitignore=*.log\n!keep.log\nsub/*.tmp\n", "x.log=TODO\n", "keep.log=TODO\n", "sub/t.tmp=TODO\n",
				"src/a.go=// TODO\n", "src/b.py=# TODO\n", ".hid/h=TODO\n", "n=one\ntwo\nthree\nfour\nfive\n", "bin=foo\x00\n", "u=né\n",
				"u16=\xff\xfeh\x00\xe9\x00\n\x00", "l1=h\xe9\n")
			require.Equal(t, c.want, s.output(append([]string{"rg"}, c.args...)...))
		})
	}
}

func TestRgIgnoreFiles(t *testing.T) {
	for _, c := range []struct {
		rule  string
		files []string
		args  []string
		want  string
	}{
		{"a repository below does not see the rules above", []string{".gitignore=deep\n", "sub/.git/", "sub/deep/y=", "deep/x="}, nil, "sub/deep/y\n"},
		{"an .ignore above wins over a .gitignore below", []string{".ignore=!y\n", "sub/.gitignore=y\n", "sub/y=", "sub/z="}, nil, "sub/y\nsub/z\n"},
		{"braces choose", []string{".ignore={a,b}\n", "a=", "b=", "c="}, nil, "c\n"},
		{"--ignore-file is the weakest", []string{"ig=a\nb\n", ".ignore=!a\n", "a=", "b="}, []string{"--ignore-file", "ig"}, "a\nig\n"},
		{"--no-ignore-files forgets it", []string{"ig=a\n", "a="}, []string{"--ignore-file", "ig", "--no-ignore-files"}, "a\nig\n"},
		{"a missing one is told and no error", []string{"a="}, []string{"--ignore-file", "none"}, "a\nnone: No such file or directory (os error 2)\n"},
		{"--glob-case-insensitive", []string{"a.TXT=", "b.go="}, []string{"--glob-case-insensitive", "-g", "*.txt"}, "a.TXT\n"},
		{"-L sees a loop", []string{"d/x=", "d/up -> .."}, []string{"-L"}, "d/x\nFile system loop found: d/up points to an ancestor\n[exit status 2]\n"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files(".git/").files(c.files...)
			require.Equal(t, c.want, s.output(append([]string{"rg", "--files"}, c.args...)...))
		})
	}
}

func TestRgStopsAtANULFarIntoAFile(t *testing.T) {
	s := newTestShell(t).files("d/f=one\n" + strings.Repeat("\n", 200000) + "\x00one\n")
	require.Equal(t, "d/f:one\nd/f: WARNING: stopped searching binary file after match (found \"\\0\" byte around offset 200004)\n", s.output("rg", "one", "d"))
	require.Equal(t, "[exit status 1]\n", s.output("rg", "-c", "one", "d"))
	require.Equal(t, "d/f\n", s.output("rg", "-l", "one", "d"))
	require.Equal(t, "2\n", s.output("rg", "-c", "one", "d/f"))
}

func TestRgKeepsOrderOnSeveralWorkers(t *testing.T) {
	s := newTestShell(t)
	var plain, heading strings.Builder
	for i := range 200 {
		name := fmt.Sprintf("t/%03d", i)
		size := i % 7 * 3000
		s.files(name + "=" + strings.Repeat("x\n", size))
		plain.WriteString(strings.Repeat(name+":x\n", size))
		if size > 0 && heading.Len() > 0 {
			heading.WriteString("\n")
		}
		if size > 0 {
			heading.WriteString(name + "\n" + strings.Repeat("x\n", size))
		}
	}
	require.True(t, plain.String() == s.output("rg", "x", "t"))
	require.True(t, heading.String() == s.output("rg", "--heading", "x", "t"))
}
