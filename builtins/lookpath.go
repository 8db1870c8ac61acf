package builtins

import (
	"context"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// runnable says why a command could not be run, as execvp would: a name with a
// slash must be a file that may be executed, another be found in PATH.
func (c *call) runnable(ctx context.Context, name string) error {
	if _, err := c.Host().LookPath(ctx, name, c.Environment); err != nil {
		return err
	}
	if !strings.Contains(name, "/") {
		return nil
	}
	info, err := c.View().Stat(ctx, name)
	if err == nil && info.IsDir() {
		err = vfs.EACCES
	}
	if err == nil {
		err = c.View().Access(ctx, name, vfs.AccessExecute)
	}
	return err
}
