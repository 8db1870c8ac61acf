package vfstest_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
	"github.com/vsh-project/vsh/vfs/vfstest"
)

func TestMemory(t *testing.T) {
	vfstest.Test(t, func(*testing.T) vfs.FS { return memory.New(memory.Options{Quota: 1 << 30}).FS() })
}

func TestHost(t *testing.T) {
	vfstest.Test(t, func(t *testing.T) vfs.FS {
		s, err := host.New(host.Options{Directory: t.TempDir()})
		require.NoError(t, err)
		t.Cleanup(func() { s.Close() })
		return s.FS()
	}, "a named pipe is an inode that does not open")
}

func TestOverlay(t *testing.T) {
	vfstest.Test(t, func(t *testing.T) vfs.FS {
		s, err := overlay.New(overlay.Options{Lower: memory.New(memory.Options{})})
		require.NoError(t, err)
		return s.FS()
	})
}

func TestOverlayOverADirectory(t *testing.T) {
	vfstest.Test(t, func(t *testing.T) vfs.FS {
		lower, err := host.New(host.Options{Directory: t.TempDir()})
		require.NoError(t, err)
		t.Cleanup(func() { lower.Close() })
		s, err := overlay.New(overlay.Options{Lower: lower})
		require.NoError(t, err)
		return s.FS()
	})
}

func TestWrappers(t *testing.T) {
	for name, wrap := range map[string]func(f vfs.FS) vfs.FS{
		"recorder": func(f vfs.FS) vfs.FS { return vfs.Record(f) },
		"policy":   func(f vfs.FS) vfs.FS { return vfs.Enforce(f, "/", vfs.Unrestricted()) },
		"faults":   func(f vfs.FS) vfs.FS { return &vfstest.Faults{FS: f} },
	} {
		t.Run(name, func(t *testing.T) {
			vfstest.Test(t, func(*testing.T) vfs.FS { return wrap(memory.New(memory.Options{}).FS()) })
		})
	}
}

// foreignLacks is what no lifted afero filesystem can do.
var foreignLacks = []string{
	"a hard link is the same file",
	"hard links: not of directories, not over names",
	"renaming one hard link over another changes nothing",
	"a named pipe is an inode that does not open",
	"usage is told",
}

func TestMemMapFs(t *testing.T) {
	vfstest.Test(t, func(*testing.T) vfs.FS { return vfs.FromAfero(afero.NewMemMapFs()) }, append([]string{
		"symbolic links hold any target",
		"no link is followed: ELOOP",
		"a link is renamed and removed itself",
		"access times can be set",
		"writing moves the modification time, of the directory too",
		"directories count their subdirectories",
	}, foreignLacks...)...)
}

func TestOsFsUnderADirectory(t *testing.T) {
	vfstest.Test(t, func(t *testing.T) vfs.FS {
		return vfs.FromAfero(afero.NewBasePathFs(afero.NewOsFs(), t.TempDir()))
	}, append([]string{
		"symbolic links hold any target",
		"no link is followed: ELOOP",
		"a link is renamed and removed itself",
	}, foreignLacks...)...)
}
