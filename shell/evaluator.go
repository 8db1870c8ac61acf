package shell

import (
	"context"
	"io"
)

// evaluator is the seam behind which scripts are run: one per session.
type evaluator interface {
	// run runs one script and returns its exit status. The error says that
	// the evaluator itself could not work.
	run(ctx context.Context, request *Request, stdout, stderr io.Writer) (status int, err error)
	// directory is the session's working directory.
	directory() string
}
