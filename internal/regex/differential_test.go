package regex

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"os/exec"
	"strings"
	"testing"
)

// realTool runs a program of this machine in C.UTF-8, or skips the test.
func realTool(t *testing.T, stdin string, name string, args ...string) (string, int) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip(name + " is not installed")
	}
	cmd := exec.Command(path, args...)
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	cmd.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout = &out
	err = cmd.Run()
	status := 0
	if exit, ok := err.(*exec.ExitError); ok {
		status = exit.ExitCode()
	}
	return out.String(), status
}

var pieces = map[Syntax][]string{
	GrepExtended: {"a", "b", "c", "ab", ".", "[ab]", "[^a]", "*", "+", "?", "|", "(", ")", "^", "$", "{2}", "{1,2}", "{,2}", "\\<", "\\>", "\\b", "\\B", "\\w", "\\W", "é", "[[:alpha:]]", " ", "\\1", "(a|ab)", "(b*)", "x*"},
	Basic:        {"a", "b", "c", "ab", ".", "[ab]", "[^a]", "*", "\\+", "\\?", "\\|", "\\(", "\\)", "^", "$", "\\{2\\}", "\\{1,2\\}", "\\<", "\\>", "\\b", "\\B", "\\w", "\\W", "é", "[[:alpha:]]", " ", "\\1", "\\(a\\|ab\\)", "\\(b*\\)"},
	Perl:         {"a", "b", "c", "ab", ".", "[ab]", "[^a]", "*", "+", "?", "|", "(", ")", "^", "$", "{2}", "{1,2}", "\\b", "\\B", "\\w", "\\W", "é", "\\d", " ", "\\1", "(a|ab)", "(b*)", "*?", "+?", "++", "(?=b)", "(?!a)", "(?<=a)", "(?<!b)", "(?:a|b)", "(?>a*)", "(?i)", "\\K"},
}

const sampleText = "abcabc\naab\nab ab\ncab c\n\na b\nabab\nbbbaa\néaé b\nc ca\naaaabbbb\nbcab bca\nAB Ab\n1a2b\n"

// invalidText follows sampleText where no word boundary is asked for: beside
// a byte outside UTF-8 grep's answer depends on which of its matchers runs.
const invalidText = "ab\xffab\n\xc3ab\nb\xa9\xa9a\n"

func randomPattern(random *rand.Rand, syntax Syntax) string {
	var b strings.Builder
	for i := random.Intn(6) + 1; i > 0; i-- {
		b.WriteString(pieces[syntax][random.Intn(len(pieces[syntax]))])
	}
	return b.String()
}

// oddOperators reports an operator with nothing before it or a closing
// parenthesis too many, which grep's two matchers read differently.
func oddOperators(pattern string) bool {
	before, open := byte('('), 0
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch c {
		case '(':
			open++
		case ')':
			if open--; open < 0 {
				return true
			}
		}
		if strings.IndexByte("{*+?", c) >= 0 && (before == '(' || before == '|' || before == '^' || before == '\\' || before == '$') {
			return true
		}
		before = c
		if c == '\\' && i+1 < len(pattern) {
			i++
			if strings.IndexByte("<>bB", pattern[i]) < 0 {
				before = 'x'
			}
		}
	}
	return false
}

// grepO is what grep -ao prints: the matches that are not empty.
func grepO(m *Matcher, text string) string {
	var out strings.Builder
	f := m.Finder(context.Background())
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		for at := 0; at <= len(line); {
			loc := f.Find([]byte(line), at)
			if loc == nil {
				break
			}
			if loc[1] <= loc[0] || loc[1] <= at {
				at++
				for at < len(line) && line[at]&0xc0 == 0x80 && continues([]byte(line), 0, at) {
					at++
				}
				continue
			}
			out.WriteString(line[loc[0]:loc[1]] + "\n")
			at = loc[1]
		}
	}
	return out.String()
}

func grepLines(m *Matcher, text string) string {
	var out strings.Builder
	f := m.Finder(context.Background())
	f.Block([]byte(text), '\n')
	for from := 0; ; {
		start, end := f.NextLine(from)
		if start < 0 {
			break
		}
		out.WriteString(text[start:end] + "\n")
		from = end + 1
	}
	return out.String()
}

func TestRandomPatternsAgainstGrep(t *testing.T) {
	random := rand.New(rand.NewSource(18))
	flags := map[Syntax]string{GrepExtended: "-E", Basic: "-G", Perl: "-P"}
	rounds := 150
	if testing.Short() {
		rounds = 20
	}
	for _, syntax := range []Syntax{GrepExtended, Basic, Perl} {
		differences := 0
		for i := 0; i < rounds; i++ {
			pattern := randomPattern(random, syntax)
			if syntax == GrepExtended && oddOperators(pattern) {
				continue
			}
			options := Options{Syntax: syntax}
			args := []string{flags[syntax], "-a"}
			if random.Intn(3) == 0 {
				options.IgnoreCase = true
				args = append(args, "-i")
			}
			switch random.Intn(6) {
			case 0:
				options.Word = true
				args = append(args, "-w")
			case 1:
				options.Line = true
				args = append(args, "-x")
			}
			text := sampleText
			if !options.Word && !strings.ContainsAny(pattern, "<>bBwWx") {
				text += invalidText
			}
			m, err := Compile(pattern, options)
			lines, status := realTool(t, text, "grep", append(args, "-e", pattern)...)
			name := fmt.Sprintf("grep %s -e '%s'", strings.Join(args, " "), pattern)
			if (err != nil) != (status == 2) {
				t.Errorf("%s: error %v, grep's status %d", name, err, status)
				continue
			}
			if err != nil {
				continue
			}
			if got := grepLines(m, text); got != lines {
				t.Errorf("%s:\n got %q\nwant %q", name, got, lines)
				differences++
				continue
			}
			only, _ := realTool(t, text, "grep", append(args, "-o", "-e", pattern)...)
			if got := grepO(m, text); got != only {
				t.Errorf("%s -o:\n got %q\nwant %q", name, got, only)
				differences++
			}
			if differences > 10 {
				t.Fatal("too many")
			}
		}
	}
}
