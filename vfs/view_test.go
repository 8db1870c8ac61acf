package vfs_test

import (
	"context"
	"io"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
)

func TestViewOverMemMapFs(t *testing.T) {
	ctx := context.Background()
	v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: vfs.FromAfero(afero.NewMemMapFs())}, {Path: "/usr/bin", FS: vfs.FromAfero(afero.NewMemMapFs()), Fallback: true}}})
	require.NoError(t, err)
	require.NoError(t, v.Mkdir(ctx, "d", 0o755))
	f, err := v.Open(ctx, "d/f", vfs.O_RDWR|vfs.O_CREATE, 0o666)
	require.NoError(t, err)
	_, err = f.Write([]byte("hello"))
	require.NoError(t, err)
	_, err = f.Seek(0, 0)
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, "hello", string(b))
	_, err = v.Stat(ctx, "d/f/x")
	require.ErrorIs(t, err, vfs.ENOTDIR)
	_, err = v.Stat(ctx, "d/f/")
	require.ErrorIs(t, err, vfs.ENOTDIR)
	_, err = v.Open(ctx, "no/x", vfs.O_CREATE|vfs.O_RDWR, 0o666)
	require.ErrorIs(t, err, vfs.ENOENT)
	info, err := v.Stat(ctx, "/usr")
	require.NoError(t, err)
	require.True(t, info.IsDir())
	entries, err := v.ReadDir(ctx, ".")
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.NoError(t, v.Mkfifo(ctx, "p", 0o666))
	require.ErrorIs(t, v.Rmdir(ctx, "d"), vfs.ENOTEMPTY)
}
