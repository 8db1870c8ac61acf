package vfs_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
)

func TestLazyFiles(t *testing.T) {
	var calls atomic.Int32
	fails := true
	release := make(chan struct{})
	lazy, err := vfs.NewLazy([]vfs.LazyFile{
		{Path: "/docs/a", Size: 99, Produce: func(context.Context) ([]byte, error) { calls.Add(1); return []byte("content"), nil }},
		{Path: "/docs/fails", Produce: func(context.Context) ([]byte, error) {
			if fails {
				return nil, errors.New("https://host/secret is down")
			}
			return []byte("late"), nil
		}},
		{Path: "/hangs", Produce: func(context.Context) ([]byte, error) { <-release; return []byte("x"), nil }},
		{Path: "/panics", Produce: func(context.Context) ([]byte, error) { panic("boom") }},
	})
	require.NoError(t, err)
	v := view(t, vfs.Mount{Path: "/", FS: empty()}, vfs.Mount{Path: "/lazy", FS: lazy})
	t.Run("listing produces nothing", func(t *testing.T) {
		require.Equal(t, "docs hangs panics", names(t, v, "/lazy"))
		require.Equal(t, "a fails", names(t, v, "/lazy/docs"))
		info, err := v.Stat(ctx, "/lazy/docs/a")
		require.NoError(t, err)
		require.Equal(t, int64(99), info.Size())
		require.Zero(t, calls.Load())
	})
	t.Run("the first reader produces it for all", func(t *testing.T) {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() { text(t, v, "/lazy/docs/a") })
		}
		group.Wait()
		require.Equal(t, "content", text(t, v, "/lazy/docs/a"))
		require.Equal(t, int32(1), calls.Load())
		info, err := v.Stat(ctx, "/lazy/docs/a")
		require.NoError(t, err)
		require.Equal(t, int64(7), info.Size())
	})
	t.Run("a failure is EIO without its text, and is tried again", func(t *testing.T) {
		_, err := v.Open(ctx, "/lazy/docs/fails", vfs.O_RDONLY, 0)
		require.ErrorIs(t, err, vfs.EIO)
		require.Equal(t, "Input/output error", vfs.Words(err))
		fails = false
		require.Equal(t, "late", text(t, v, "/lazy/docs/fails"))
	})
	t.Run("a panic is EIO", func(t *testing.T) {
		_, err := v.Open(ctx, "/lazy/panics", vfs.O_RDONLY, 0)
		require.ErrorIs(t, err, vfs.EIO)
	})
	t.Run("waiting ends with the context", func(t *testing.T) {
		for range 2 {
			short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
			_, err := v.Open(short, "/lazy/hangs", vfs.O_RDONLY, 0)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			cancel()
		}
		close(release)
		require.Equal(t, "x", text(t, v, "/lazy/hangs"))
	})
	t.Run("nothing can be changed", func(t *testing.T) {
		require.ErrorIs(t, v.Unlink(ctx, "/lazy/docs/a"), vfs.EROFS)
		require.ErrorIs(t, v.Mkdir(ctx, "/lazy/new", 0o755), vfs.EROFS)
		_, err := v.Open(ctx, "/lazy/docs/a", vfs.O_WRONLY, 0)
		require.ErrorIs(t, err, vfs.EROFS)
		_, err = v.Stat(ctx, "/lazy/docs/a/x")
		require.ErrorIs(t, err, vfs.ENOTDIR)
	})
	t.Run("bad files are refused", func(t *testing.T) {
		produce := func(context.Context) ([]byte, error) { return nil, nil }
		for _, files := range [][]vfs.LazyFile{
			{{Path: "rel", Produce: produce}}, {{Path: "/x"}}, {{Path: "/x", Produce: produce}, {Path: "/x/y", Produce: produce}},
			{{Path: "/x/y", Produce: produce}, {Path: "/x", Produce: produce}},
		} {
			_, err := vfs.NewLazy(files)
			require.Error(t, err)
		}
	})
}
