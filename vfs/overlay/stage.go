package overlay

import "context"

// Stage keeps an overlay over a host directory and the disk the same around the
// run of a host program there: external.Options.Stage takes one.
type Stage struct{ storage *Storage }

// Stage gives the overlay's. Whoever uses it lets a run of such a program write
// to the lower, whatever becomes of the changes after it.
func (s *Storage) Stage() Stage { return Stage{s} }

// Before commits all changes, so that the program sees them. A *Conflict, or
// whatever else keeps it from that, refuses the run.
func (s Stage) Before(ctx context.Context) error {
	_, err := s.storage.Commit(ctx)
	return err
}

// After has nothing to read again: what is unchanged since Before is read from
// the lower each time. What a job of the script has changed meanwhile stays, and
// meets its conflict at the next Commit.
func (s Stage) After(context.Context) error { return nil }
