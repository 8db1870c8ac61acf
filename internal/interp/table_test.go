package interp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bashBuiltins are all builtins of bash 5.2.
const bashBuiltins = `. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable
eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read
readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait`

// limited says what of a builtin is refused or has no effect; the others are
// done.
var limited = map[string]string{
	"bg":       "refused: no job control",
	"bind":     "refused: no line editing",
	"complete": "done; nothing completes by it",
	"compopt":  "done; nothing completes by it",
	"enable":   "done; -f is refused, there are no loadable builtins",
	"fc":       "done; the editor is a command of the shell, ed is not there",
	"fg":       "refused: no job control",
	"history":  "done; only what -s and -r put in",
	"logout":   "refused: no login shell",
	"read":     "done; -e, -i, -p and -s have no effect without a terminal",
	"suspend":  "refused: no job control",
	"times":    "done; the times are 0",
	"ulimit":   "done; the values bind nothing",
}

// TestTable writes docs/bash.md anew and fails when it was out of date. An
// option counts as done when the code asks for it, else it is accepted, shown
// and kept without effect.
func TestTable(t *testing.T) {
	source := ""
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, f := range files {
		if f != "option.go" && !strings.HasSuffix(f, "_test.go") {
			b, err := os.ReadFile(f)
			require.NoError(t, err)
			source += string(b)
		}
	}
	status := func(prefix, name string) string {
		var id strings.Builder
		id.WriteString(prefix)
		for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' }) {
			id.WriteRune(unicode.ToUpper(rune(part[0])))
			id.WriteString(part[1:])
		}
		for _, after := range []string{")", ",", " ", "\n"} {
			if strings.Contains(source, id.String()+after) {
				return "done"
			}
		}
		return "accepted without effect"
	}
	builtins := map[string]*builtin{}
	for _, table := range builtinTables {
		for _, b := range table() {
			builtins[b.name] = &b
		}
	}
	var b strings.Builder
	b.WriteString("# bash 5.2, what is there\n\nWritten by `go test ./internal/interp -run TestTable`; do not edit.\n\n## Builtins\n\n| builtin | synopsis | state |\n|---|---|---|\n")
	for _, name := range strings.Fields(bashBuiltins) {
		x := builtins[name]
		if !assert.NotNil(t, x, "no builtin %s", name) {
			continue
		}
		state := limited[name]
		if state == "" {
			state = "done"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", name, strings.ReplaceAll(strings.TrimSpace(x.usage), "|", "\\|"), state)
		delete(builtins, name)
	}
	for name := range builtins {
		assert.Fail(t, "bash has no builtin "+name)
	}
	b.WriteString("\n## set -o\n\n| option | letter | state |\n|---|---|---|\n")
	for _, o := range optionTable {
		letter := ""
		if o.letter != 0 {
			letter = "`" + string(o.letter) + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o.name, letter, status("opt", o.name))
	}
	b.WriteString("\n## shopt\n\n| option | default | state |\n|---|---|---|\n")
	for i, name := range shoptNames {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, onOff(defaultShopts.has(shopt(i))), status("shopt", name))
	}
	path := filepath.Join("..", "..", "docs", "bash.md")
	old, _ := os.ReadFile(path)
	if string(old) != b.String() {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		t.Error("docs/bash.md was out of date; it is written anew")
	}
}
