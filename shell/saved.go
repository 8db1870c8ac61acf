package shell

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/tool"
	"github.com/vsh-project/vsh/vfs"
)

const (
	// maximumSavedBytes bounds how much of one call's output is saved.
	maximumSavedBytes = 8 << 20
	// maximumSavedFiles bounds how many outputs a session keeps.
	maximumSavedFiles = 4
	progressInterval  = time.Second
)

// wholeOutput keeps what a script writes, up to maximumSavedBytes charged to
// the session's budget, while the Result may keep less.
type wholeOutput struct {
	limit  int
	budget *budget.Budget

	mu      sync.Mutex
	kept    []byte
	charged int64
	total   int64
	full    bool
	line    []byte // the last line that has text, for who watches
}

// Write never fails: the copy is a service.
func (w *wholeOutput) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total += int64(len(p))
	w.noteLine(p)
	if w.limit < 0 || w.full {
		return len(p), nil
	}
	more := p
	if room := maximumSavedBytes - len(w.kept); len(more) > room {
		more, w.full = more[:room], true
	}
	if need := len(w.kept) + len(more); need > cap(w.kept) {
		size := min(max(need, 2*cap(w.kept), 4<<10), maximumSavedBytes)
		if w.budget.Charge(int64(size)) != nil {
			w.full = true
			return len(p), nil
		}
		grown := make([]byte, len(w.kept), size)
		copy(grown, w.kept)
		w.kept = grown
		w.budget.Release(w.charged)
		w.charged = int64(size)
	}
	w.kept = append(w.kept, more...)
	return len(p), nil
}

func (w *wholeOutput) noteLine(p []byte) {
	trimmed := bytes.TrimRight(p[max(0, len(p)-512):], " \t\r\n")
	if len(trimmed) > 0 {
		w.line = append(w.line[:0], trimmed[bytes.LastIndexByte(trimmed, '\n')+1:]...)
	}
}

func (w *wholeOutput) release() { w.budget.Release(w.charged) }

// report tells the caller, once a second, how the call goes on; the function
// it returns ends that.
func (w *wholeOutput) report(call *tool.Call) (stop func()) {
	if !call.WantsProgress() {
		return func() {}
	}
	began := time.Now()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(progressInterval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				w.mu.Lock()
				message := fmt.Sprintf("%d s, %d bytes", int(time.Since(began).Seconds()), w.total)
				if len(w.line) > 0 {
					message += ": " + strings.ToValidUTF8(stripEscapes(string(w.line[:min(len(w.line), 200)])), "")
				}
				w.mu.Unlock()
				call.Progress(message)
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// savedOutputs are the files that hold outputs of earlier calls.
type savedOutputs struct {
	number int
	paths  []string
}

// save writes the output to a new file of /tmp and removes the oldest where
// there are too many. An empty path says that it could not; bytes is how much
// is there when it is not all.
func (s *savedOutputs) save(ctx context.Context, view *vfs.View, w *wholeOutput) (path string, bytes int64) {
	for len(s.paths) >= maximumSavedFiles {
		// The script may have removed it.
		view.Unlink(ctx, s.paths[0])
		s.paths = s.paths[1:]
	}
	var f vfs.File
	for try := 0; f == nil; try++ {
		s.number++
		path = fmt.Sprintf("/tmp/output-%d.txt", s.number)
		var err error
		f, err = view.Open(ctx, path, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o644)
		if err != nil && (vfs.Errno(err) != vfs.EEXIST || try == 100) {
			return "", 0
		}
	}
	written, err := f.Write(w.kept)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if written == 0 {
		view.Unlink(ctx, path)
		return "", 0
	}
	s.paths = append(s.paths, path)
	if err != nil || int64(written) < w.total {
		bytes = int64(written)
	}
	return path, bytes
}
