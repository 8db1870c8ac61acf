package shell

import (
	"context"
	"io"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
)

// evaluator is the seam behind which scripts are run: one per session.
type evaluator interface {
	// run runs one script and returns its exit status. The error says that
	// the evaluator itself could not work.
	run(ctx context.Context, request *Request, stdout, stderr io.Writer) (status int, err error)
	// directory is the session's working directory.
	directory() string
	// fork makes an evaluator that starts as this one is between runs.
	fork(s *settings, b *budget.Budget, view *vfs.View) (evaluator, error)
}
