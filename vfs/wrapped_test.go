package vfs_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// A storage of ours that an embedder wraps in one of their own is seen through
// its afero face only, and must stay without owners.
func TestWrappedStorageBelongsToWhoUsesIt(t *testing.T) {
	wrapped := struct{ afero.Fs }{memory.New(memory.Options{})}
	view, err := vfs.NewView(vfs.ViewOptions{
		Mounts:   []vfs.Mount{{Path: "/", FS: vfs.FromAfero(wrapped)}},
		Identity: vfs.Identity{UID: 1000, GID: 1000},
	})
	require.NoError(t, err)
	require.NoError(t, view.Mkdir(t.Context(), "/d", 0o755))
	f, err := view.Open(t.Context(), "/d/f", vfs.O_WRONLY|vfs.O_CREATE, 0o644)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	info, err := view.Stat(t.Context(), "/d/f")
	require.NoError(t, err)
	require.Equal(t, 1000, info.UID)
	require.Equal(t, 1000, info.GID)
}
