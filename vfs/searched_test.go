package vfs_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
)

// What was searchable a moment ago is remembered, but never past a change made
// through the same tree.
func TestChangesEndRememberedSearchPermission(t *testing.T) {
	for _, storage := range []string{"memory", "host", "host behind a policy"} {
		for _, c := range []struct {
			rule   string
			change func(v *vfs.View) error
			want   error
		}{
			{"chmod of the directory", func(v *vfs.View) error { return v.Chmod(ctx, "/a/b", 0o600) }, vfs.EACCES},
			{"chmod of one above", func(v *vfs.View) error { return v.Chmod(ctx, "/a", 0) }, vfs.EACCES},
			{"another directory takes the name", func(v *vfs.View) error {
				if err := v.Mkdir(ctx, "/closed", 0); err != nil {
					return err
				}
				if err := v.Rename(ctx, "/a", "/gone", false); err != nil {
					return err
				}
				return v.Rename(ctx, "/closed", "/a", false)
			}, vfs.EACCES},
			{"a link takes the name", func(v *vfs.View) error {
				if err := v.Rename(ctx, "/a", "/b", false); err != nil {
					return err
				}
				return v.Symlink(ctx, "b", "/a")
			}, nil},
			{"read permission is the file's own", func(v *vfs.View) error { return v.Chmod(ctx, "/a/b/f", 0o200) }, vfs.EACCES},
		} {
			t.Run(storage+": "+c.rule, func(t *testing.T) {
				mount := vfs.Mount{Path: "/", FS: memory.New(memory.Options{}).FS()}
				if storage != "memory" {
					s, err := host.New(host.Options{Directory: t.TempDir()})
					require.NoError(t, err)
					defer s.Close()
					if mount.FS = s.FS(); storage != "host" {
						mount.Policy = unrestricted{}
					}
				}
				admin, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{mount}})
				require.NoError(t, err)
				require.NoError(t, admin.Chmod(ctx, "/", 0o777))
				v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{mount}, Identity: vfs.Identity{UID: 1000, GID: 1000}})
				require.NoError(t, err)
				require.NoError(t, v.Mkdir(ctx, "/a", 0o755))
				require.NoError(t, v.Mkdir(ctx, "/a/b", 0o755))
				require.NoError(t, closing(v.Open(ctx, "/a/b/f", vfs.O_WRONLY|vfs.O_CREATE, 0o644)))
				require.NoError(t, closing(v.Open(ctx, "/a/b/f", vfs.O_RDONLY, 0)))
				require.NoError(t, c.change(v))
				err = closing(v.WithUmask(0).Open(ctx, "/a/b/f", vfs.O_RDONLY, 0))
				if c.want == nil {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, c.want)
				}
			})
		}
	}
}

type unrestricted struct{}

func (unrestricted) Check(string, vfs.Intent) error { return nil }

// A change made on the host is seen, if not at once.
func TestOutsideChangesOfSearchPermissionAreSeen(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("for others the kernel checks, each time")
	}
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "d"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "d/f"), nil, 0o644))
	s, err := host.New(host.Options{Directory: root, ReadOnly: true})
	require.NoError(t, err)
	defer s.Close()
	v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: s.FS()}}, Identity: vfs.Identity{UID: 1000}})
	require.NoError(t, err)
	require.NoError(t, closing(v.Open(ctx, "/d/f", vfs.O_RDONLY, 0)))
	require.NoError(t, os.Chmod(filepath.Join(root, "d"), 0o600))
	require.Eventually(t, func() bool {
		return vfs.Errno(closing(v.Open(ctx, "/d/f", vfs.O_RDONLY, 0))) == vfs.EACCES
	}, time.Minute, 5*time.Millisecond)
}

// BenchmarkOpenHost opens files as grep -r does, for an identity that
// permission bits bind.
func BenchmarkOpenHost(b *testing.B) {
	root := b.TempDir()
	require.NoError(b, os.MkdirAll(filepath.Join(root, "a/b/c"), 0o755))
	require.NoError(b, os.WriteFile(filepath.Join(root, "a/b/c/f"), []byte("x\n"), 0o644))
	s, err := host.New(host.Options{Directory: root, ReadOnly: true})
	require.NoError(b, err)
	defer s.Close()
	v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: s.FS()}}, Identity: vfs.Identity{UID: 1000}})
	require.NoError(b, err)
	b.Run("View", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, closing(v.Open(ctx, "/a/b/c/f", vfs.O_RDONLY, 0)))
		}
	})
	b.Run("os", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := os.Open(filepath.Join(root, "a/b/c/f"))
			require.NoError(b, err)
			f.Close()
		}
	})
}
