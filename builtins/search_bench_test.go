package builtins

import (
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/host"
)

// BenchmarkSearch searches the Go source tree, in memory and on the host.
func BenchmarkSearch(b *testing.B) {
	root := filepath.Join(runtime.GOROOT(), "src")
	inMemory := newTestShell(&testing.T{})
	size := int64(0)
	require.NoError(b, filepath.Walk(root, func(name string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		size += int64(len(data))
		target := path.Join("/w", filepath.ToSlash(strings.TrimPrefix(name, root)))
		if err := inMemory.storage.MkdirAll(path.Dir(target), 0o755); err != nil {
			return err
		}
		return afero.WriteFile(inMemory.storage, target, data, 0o644)
	}))
	onHost := newTestShell(&testing.T{})
	storage, err := host.New(host.Options{Directory: root})
	require.NoError(b, err)
	onHost.view, err = vfs.NewView(vfs.ViewOptions{
		Mounts:   []vfs.Mount{{Path: "/", FS: storage.FS()}, {Path: "/dev", FS: vfs.NewDevices(strings.NewReader("")), Unlisted: true}},
		Identity: vfs.Identity{User: "root", Group: "root"}, Directory: "/", Umask: 0o022,
	})
	require.NoError(b, err)
	for _, line := range []string{
		"grep -rn ReadFull .", "grep -rn literal .", "grep -rnE ReadFull|WriteString .", "grep -rnE func.[A-Z][a-z]+Reader .",
		"grep -rni readfull .", "grep -rnw ReadFull .", "rg -n ReadFull .", "rg -ni readfull .", "rg -l [0-9]{9} .",
	} {
		for _, where := range []struct {
			name  string
			shell *testShell
		}{{"memory", inMemory}, {"host", onHost}} {
			b.Run(line+"/"+where.name, func(b *testing.B) {
				s := where.shell
				b.SetBytes(size)
				b.ReportAllocs()
				for b.Loop() {
					status := s.exec(context.Background(), strings.Fields(line), s.environment, strings.NewReader(""), io.Discard, io.Discard, s.view)
					require.Zero(b, status)
				}
			})
		}
	}
}
