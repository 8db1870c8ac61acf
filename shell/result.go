package shell

import (
	"io"
	"sync"
	"time"

	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// Result is what one Run did.
type Result struct {
	// Output is stdout and stderr interleaved as the script wrote them,
	// bounded by Options.MaximumOutputBytes.
	Output string `json:"output"`
	// ExitCode is the script's exit status as $? would show it: 127 for a
	// command that does not exist, 124 when the timeout stopped the script, 2
	// for a syntax error.
	ExitCode int `json:"exit_code"`
	// Truncated reports that the middle of Output was cut.
	Truncated bool `json:"truncated"`

	// Stdout and Stderr are the streams apart, each under Output's bound.
	Stdout string `json:"stdout"`
	Stderr string `json:"stderr"`
	// Directory is the working directory after the run, absolute.
	Directory string `json:"directory"`
	// TimedOut reports that the timeout stopped the script.
	TimedOut bool          `json:"timed_out"`
	Duration time.Duration `json:"duration_ns"`
	// CutBytes and CutLines count what is missing from Output.
	CutBytes int64 `json:"cut_bytes,omitempty"`
	CutLines int64 `json:"cut_lines,omitempty"`
	// Changes is what the run has changed in the workspace and in
	// Options.Mounts, in path order, with Options.RecordChanges: files it made
	// and removed again are not there, nor is /tmp. A renamed directory is one
	// change. What a host program did to the disk is not noted.
	Changes []vfs.Change `json:"changes,omitempty"`
	// Stuck names calls into code of the embedder (a storage, a writer, a
	// command) that have not come back. The Shell refuses runs until they have.
	Stuck []string `json:"stuck,omitempty"`
	// ChangesIncomplete says that there was more than could be noted.
	ChangesIncomplete bool `json:"changes_incomplete,omitempty"`
}

// capture is where a run's output goes: the bounded copies of Result, and the
// caller's own writers.
type capture struct {
	mu             sync.Mutex
	output         *lines.Cut
	stdout, stderr stream
	detached       bool
	// passing lets the caller's writers be called one at a time; passes names
	// the one that is, under mu.
	passing sync.Mutex
	passes  string
}

// stream is one of the two.
type stream struct {
	capture *capture
	kept    *lines.Cut
	to      io.Writer
	name    string
}

func newCapture(limit int, charger lines.Charger, stdout, stderr io.Writer) *capture {
	c := &capture{output: lines.NewCut(limit, charger)}
	c.stdout = stream{c, lines.NewCut(limit, charger), stdout, "Request.Stdout"}
	c.stderr = stream{c, lines.NewCut(limit, charger), stderr, "Request.Stderr"}
	return c
}

// Write is safe for concurrent use. After detach it drops what it is given.
func (s *stream) Write(p []byte) (int, error) {
	if s.to == nil {
		return s.keep(p, "")
	}
	c := s.capture
	c.passing.Lock()
	defer c.passing.Unlock()
	if n, err := s.keep(p, s.name); err != nil || c.isDetached() {
		return n, err
	}
	defer func() {
		c.mu.Lock()
		c.passes = ""
		c.mu.Unlock()
	}()
	n, err := s.to.Write(p)
	if n < len(p) && err == nil {
		err = io.ErrShortWrite
	}
	return min(n, len(p)), err
}

// keep adds p to the bounded copies and notes which writer gets it next.
func (s *stream) keep(p []byte, passes string) (int, error) {
	c := s.capture
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.detached {
		return len(p), nil
	}
	if _, err := c.output.Write(p); err != nil {
		return 0, err
	}
	if _, err := s.kept.Write(p); err != nil {
		return 0, err
	}
	c.passes = passes
	return len(p), nil
}

func (c *capture) isDetached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.detached
}

// pending names the caller's writer that has not come back.
func (c *capture) pending() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.passes == "" {
		return nil
	}
	return []string{"Write of " + c.passes}
}

// detach ends the capture: a command that outlived its run writes nowhere.
func (c *capture) detach(r *Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.detached = true
	r.Output, r.CutBytes, r.CutLines = c.output.String()
	r.Truncated = r.CutBytes > 0
	r.Stdout, _, _ = c.stdout.kept.String()
	r.Stderr, _, _ = c.stderr.kept.String()
	for _, k := range []*lines.Cut{c.output, c.stdout.kept, c.stderr.kept} {
		k.Release()
	}
}
