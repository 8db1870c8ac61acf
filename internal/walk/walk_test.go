package walk_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// tree makes a view of files; "a/" is a directory, "a -> b" a link.
func tree(t *testing.T, names ...string) *vfs.View {
	t.Helper()
	s := memory.New(memory.Options{})
	for _, name := range names {
		name, target, isLink := strings.Cut(name, " -> ")
		switch {
		case isLink:
			require.NoError(t, s.SymlinkIfPossible(target, "/"+name))
		case strings.HasSuffix(name, "/"):
			require.NoError(t, s.MkdirAll("/"+name, 0o755))
		default:
			require.NoError(t, s.MkdirAll(path.Dir("/"+name), 0o755))
			require.NoError(t, afero.WriteFile(s, "/"+name, nil, 0o644))
		}
	}
	view, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: s.FS()}}, Umask: 0o022})
	require.NoError(t, err)
	return view
}

func visited(t *testing.T, view *vfs.View, root string, o walk.Options) string {
	t.Helper()
	var got []string
	err := walk.Walk(context.Background(), view, root, o, func(e *walk.Entry) error {
		mark := ""
		switch e.Kind {
		case walk.Post:
			mark = "/post"
		case walk.Unreadable, walk.Missing:
			mark = "!" + vfs.Words(e.Err)
		case walk.Loop:
			mark = "@" + e.Ancestor
		}
		got = append(got, e.Path+mark)
		if e.Name == "skip" {
			return walk.SkipDir
		}
		return nil
	})
	require.NoError(t, err)
	return strings.Join(got, " ")
}

func TestWalk(t *testing.T) {
	view := tree(t, "d/b", "d/a/x", "d/a/y/z", "d/skip/hidden", "d/c/", "d/ln -> a", "d/dead -> gone", "d/c/up -> ..", "me -> me", "top -> d")
	for _, c := range []struct {
		rule, root string
		options    walk.Options
		want       string
	}{
		{"entries come in name order, a directory before its contents", "d", walk.Options{},
			"d d/a d/a/x d/a/y d/a/y/z d/b d/c d/c/up d/dead d/ln d/skip"},
		{"post visits follow the contents", "d/a", walk.Options{Post: true}, "d/a d/a/x d/a/y d/a/y/z d/a/y/post d/a/post"},
		{"depth is bounded", "d", walk.Options{MaxDepth: 1}, "d d/a d/b d/c d/dead d/ln d/skip"},
		{"depth zero is the root alone", "d", walk.Options{Bounded: true}, "d"},
		{"a root's slash is kept and not doubled", "d/a/", walk.Options{MaxDepth: 1}, "d/a/ d/a/x d/a/y"},
		{"a root link is itself", "top", walk.Options{}, "top"},
		{"a root link is followed when asked", "top", walk.Options{Links: walk.CommandLine, MaxDepth: 1}, "top top/a top/b top/c top/dead top/ln top/skip"},
		{"all links are followed, loops are seen, dead links are themselves", "d", walk.Options{Links: walk.Logical},
			"d d/a d/a/x d/a/y d/a/y/z d/b d/c d/c/up@d d/dead d/ln d/ln/x d/ln/y d/ln/y/z d/skip"},
		{"a link that never ends is missing", "me", walk.Options{Links: walk.Logical}, "me!Too many levels of symbolic links"},
		{"a missing root is told of", "gone", walk.Options{}, "gone!No such file or directory"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			require.Equal(t, c.want, visited(t, view, c.root, c.options))
			c.options.Ahead = 3
			require.Equal(t, c.want, visited(t, view, c.root, c.options), "listed ahead")
			c.options.Stat = true
			require.Equal(t, c.want, visited(t, view, c.root, c.options), "listed and described ahead")
		})
	}
}

func TestUnreadableDirectoryIsVisitedThenReported(t *testing.T) {
	view := tree(t, "d/shut/x", "d/z")
	require.NoError(t, view.Chmod(context.Background(), "/d/shut", 0))
	shut := unreadable{view: view}
	bound, err := vfs.NewView(vfs.ViewOptions{Mounts: []vfs.Mount{{Path: "/", FS: shut}}, Identity: vfs.Identity{UID: 7, GID: 7}})
	require.NoError(t, err)
	require.Equal(t, "d d/shut d/shut!Permission denied d/z", visited(t, bound, "d", walk.Options{Ahead: 2}))
}

// unreadable refuses to list directories named shut.
type unreadable struct {
	vfs.Unsupported
	view *vfs.View
}

func (u unreadable) Lstat(ctx context.Context, name string) (*vfs.Info, error) {
	return u.view.Lstat(ctx, name)
}

func (u unreadable) ReadDir(ctx context.Context, name string) ([]vfs.Entry, error) {
	if strings.HasSuffix(name, "shut") {
		return nil, vfs.EACCES
	}
	return u.view.ReadDir(ctx, name)
}

func TestVisitorsErrorEndsTheWalkAndItsWorkers(t *testing.T) {
	var names []string
	for i := range 200 {
		names = append(names, fmt.Sprintf("d/%03d/x", i))
	}
	view := tree(t, names...)
	before := runtime.NumGoroutine()
	stop := errors.New("stop")
	seen := 0
	err := walk.Walk(context.Background(), view, "d", walk.Options{Ahead: 16}, func(*walk.Entry) error {
		if seen++; seen == 50 {
			return stop
		}
		return nil
	})
	require.ErrorIs(t, err, stop)
	require.Equal(t, 50, seen)
	for tries := 0; runtime.NumGoroutine() > before && tries < 1e6; tries++ {
		runtime.Gosched() // a worker that has said it is done may still be ending
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func TestCancelledContextEndsTheWalk(t *testing.T) {
	view := tree(t, "d/a/x", "d/b/x")
	ctx, cancel := context.WithCancel(context.Background())
	err := walk.Walk(ctx, view, "d", walk.Options{Ahead: 4}, func(e *walk.Entry) error {
		if e.Name == "a" {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
}

func TestSkippingDirectoriesFreesTheirSlots(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("d/%03d/x", i))
	}
	view := tree(t, names...)
	n := 0
	err := walk.Walk(context.Background(), view, "d", walk.Options{Ahead: 2}, func(e *walk.Entry) error {
		n++
		if e.Depth > 0 && e.Type&fs.ModeDir != 0 {
			return walk.SkipDir
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 101, n)
}
