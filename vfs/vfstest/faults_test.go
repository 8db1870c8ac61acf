package vfstest_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
	"github.com/vsh-project/vsh/vfs/vfstest"
)

var ctx = context.Background()

func put(t *testing.T, f vfs.FS, path, text string) {
	t.Helper()
	file, err := f.Open(ctx, path, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o644)
	require.NoError(t, err)
	_, err = io.WriteString(file, text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func content(t *testing.T, f vfs.FS, path string) string {
	t.Helper()
	file, err := f.Open(ctx, path, vfs.O_RDONLY, 0)
	require.NoError(t, err)
	defer file.Close()
	b, err := io.ReadAll(file)
	require.NoError(t, err)
	return string(b)
}

func temporaries(t *testing.T, f vfs.FS) (names []string) {
	t.Helper()
	entries, err := f.ReadDir(ctx, "/")
	require.NoError(t, err)
	for _, e := range entries {
		if strings.Contains(e.Name, ".tmp") {
			names = append(names, e.Name)
		}
	}
	return names
}

// TestWriteFileUnderFaults makes each call of a replacement go wrong in turn:
// the file is old or new, whole, and new where success was told.
func TestWriteFileUnderFaults(t *testing.T) {
	for _, fault := range []vfstest.Fault{vfstest.Fail, vfstest.Lie, vfstest.Short} {
		for at := 0; ; at++ {
			below := memory.New(memory.Options{}).FS()
			put(t, below, "/f", "old")
			faults := &vfstest.Faults{FS: below, Decide: func(call string, n int) vfstest.Fault {
				// A storage that can't remove leaves what it can't remove.
				if n == at && call != "Unlink" {
					return fault
				}
				return vfstest.Pass
			}}
			v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: faults}}})
			require.NoError(t, err)
			err = v.WriteFile(ctx, "/f", func(f vfs.File) error { _, err := io.WriteString(f, "new and longer"); return err }, 0o644)
			got := content(t, below, "/f")
			where := fmt.Sprint("fault ", fault, " at call ", at)
			if err == nil {
				require.Equal(t, "new and longer", got, where)
			} else {
				require.Contains(t, []string{"old", "new and longer"}, got, where)
			}
			// A create that lies has left a file the View knows nothing of.
			if fault != vfstest.Lie {
				require.Empty(t, temporaries(t, below), where)
			}
			if at > faults.Calls() {
				break
			}
		}
	}
}

// TestCommitUnderFaults does the same to a commit, which is then repeated.
func TestCommitUnderFaults(t *testing.T) {
	for _, fault := range []vfstest.Fault{vfstest.Fail, vfstest.Short} {
		for at := 0; ; at++ {
			below := memory.New(memory.Options{}).FS()
			put(t, below, "/f", "old f")
			put(t, below, "/g", "old g")
			armed := false
			faults := &vfstest.Faults{FS: below}
			first := 0
			faults.Decide = func(call string, n int) vfstest.Fault {
				if armed && n == first+at {
					return fault
				}
				return vfstest.Pass
			}
			s, err := overlay.New(overlay.Options{Lower: vfs.NewFace(faults)})
			require.NoError(t, err)
			put(t, s.FS(), "/f", "new f")
			put(t, s.FS(), "/h", "new h")
			require.NoError(t, s.FS().Unlink(ctx, "/g"))
			first = faults.Calls()
			armed = true
			_, err = s.Commit(ctx)
			calls := faults.Calls() - first
			armed = false
			require.Contains(t, []string{"old f", "new f"}, content(t, below, "/f"))
			require.Equal(t, "new f", content(t, s.FS(), "/f"), "what the overlay acknowledged is kept")
			if err != nil {
				_, err = s.Commit(ctx)
				require.NoError(t, err)
			}
			require.Equal(t, "new f new h", content(t, below, "/f")+" "+content(t, below, "/h"))
			_, err = below.Lstat(ctx, "/g")
			require.ErrorIs(t, err, vfs.ENOENT)
			if fault != vfstest.Fail {
				require.Empty(t, temporaries(t, below))
			}
			if at > calls {
				break
			}
		}
	}
}

// TestHangingLower lets the lower hang: whoever is not in it goes on, and a
// change that waits for another ends with its context.
func TestHangingLower(t *testing.T) {
	below := memory.New(memory.Options{}).FS()
	put(t, below, "/f", "text")
	hanging := make(chan struct{}, 1)
	faults := &vfstest.Faults{FS: below}
	s, err := overlay.New(overlay.Options{Lower: vfs.NewFace(faults)})
	require.NoError(t, err)
	put(t, s.FS(), "/mine", "mine")
	faults.Decide = func(call string, _ int) vfstest.Fault {
		if call == "File.Read" {
			select {
			case hanging <- struct{}{}:
				return vfstest.Hang
			default:
			}
		}
		return vfstest.Pass
	}
	done := make(chan error)
	go func() { done <- s.FS().Chmod(ctx, "/f", 0o600) }()
	for len(hanging) == 0 {
		time.Sleep(time.Millisecond)
	}
	require.Equal(t, "mine", content(t, s.FS(), "/mine"))
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.FS().Mkdir(short, "/d", 0o755), context.DeadlineExceeded)
	faults.Release()
	require.NoError(t, <-done)
	require.NoError(t, s.FS().Mkdir(ctx, "/d", 0o755))
}
