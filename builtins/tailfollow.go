package builtins

import (
	"errors"
	"io"
	"time"

	"github.com/vsh-project/vsh/vfs"
)

// tailPoll is how often followed files are looked at: often enough to seem
// immediate, as GNU's notifications are.
const tailPoll = 20 * time.Millisecond

// followFiles writes what is appended, until the context ends, the processes
// of --pid have, or no file is left.
func (t *tailCommand) followFiles(files []*tailFile) error {
	for _, f := range files {
		if f.r != nil && f.info == nil {
			f.given = true // a pipe has been read to its end
		}
	}
	var elapsed time.Duration
	for {
		left := 0
		for _, f := range files {
			if f.given {
				continue
			}
			if err := t.look(f); err != nil {
				return err
			}
			if !f.given {
				left++
			}
		}
		if left == 0 {
			for _, f := range files {
				if f.broken {
					t.errorf("no files remaining")
					break
				}
			}
			return nil
		}
		if err := t.out.Flush(); err != nil {
			return t.writeError(err)
		}
		if len(t.pids) > 0 && elapsed >= t.interval {
			if !t.alive() {
				return nil
			}
			elapsed = 0
		}
		if err := pause(t.ctx, tailPoll); err != nil {
			return err
		}
		elapsed += tailPoll
	}
}

func (t *tailCommand) alive() bool {
	for _, pid := range t.pids {
		if err := t.Host().Signal(pid, 0); err == nil || errors.Is(err, vfs.EPERM) {
			return true
		}
	}
	return false
}

// look brings one file up to date.
func (t *tailCommand) look(f *tailFile) error {
	if t.byName || f.broken {
		t.reopen(f)
		if f.broken {
			return nil
		}
	}
	info := statStream(f.r)
	seeker, ok := f.r.(io.Seeker)
	if info == nil || !ok {
		f.given = true
		return nil
	}
	at, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if info.Bytes < at {
		t.warnf("%s: file truncated", quoteFile(displayName(f.name)))
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return err
		}
		at = 0
	}
	if info.Bytes > at {
		t.header(f)
		if err := t.copy(f.r); err != nil {
			if t.ends(err) {
				return err
			}
			t.errorf("error reading %s: %s", quoteName(displayName(f.name)), vfs.Words(err))
			f.given = true
		}
	}
	return nil
}

// reopen looks whether the name still stands for what is open.
func (t *tailCommand) reopen(f *tailFile) {
	info, err := t.View().Stat(t.ctx, f.name)
	switch {
	case err != nil && f.broken:
		return
	case err != nil:
		f.broken = true
		if t.retry {
			t.errorf("%s has become inaccessible: %s", quoteName(f.name), vfs.Words(err))
			return
		}
		t.errorf("%s: %s", quoteFile(f.name), vfs.Words(err))
		f.given = true
		return
	case !f.broken && f.info != nil && vfs.SameFile(info, f.info):
		return
	}
	r, done, err := t.open(f.name)
	if err != nil {
		return
	}
	if f.broken {
		t.warnf("%s has appeared;  following new file", quoteName(f.name))
	} else {
		t.warnf("%s has been replaced;  following new file", quoteName(f.name))
	}
	f.close()
	f.r, f.done, f.info, f.broken = r, done, statStream(r), false
}
