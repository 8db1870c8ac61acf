package memory_test

import (
	"io"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

func put(t *testing.T, s *memory.Storage, path, text string) {
	t.Helper()
	require.NoError(t, afero.WriteFile(s, path, []byte(text), 0o644))
}

func text(t *testing.T, s *memory.Storage, path string) string {
	t.Helper()
	b, err := afero.ReadFile(s, path)
	require.NoError(t, err)
	return string(b)
}

func TestSnapshot(t *testing.T) {
	t.Run("restores names, content and modes", func(t *testing.T) {
		s := memory.New(memory.Options{})
		require.NoError(t, s.Mkdir("/d", 0o755))
		put(t, s, "/d/f", "old")
		put(t, s, "/g", "kept")
		shot := s.Snapshot()
		put(t, s, "/d/f", "new and longer")
		put(t, s, "/d/n", "")
		require.NoError(t, s.Remove("/g"))
		require.NoError(t, s.Chmod("/d", 0o700))
		second := s.Snapshot()
		require.NoError(t, s.RemoveAll("/d"))
		require.NoError(t, s.Restore(shot))
		require.Equal(t, "old kept", text(t, s, "/d/f")+" "+text(t, s, "/g"))
		_, err := s.Stat("/d/n")
		require.Error(t, err)
		info, err := s.Stat("/d")
		require.NoError(t, err)
		require.Equal(t, "drwxr-xr-x", info.Mode().String())
		put(t, s, "/d/f", "third")
		require.NoError(t, s.Restore(second))
		require.Equal(t, "new and longer", text(t, s, "/d/f"))
		require.NoError(t, s.Restore(shot))
		require.Equal(t, "old", text(t, s, "/d/f"))
		require.NoError(t, shot.Close())
		require.Error(t, s.Restore(shot))
	})
	t.Run("an open file follows its inode", func(t *testing.T) {
		s := memory.New(memory.Options{})
		put(t, s, "/f", "old")
		shot := s.Snapshot()
		put(t, s, "/f", "new")
		f, err := s.Open("/f")
		require.NoError(t, err)
		g, err := s.Create("/later")
		require.NoError(t, err)
		require.NoError(t, s.Restore(shot))
		b, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, "old", string(b))
		_, err = g.Write([]byte("x"))
		require.Error(t, err)
		require.NoError(t, g.Close())
	})
	t.Run("the budget is whole again once snapshots are closed", func(t *testing.T) {
		b := budget.New(0)
		s := memory.New(memory.Options{Budget: b})
		put(t, s, "/f", string(make([]byte, 100<<10)))
		before := b.Used()
		shot := s.Snapshot()
		put(t, s, "/f", string(make([]byte, 100<<10)))
		require.Greater(t, b.Used(), before)
		for range 100 {
			put(t, s, "/temporary", "x")
			require.NoError(t, s.Remove("/temporary"))
		}
		used := b.Used()
		put(t, s, "/temporary", "x")
		require.NoError(t, s.Remove("/temporary"))
		require.Equal(t, used, b.Used(), "what comes and goes costs nothing")
		require.NoError(t, shot.Close())
		require.Equal(t, before, b.Used())
		require.NoError(t, s.Remove("/f"))
		require.Zero(t, b.Used())
	})
	t.Run("a fork goes its own way", func(t *testing.T) {
		s := memory.New(memory.Options{})
		put(t, s, "/f", "one")
		shot := s.Snapshot()
		fork, err := shot.Fork(memory.Options{})
		require.NoError(t, err)
		require.NoError(t, shot.Close())
		put(t, s, "/f", "two")
		put(t, fork, "/f", "three")
		put(t, fork, "/g", "x")
		require.Equal(t, "two three", text(t, s, "/f")+" "+text(t, fork, "/f"))
		_, err = s.Stat("/g")
		require.Error(t, err)
	})
}

func BenchmarkSnapshotOf1GB(b *testing.B) {
	s := memory.New(memory.Options{})
	f, err := s.Create("/big")
	require.NoError(b, err)
	block := make([]byte, 1<<20)
	for range 1024 {
		_, err := f.Write(block)
		require.NoError(b, err)
	}
	b.ResetTimer()
	for b.Loop() {
		start := time.Now()
		shot := s.Snapshot()
		if time.Since(start) > time.Millisecond {
			b.Log("a snapshot took", time.Since(start))
		}
		shot.Close()
	}
}

// Two storages number their inodes alike, so nothing but the check keeps one's
// content out of the other.
func TestForeignSnapshotIsRefused(t *testing.T) {
	mine, other := memory.New(memory.Options{}), memory.New(memory.Options{})
	put(t, mine, "/f", "mine")
	put(t, other, "/f", "other")
	shot := other.Snapshot()
	defer shot.Close()
	require.ErrorIs(t, mine.Restore(shot), vfs.EINVAL)
	require.Equal(t, "mine", text(t, mine, "/f"))
}
