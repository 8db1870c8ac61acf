//go:build linux

package external_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/external"
	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs/host"
)

// TestALinkCannotBeRacedPastTheCheck: between the check and the start somebody puts
// a link out of Directory in the place of the run's directory.
func TestALinkCannotBeRacedPastTheCheck(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	in, aside, link := filepath.Join(root, "in"), filepath.Join(root, "aside"), filepath.Join(root, "link")
	require.NoError(t, os.MkdirAll(filepath.Join(in, "deep"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(outside, "deep"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(outside, "deep", "secret"), nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(in, "deep", "own"), nil, 0o644))
	require.NoError(t, os.Symlink(outside, link))
	o := script(t, "list", "/bin/ls")
	o.Directory, o.FollowWorkingDirectory = root, true
	o.AllowCall = func(context.Context, *external.Call) error {
		os.Rename(in, aside)
		return os.Rename(link, in)
	}
	c, err := external.New(o)
	require.NoError(t, err)
	storage, err := host.New(host.Options{Directory: root})
	require.NoError(t, err)
	sh, err := shell.New(&shell.Options{Storage: storage, Commands: []command.Command{c}})
	require.NoError(t, err)
	require.Equal(t, "own\n", run(t, sh, "cd /in/deep && list").Output)
}
