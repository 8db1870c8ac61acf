package vfs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// A working directory is the directory, not its name.
func TestAWorkingDirectoryIsHeld(t *testing.T) {
	ctx := t.Context()
	v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: vfs.FromAfero(memory.New(memory.Options{}))}}})
	require.NoError(t, err)
	require.NoError(t, v.MkdirAll(ctx, "/a/b", 0o755))
	inside := v.WithDirectory("/a/b")

	require.NoError(t, v.Rename(ctx, "/a", "/z", false))
	f, err := inside.Open(ctx, "f", vfs.O_WRONLY|vfs.O_CREATE, 0o644)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = v.Stat(ctx, "/z/b/f")
	assert.NoError(t, err, "a directory above it was renamed")
	now, gone := inside.Current()
	assert.Equal(t, "/z/b", now)
	assert.False(t, gone)
	assert.Equal(t, "/a/b", inside.Directory(), "as it was reached")

	require.NoError(t, v.Unlink(ctx, "/z/b/f"))
	require.NoError(t, v.Rmdir(ctx, "/z/b"))
	require.NoError(t, v.MkdirAll(ctx, "/z/b/new", 0o755))
	entries, err := inside.ReadDir(ctx, ".")
	assert.NoError(t, err)
	assert.Empty(t, entries, "one of the same name is another")
	_, err = inside.Stat(ctx, "new")
	assert.Equal(t, vfs.ENOENT, vfs.Errno(err))
	_, err = inside.Stat(ctx, "../b/new")
	assert.NoError(t, err, "the way up is left")

	for range 5000 { // of moves that nobody asked about for so long no more is known
		require.NoError(t, v.Rename(ctx, "/z", "/y", false))
		require.NoError(t, v.Rename(ctx, "/y", "/z", false))
	}
	_, gone = inside.Current()
	assert.True(t, gone)
}
