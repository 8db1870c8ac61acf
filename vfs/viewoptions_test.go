package vfs_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// syncs counts the files that are synced before they get their name.
type syncs struct {
	vfs.FS
	before, after atomic.Int64
	renamed       atomic.Bool
}

func (s *syncs) Open(ctx context.Context, path string, flag int, mode fs.FileMode) (vfs.File, error) {
	f, err := s.FS.Open(ctx, path, flag, mode)
	return &syncedFile{f, s}, err
}

func (s *syncs) Rename(ctx context.Context, from, to string, noReplace bool) error {
	s.renamed.Store(true)
	return s.FS.Rename(ctx, from, to, noReplace)
}

type syncedFile struct {
	vfs.File
	s *syncs
}

func (f *syncedFile) Sync() error {
	if f.s.renamed.Load() {
		f.s.after.Add(1)
	} else {
		f.s.before.Add(1)
	}
	return f.File.Sync()
}

func TestWriteFileSyncsByOption(t *testing.T) {
	for _, sync := range []bool{false, true} {
		s := &syncs{FS: memory.New(memory.Options{}).FS()}
		v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: s}}, Sync: sync})
		require.NoError(t, err)
		require.NoError(t, v.WriteFile(ctx, "/f", func(f vfs.File) error { _, err := f.Write([]byte("x")); return err }, 0o644))
		want := int64(0)
		if sync {
			want = 1
		}
		require.Equal(t, want, s.before.Load())
		require.Zero(t, s.after.Load(), "before the rename or not at all")
		s.renamed.Store(false)
		require.NoError(t, vfs.NewFiles(v, vfs.FilesOptions{Sync: true}).WriteFile(ctx, "/g", nil))
		require.Equal(t, want+1, s.before.Load(), "the file layer has an option of its own")
	}
}

func TestNamedPipesDrawFromTheBudget(t *testing.T) {
	b := budget.New(40 << 10)
	v, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: memory.New(memory.Options{}).FS()}}, Budget: b})
	require.NoError(t, err)
	require.NoError(t, v.Mkfifo(ctx, "/p", 0o600))
	var reader vfs.File
	var wait sync.WaitGroup
	wait.Go(func() { reader, err = v.Open(ctx, "/p", vfs.O_RDONLY, 0) })
	writer, openErr := v.Open(ctx, "/p", vfs.O_WRONLY, 0)
	require.NoError(t, openErr)
	wait.Wait()
	require.NoError(t, err)
	_, err = writer.Write([]byte(strings.Repeat("x", 10<<10)))
	require.NoError(t, err)
	_, err = writer.Write([]byte(strings.Repeat("x", 50<<10)))
	require.ErrorIs(t, err, vfs.ENOMEM)
	require.True(t, errors.As(err, new(*budget.Exceeded)))
	require.Error(t, b.Charge(30<<10))
	require.NoError(t, reader.Close())
	require.NoError(t, writer.Close())
	require.NoError(t, b.Charge(40<<10), "all is given back")
}
