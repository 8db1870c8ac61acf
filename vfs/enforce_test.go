package vfs_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// What reaches the storage past the View is checked all the same.
func TestEnforcedOpens(t *testing.T) {
	for _, c := range []struct {
		rule string
		flag int
		code string
	}{
		{"reading is let through", vfs.O_RDONLY, ""},
		{"writing is not", vfs.O_WRONLY, vfs.CodeProtected},
		{"nor reading and writing", vfs.O_RDWR, vfs.CodeProtected},
		{"nor reading what is emptied first", vfs.O_RDONLY | vfs.O_TRUNC, vfs.CodeProtected},
		{"nor reading what may be made", vfs.O_RDONLY | vfs.O_CREATE, vfs.CodeProtected},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s := memory.New(memory.Options{})
			require.NoError(t, s.Mkdir("/.git", 0o755))
			require.NoError(t, afero.WriteFile(s, "/.git/f", []byte("keep"), 0o644))
			policy, err := vfs.WorkspacePolicy(vfs.Workspace{Writable: []string{"/w"}})
			require.NoError(t, err)
			err = closing(vfs.Enforce(s.FS(), "/w", policy).Open(ctx, "/.git/f", c.flag, 0o644))
			require.Equal(t, c.code, vfs.RefusalCode(err))
			text, err := afero.ReadFile(s, "/.git/f")
			require.NoError(t, err)
			require.Equal(t, "keep", string(text))
		})
	}
}
