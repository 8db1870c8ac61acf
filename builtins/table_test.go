package builtins

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tableCase is one run of a command: its line in words that may stand in single
// quotes, standard input, and what comes out: stdout, stderr, a status but 0.
type tableCase struct{ rule, line, stdin, want string }

// runTable runs each case in a world of its own.
func runTable(t *testing.T, files []string, cases []tableCase) {
	for _, c := range cases {
		t.Run(c.rule, func(t *testing.T) {
			s := newTestShell(t).files(files...)
			s.stdin = c.stdin
			require.Equal(t, c.want, s.output(splitWords(c.line)...))
		})
	}
}

func splitWords(line string) (words []string) {
	var word strings.Builder
	started, quoted := false, false
	for _, r := range line + " " {
		switch {
		case r == '\'':
			quoted, started = !quoted, true
		case r == ' ' && !quoted:
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	return words
}

// listing is what stands in /w: name=text of each file, joined by "|".
func (s *testShell) listing() string {
	entries, err := s.view.ReadDir(context.Background(), "/w")
	require.NoError(s.t, err)
	var all []string
	for _, e := range entries {
		if e.IsDir() {
			all = append(all, e.Name+"/")
			continue
		}
		all = append(all, e.Name+"="+s.read(e.Name))
	}
	return strings.Join(all, "|")
}
