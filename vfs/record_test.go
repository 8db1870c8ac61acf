package vfs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

func TestRecorder(t *testing.T) {
	for _, c := range []struct {
		rule string
		do   func(t *testing.T, v *vfs.View)
		want string
	}{
		{"reading is no change", func(t *testing.T, v *vfs.View) { text(t, v, "/f") }, ""},
		{"opening for writing is none", func(t *testing.T, v *vfs.View) {
			require.NoError(t, closing(v.Open(ctx, "/f", vfs.O_RDWR|vfs.O_CREATE, 0)))
		}, ""},
		{"added, modified, removed", func(t *testing.T, v *vfs.View) {
			put(t, v, "/new", "")
			put(t, v, "/f", "changed")
			require.NoError(t, v.Unlink(ctx, "/d/g"))
		}, "D /d/g\nM /f\nA /new"},
		{"the same clock tick hides no write", func(t *testing.T, v *vfs.View) { put(t, v, "/f", "F") }, "M /f"},
		{"what came and went is none", func(t *testing.T, v *vfs.View) {
			put(t, v, "/new", "")
			require.NoError(t, v.Unlink(ctx, "/new"))
		}, ""},
		{"a rename", func(t *testing.T, v *vfs.View) { require.NoError(t, v.Rename(ctx, "/f", "/d/h", false)) }, "R /f -> /d/h"},
		{"a directory's rename with what changed before and after", func(t *testing.T, v *vfs.View) {
			put(t, v, "/d/new", "")
			put(t, v, "/d/g", "changed")
			require.NoError(t, v.Rename(ctx, "/d", "/e", false))
			put(t, v, "/e/later", "")
		}, "R /d -> /e\nRM /d/g -> /e/g\nA /e/later\nA /e/new"},
		{"there and back is none", func(t *testing.T, v *vfs.View) {
			require.NoError(t, v.Rename(ctx, "/d", "/e", false))
			require.NoError(t, v.Rename(ctx, "/e", "/d", false))
		}, ""},
		{"a replacement by a temporary file", func(t *testing.T, v *vfs.View) {
			put(t, v, "/tmp", "x")
			require.NoError(t, v.Rename(ctx, "/tmp", "/f", false))
		}, "M /f"},
		{"a tree removed", func(t *testing.T, v *vfs.View) { require.NoError(t, v.RemoveAll(ctx, "/d")) }, "D /d\nD /d/g"},
		{"a mode", func(t *testing.T, v *vfs.View) { require.NoError(t, v.Chmod(ctx, "/f", 0o755)) }, "m /f (0644 -> 0755)"},
		{"times are not told", func(t *testing.T, v *vfs.View) {
			require.NoError(t, v.Chtimes(ctx, "/f", time.Unix(1, 0), time.Unix(1, 0), true))
		}, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := memory.New(memory.Options{Clock: func() time.Time { return time.Unix(1e9, 0) }})
			require.NoError(t, s.Mkdir("/d", 0o755))
			require.NoError(t, afero.WriteFile(s, "/f", []byte("f"), 0o644))
			require.NoError(t, afero.WriteFile(s, "/d/g", []byte("g"), 0o644))
			r := vfs.Record(s.FS())
			v := view(t, vfs.Mount{Path: "/", FS: r})
			put(t, v, "/earlier", "")
			r.Reset()
			c.do(t, v)
			list, complete, err := r.Changes(ctx)
			require.NoError(t, err)
			require.True(t, complete)
			var rows []string
			for _, one := range list {
				rows = append(rows, one.String())
			}
			require.Equal(t, c.want, strings.Join(rows, "\n"))
		})
	}
}

// BenchmarkRecorder is what noting changes costs: files made, written, renamed
// and removed, and the list of it, beside the same without.
func BenchmarkRecorder(b *testing.B) {
	for _, recorded := range []bool{false, true} {
		b.Run(fmt.Sprint("recorded=", recorded), func(b *testing.B) {
			for b.Loop() {
				f := memory.New(memory.Options{}).FS()
				var recorder *vfs.Recorder
				if recorded {
					recorder = vfs.Record(f)
					f = recorder
				}
				for i := range 10000 {
					name := fmt.Sprint("/f", i)
					file, err := f.Open(ctx, name, vfs.O_WRONLY|vfs.O_CREATE, 0o644)
					require.NoError(b, err)
					_, err = file.Write([]byte(name))
					require.NoError(b, err)
					require.NoError(b, file.Close())
					require.NoError(b, f.Rename(ctx, name, name+".bak", false))
					if i%2 == 0 {
						require.NoError(b, f.Unlink(ctx, name+".bak"))
					}
				}
				if recorded {
					list, complete, err := recorder.Changes(ctx)
					require.NoError(b, err)
					require.True(b, complete)
					require.Len(b, list, 5000)
				}
			}
		})
	}
}
