package overlay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
)

// counted counts the calls that look at a name of the lower.
type counted struct {
	vfs.FS
	lstats int
}

func (c *counted) Lstat(ctx2 ctxType, p string) (*vfs.Info, error) {
	c.lstats++
	return c.FS.Lstat(ctx2, p)
}

func (c *counted) OpenChecked(ctx2 ctxType, p string, allowed func(*vfs.Info) bool) (vfs.File, error) {
	return c.FS.(vfs.CheckedOpener).OpenChecked(ctx2, p, allowed)
}

func (c *counted) ReadDirChecked(ctx2 ctxType, p string, allowed func(*vfs.Info) bool) ([]vfs.Entry, error) {
	return c.FS.(vfs.CheckedOpener).ReadDirChecked(ctx2, p, allowed)
}

func TestCheckedOpens(t *testing.T) {
	onDisk := func(t *testing.T) vfs.FS {
		s, err := host.New(host.Options{Directory: t.TempDir()})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		return s.FS()
	}
	for _, c := range []struct {
		name  string
		lower func(t *testing.T) vfs.FS
	}{
		{"a lower that checks", onDisk},
		{"a lower that does not", func(*testing.T) vfs.FS { return memory.New(memory.Options{}).FS() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			lower := c.lower(t)
			fill(t, lower)
			require.NoError(t, lower.Chmod(ctx, "/a/f", 0o044))
			s, err := overlay.New(overlay.Options{Lower: vfs.NewFace(lower)})
			require.NoError(t, err)
			f := s.FS()
			write(t, f, "/c/new", "new")
			write(t, f, "/c/secret", "secret")
			require.NoError(t, f.Chmod(ctx, "/c/secret", 0o044))
			require.NoError(t, f.Unlink(ctx, "/h"))
			require.NoError(t, f.Rename(ctx, "/a/b", "/c/b", false))
			checker, ok := f.(vfs.CheckedOpener)
			require.True(t, ok)
			readable := func(i *vfs.Info) bool { return i.FileMode&0o400 != 0 }
			for path, want := range map[string]error{
				"/c/f": nil, "/c/new": nil, "/c/b/g": nil, "/c": nil, "/": nil,
				"/a/f": vfs.EACCES, "/c/secret": vfs.EACCES, "/l": vfs.ELOOP, "/c/l": vfs.ELOOP,
				"/h": vfs.ENOENT, "/c/none": vfs.ENOENT, "/none": vfs.ENOENT, "/a/b/g": vfs.ENOENT,
			} {
				file, err := checker.OpenChecked(ctx, path, readable)
				require.ErrorIs(t, err, want, path)
				if err == nil {
					require.NoError(t, file.Close())
				}
			}
			for path, want := range map[string]error{
				"/": nil, "/a": nil, "/c": nil, "/c/b": nil, "/c/e": nil,
				"/a/b": vfs.ENOENT, "/none": vfs.ENOENT, "/c/new": vfs.ENOTDIR, "/c/f": vfs.ENOTDIR,
			} {
				entries, err := checker.ReadDirChecked(ctx, path, readable)
				require.ErrorIs(t, err, want, path)
				plain, _ := f.ReadDir(ctx, path)
				require.ElementsMatch(t, plain, entries, path)
			}
			_, err = checker.ReadDirChecked(ctx, "/a", func(*vfs.Info) bool { return false })
			require.ErrorIs(t, err, vfs.EACCES)
			_, err = checker.ReadDirChecked(ctx, "/c", func(*vfs.Info) bool { return false })
			require.ErrorIs(t, err, vfs.EACCES)
		})
	}
	t.Run("what is unchanged is not looked at first", func(t *testing.T) {
		lower := &counted{FS: onDisk(t)}
		fill(t, lower.FS)
		s, err := overlay.New(overlay.Options{Lower: vfs.NewFace(lower)})
		require.NoError(t, err)
		lower.lstats = 0
		checker := s.FS().(vfs.CheckedOpener)
		file, err := checker.OpenChecked(ctx, "/a/f", func(*vfs.Info) bool { return true })
		require.NoError(t, err)
		require.NoError(t, file.Close())
		_, err = checker.ReadDirChecked(ctx, "/a", func(*vfs.Info) bool { return true })
		require.NoError(t, err)
		require.Zero(t, lower.lstats)
	})
}
