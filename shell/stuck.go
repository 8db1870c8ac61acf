package shell

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// StuckError is the answer of Exec and Fork while Calls, into code of the
// embedder, have not come back from an earlier run.
type StuckError struct{ Calls []string }

func (e *StuckError) Error() string {
	return "shell: an earlier run has left calls behind: " + strings.Join(e.Calls, ", ")
}

// leftGrace is what the evaluator gets to wind up, besides the grace of the
// calls that it waits for.
const leftGrace = 250 * time.Millisecond

// outcome is how an evaluation ended.
type outcome struct {
	status int
	err    error
}

// handOff evaluates in a goroutine of its own, and leaves it behind where
// foreign code does not come back once the run is over. left names what stays.
func (s *Shell) handOff(ctx context.Context, request *Request, out *capture) (o outcome, left []string) {
	over := make(chan struct{}, 1)
	done := make(chan outcome, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		status, err := s.evaluate(ctx, request, out, func() { over <- struct{}{} })
		done <- outcome{status, err}
	}()
	select {
	case o = <-done:
		return o, nil
	case <-ctx.Done():
	case <-over:
	}
	timer := time.NewTimer(s.eval.session.Patience() + leftGrace)
	defer timer.Stop()
	select {
	case o = <-done:
		return o, nil
	case <-timer.C:
	}
	left = append(s.pending(), out.pending()...)
	if len(left) == 0 {
		left = []string{"a call"}
	}
	s.left, s.leftCalls = ended, left
	return outcome{status: 124}, left
}

// pending names the calls of storages that have not come back.
func (s *Shell) pending() []string {
	var names []string
	for _, f := range s.files.foreign {
		names = append(names, vfs.Pending(f)...)
	}
	return names
}

// stuck is the error of a new run while an old one has calls left behind.
func (s *Shell) stuck() error {
	calls := s.eval.session.Stuck()
	if s.left != nil {
		select {
		case <-s.left:
			s.left, s.leftCalls = nil, nil
		default:
			calls = append(calls, s.leftCalls...)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	return &StuckError{Calls: calls}
}

// leave says in the output what a run has left behind.
func (c *capture) leave(calls []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := []byte(fmt.Sprintf("vsh: has not come back and is left behind: %s\n", strings.Join(calls, ", ")))
	c.output.Write(text)
	c.stderr.kept.Write(text)
}
