package memory_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

func TestQuota(t *testing.T) {
	t.Run("an inode counts at least 256 bytes", func(t *testing.T) {
		s := memory.New(memory.Options{Quota: 2560})
		made := 0
		for ; made < 100; made++ {
			if err := afero.WriteFile(s, fmt.Sprint("/", made), nil, 0o666); err != nil {
				require.ErrorIs(t, err, vfs.ENOSPC)
				break
			}
		}
		require.LessOrEqual(t, made, 10)
		require.Greater(t, made, 4)
	})
	t.Run("a removed file gives its bytes back", func(t *testing.T) {
		s := memory.New(memory.Options{Quota: 1 << 20})
		for range 10 {
			require.NoError(t, afero.WriteFile(s, "/f", make([]byte, 600<<10), 0o666))
			require.NoError(t, s.Remove("/f"))
		}
	})
	t.Run("the budget is charged before and released after", func(t *testing.T) {
		b := budget.New(1 << 20)
		s := memory.New(memory.Options{Budget: b})
		require.NoError(t, afero.WriteFile(s, "/f", make([]byte, 600<<10), 0o666))
		require.Greater(t, b.Used(), int64(600<<10))
		err := afero.WriteFile(s, "/g", make([]byte, 600<<10), 0o666)
		require.ErrorIs(t, err, vfs.ENOSPC)
		var exceeded *budget.Exceeded
		require.ErrorAs(t, err, &exceeded)
		require.NoError(t, s.RemoveAll("/f"))
		require.NoError(t, s.RemoveAll("/g"))
		require.Zero(t, b.Used())
	})
}

func TestSparse(t *testing.T) {
	s := memory.New(memory.Options{Quota: 1 << 20})
	f, err := s.Create("/f")
	require.NoError(t, err)
	_, err = f.Seek(100<<30, io.SeekStart)
	require.NoError(t, err)
	_, err = f.Write([]byte("x"))
	require.NoError(t, err)
	info, err := f.Stat()
	require.NoError(t, err)
	require.Equal(t, int64(100<<30+1), info.Size())
	require.LessOrEqual(t, info.(*vfs.Info).Blocks, int64(128))
	b := make([]byte, 4)
	n, err := f.ReadAt(b, 100<<30-3)
	require.NoError(t, err)
	require.Equal(t, "\x00\x00\x00x", string(b[:n]))
	_, err = f.Seek(1<<60, io.SeekStart)
	require.NoError(t, err)
	_, err = f.Write([]byte("x"))
	require.ErrorIs(t, err, vfs.EFBIG)
}

func TestDirectoryOfManyNames(t *testing.T) {
	ctx := context.Background()
	s := memory.New(memory.Options{})
	for i := range 5000 {
		require.NoError(t, afero.WriteFile(s, fmt.Sprintf("/%d", i*7919%5000), nil, 0o666))
	}
	entries, err := s.FS().ReadDir(ctx, "/")
	require.NoError(t, err)
	require.Len(t, entries, 5000)
	for i := range 5000 {
		require.NoError(t, s.Remove(fmt.Sprintf("/%d", i*7907%5000)), i)
	}
	entries, err = s.FS().ReadDir(ctx, "/")
	require.NoError(t, err)
	require.Empty(t, entries)
}
