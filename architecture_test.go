package vsh_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/vsh-project/vsh/"

// arrows says which of our packages each folder may import, besides itself.
// The first prefix that fits a package counts.
var arrows = []struct {
	folder string
	may    []string
}{
	{"cmd", []string{"shell", "vfs", "tool", "external", "builtins", "internal"}},
	{"examples", []string{"shell", "vfs", "tool", "external"}},
	{"internal/cases", []string{"shell", "vfs", "internal"}},
	{"shell/command", []string{"vfs"}},
	{"shell", []string{"shell/command", "vfs", "builtins", "external", "tool", "internal"}},
	{"builtins", []string{"shell/command", "vfs", "internal"}},
	{"external", []string{"shell/command", "vfs", "tool", "internal"}},
	{"tool", []string{"internal"}},
	{"internal/walk", []string{"vfs", "internal"}},
	{"internal/interp", []string{"vfs", "internal"}},
	{"internal/testexpr", []string{"vfs", "internal"}},
	{"internal", []string{"internal"}},
	{"vfs", []string{"internal"}},
}

// worldly are packages that reach the host; builtins reach it only through
// their Invocation.
var worldly = []string{"os", "os/exec", "os/signal", "os/user", "net", "net/http", "syscall", "golang.org/x/sys"}

func TestImportsPointOneWay(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && file != ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		folder := path.Dir(filepath.ToSlash(file))
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			seen++
			if ours, ok := strings.CutPrefix(imported, module); ok && !strings.HasSuffix(file, "_test.go") {
				require.True(t, mayImport(folder, ours), "%s imports %s", file, ours)
			}
			if within(folder, "builtins") && !strings.HasSuffix(file, "_test.go") {
				for _, w := range worldly {
					require.False(t, within(imported, w), "%s imports %s: commands reach the world through their Invocation", file, imported)
				}
			}
			if within(imported, "github.com/modelcontextprotocol") {
				require.True(t, within(folder, "cmd/vsh") || within(folder, "examples"), "%s imports %s", file, imported)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, seen, 100)
}

func mayImport(folder, imported string) bool {
	for _, a := range arrows {
		if !within(folder, a.folder) {
			continue
		}
		for _, m := range append([]string{a.folder}, a.may...) {
			if within(imported, m) {
				return true
			}
		}
		return false
	}
	return folder == "."
}

func within(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}
