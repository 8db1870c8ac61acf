package interp

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
)

// testdata/functions.txt holds definitions and what bash 5.2 prints of them.
func TestFunctionsArePrintedAsBashDoes(t *testing.T) {
	data, err := os.ReadFile("testdata/functions.txt")
	require.NoError(t, err)
	for _, row := range strings.Split(strings.TrimSuffix(string(data), "====\n"), "====\n") {
		source, rest, ok := strings.Cut(row, "---- declare -f ")
		require.True(t, ok, row)
		name, want, _ := strings.Cut(rest, "\n")
		p := &proc{}
		l, err := parse.New("", []byte(source), parse.Options{ExtGlob: func() bool { return true }}).Next()
		require.NoError(t, err, source)
		for _, s := range l.Stmts {
			if d, ok := s.Cmd.(*syntax.FuncDecl); ok && d.Name.Value == name {
				d.Body.Redirs = append(d.Body.Redirs, s.Redirs...)
				assert.Equal(t, want, p.functionText(&function{name: name, tree: &functionTree{d, &compiler{lines: l}}})+"\n", source)
			}
		}
	}
}
