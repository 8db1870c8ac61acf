package vfs_test

import (
	"io"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// policed is a view over a filled storage under a workspace policy.
func policed(t *testing.T, w vfs.Workspace) *vfs.View {
	t.Helper()
	s := memory.New(memory.Options{})
	for _, p := range []string{"/w/f", "/w/d/g", "/w/.git/config", "/w/lib/x", "/ro/f", "/out/secret", "/w/keys/a.key", "/w/.GIT2/x"} {
		require.NoError(t, s.MkdirAll(dirOf(p), 0o755))
		require.NoError(t, afero.WriteFile(s, p, []byte(p), 0o644))
	}
	for link, target := range map[string]string{
		"/w/togit": ".git", "/w/toconfig": ".git/config", "/w/out": "/out", "/w/dangling": ".agents", "/w/outdangling": "/out/new",
		"/w/toro": "/ro/f", "/out/in": "/w/f",
	} {
		require.NoError(t, s.SymlinkIfPossible(target, link))
	}
	p, err := vfs.WorkspacePolicy(w)
	require.NoError(t, err)
	return view(t, vfs.Mount{Path: "/", FS: s.FS(), Policy: p}, vfs.Mount{Path: "/tmp", FS: empty()}).WithDirectory("/w")
}

func dirOf(p string) string {
	for i := len(p) - 1; i > 0; i-- {
		if p[i] == '/' {
			return p[:i]
		}
	}
	return "/"
}

func TestWorkspacePolicy(t *testing.T) {
	opens := func(flag int) func(v *vfs.View, p string) error {
		return func(v *vfs.View, p string) error { return closing(v.Open(ctx, p, flag, 0o644)) }
	}
	read, write := opens(vfs.O_RDONLY), opens(vfs.O_WRONLY|vfs.O_CREATE)
	stat := func(v *vfs.View, p string) error { _, err := v.Stat(ctx, p); return err }
	list := func(v *vfs.View, p string) error { _, err := v.ReadDir(ctx, p); return err }
	mkdir := func(v *vfs.View, p string) error { return v.Mkdir(ctx, p, 0o755) }
	remove := func(v *vfs.View, p string) error { return v.RemoveAll(ctx, p) }
	moveTo := func(v *vfs.View, p string) error { return v.Rename(ctx, "f", p, false) }
	moveFrom := func(v *vfs.View, p string) error { return v.Rename(ctx, p, "moved", false) }
	linkFrom := func(v *vfs.View, p string) error { return v.Link(ctx, p, "linked", true) }
	symlink := func(v *vfs.View, p string) error { return v.Symlink(ctx, "f", p) }
	chmod := func(v *vfs.View, p string) error { return v.Chmod(ctx, p, 0o600) }
	truncate := func(v *vfs.View, p string) error { return v.Truncate(ctx, p, 0) }
	writable := func(v *vfs.View, p string) error { return v.Access(ctx, p, vfs.AccessWrite) }
	replace := func(v *vfs.View, p string) error {
		return v.WriteFile(ctx, p, func(f vfs.File) error { _, err := io.WriteString(f, "x"); return err }, 0o666)
	}
	base := vfs.Workspace{Writable: []string{"/w"}, ReadOnly: []string{"/ro", "/w/lib"}}
	patterns := base
	patterns.Deny, patterns.Allow = []string{"**/*.key"}, []string{"/w/d/**", "/w/keys"}
	fold := base
	fold.FoldCase = true
	for _, c := range []struct {
		rule      string
		workspace vfs.Workspace
		do        func(v *vfs.View, p string) error
		path      string
		code      string
	}{
		{"a writable root is written", base, write, "f", ""},
		{"a new file too", base, write, "d/new", ""},
		{"a read-only root is read", base, read, "/ro/f", ""},
		{"a read-only root is not written", base, write, "/ro/f", vfs.CodeReadOnly},
		{"nor through a link", base, write, "toro", vfs.CodeReadOnly},
		{"nor is a new file made there", base, write, "/ro/new", vfs.CodeReadOnly},
		{"a read-only root below a writable one", base, write, "lib/x", vfs.CodeReadOnly},
		{"outside nothing is read", base, read, "/out/secret", vfs.CodeOutsideRoots},
		{"nor looked up", base, stat, "/out/secret", vfs.CodeOutsideRoots},
		{"nor what does not exist", base, stat, "/none", vfs.CodeOutsideRoots},
		{"nor through a link", base, read, "out/secret", vfs.CodeOutsideRoots},
		{"nor by ..", base, read, "../out/secret", vfs.CodeOutsideRoots},
		{"a link outside that leads inside", base, read, "/out/in", vfs.CodeOutsideRoots},
		{"a dangling link outside is not written through", base, write, "outdangling", vfs.CodeOutsideRoots},
		{"ancestors of a root can be looked up", base, stat, "/", ""},
		{"and not listed", base, list, "/", vfs.CodeOutsideRoots},
		{"a root can be listed", base, list, "/w", ""},
		{"protected names are read", base, read, ".git/config", ""},
		{"and listed", base, list, ".git", ""},
		{"and not written", base, write, ".git/config", vfs.CodeProtected},
		{"nor through a link to the file", base, write, "toconfig", vfs.CodeProtected},
		{"nor through a link to the directory", base, write, "togit/new", vfs.CodeProtected},
		{"nor replaced", base, replace, "toconfig", vfs.CodeProtected},
		{"nor truncated", base, truncate, "toconfig", vfs.CodeProtected},
		{"nor chmodded", base, chmod, ".git", vfs.CodeProtected},
		{"nor removed", base, remove, ".git/config", vfs.CodeProtected},
		{"nor renamed away", base, moveFrom, ".git", vfs.CodeProtected},
		{"nor hard-linked, which would lend it another name", base, linkFrom, ".git/config", vfs.CodeProtected},
		{"nor hard-linked through a link", base, linkFrom, "toconfig", vfs.CodeProtected},
		{"a protected name is not made", base, mkdir, ".agents", vfs.CodeProtected},
		{"nor as a link", base, symlink, ".agents", vfs.CodeProtected},
		{"nor by a rename", base, moveTo, ".agents", vfs.CodeProtected},
		{"nor below it", base, write, ".codex/x", vfs.CodeProtected},
		{"nor through a dangling link", base, write, "dangling", vfs.CodeProtected},
		{"deeper down the name is free", base, mkdir, "d/.git", ""},
		{"another letter case is another name", base, mkdir, ".Agents", ""},
		{"but not where the storage folds case", fold, mkdir, ".Agents", vfs.CodeProtected},
		{"nor with letters that only fold", fold, write, ".aw\u017f/x", vfs.CodeProtected},
		{"a root is not removed", base, func(v *vfs.View, p string) error { return v.Rmdir(ctx, p) }, "/w", vfs.CodeRoot},
		{"nor renamed", base, moveFrom, "/w", vfs.CodeRoot},
		{"nor what is above it", base, moveFrom, "/", vfs.CodeRoot},
		{"test -w tells the same", base, writable, ".git", vfs.CodeProtected},
		{"and through a link", base, writable, "toconfig", vfs.CodeProtected},
		{"another mount has its own rules", base, write, "/tmp/x", ""},
		{"denied by pattern", patterns, read, "keys/a.key", vfs.CodeDenied},
		{"deny wins also for what is to be made", patterns, write, "d/b.key", vfs.CodeDenied},
		{"allowed by pattern", patterns, write, "d/new", ""},
		{"what no pattern allows is refused", patterns, read, "f", vfs.CodeNotAllowed},
	} {
		t.Run(c.rule, func(t *testing.T) {
			v := policed(t, c.workspace)
			err := c.do(v, c.path)
			if c.code == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, c.code, vfs.RefusalCode(err), "%v", err)
			require.ErrorIs(t, err, vfs.EACCES)
			var refusal *vfs.Refusal
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, c.path, refusal.Path)
			require.Contains(t, vfs.Words(err), "Permission denied ("+c.code)
		})
	}
	t.Run("loops of links end", func(t *testing.T) {
		v := policed(t, base)
		require.NoError(t, v.Symlink(ctx, "loop", "loop"))
		require.ErrorIs(t, write(v, "loop"), vfs.ELOOP)
	})
	t.Run("the wrapper repeats the check for whoever skips the View", func(t *testing.T) {
		p, err := vfs.WorkspacePolicy(base)
		require.NoError(t, err)
		f := vfs.Enforce(empty(), "/w", p)
		require.Equal(t, vfs.CodeProtected, vfs.RefusalCode(f.Mkdir(ctx, "/.git", 0o755)))
		require.NoError(t, f.Mkdir(ctx, "/ok", 0o755))
	})
	t.Run("bad workspaces are refused", func(t *testing.T) {
		for _, w := range []vfs.Workspace{{}, {Writable: []string{"rel"}}, {Writable: []string{"/w"}, Deny: []string{"[", "/x"}}, {Writable: []string{"/w"}, Allow: []string{"rel/**"}}} {
			_, err := vfs.WorkspacePolicy(w)
			require.Error(t, err)
		}
	})
}

func TestFiles(t *testing.T) {
	v := policed(t, vfs.Workspace{Writable: []string{"/w"}})
	f := vfs.NewFiles(v, vfs.FilesOptions{})
	content := func(p string) string {
		file, err := f.Open(ctx, p)
		require.NoError(t, err)
		defer file.Close()
		b, err := io.ReadAll(file)
		require.NoError(t, err)
		return string(b)
	}
	t.Run("an entry is not followed, a missing one is nil", func(t *testing.T) {
		e, err := f.Entry(ctx, "toconfig")
		require.NoError(t, err)
		require.Equal(t, vfs.KindLink, e.Kind)
		require.Equal(t, ".git/config", e.LinkTarget)
		e, err = f.Entry(ctx, "d")
		require.NoError(t, err)
		require.Equal(t, vfs.KindDir, e.Kind)
		for _, p := range []string{"none", "f/x"} {
			e, err = f.Entry(ctx, p)
			require.NoError(t, err)
			require.Nil(t, e)
		}
		_, err = f.Entry(ctx, "/out/none")
		require.Equal(t, vfs.CodeOutsideRoots, vfs.RefusalCode(err))
	})
	t.Run("writing makes the directories above", func(t *testing.T) {
		require.NoError(t, f.WriteFile(ctx, "a/b/c", []byte("deep")))
		require.Equal(t, "deep", content("a/b/c"))
		require.Equal(t, vfs.CodeProtected, vfs.RefusalCode(f.WriteFile(ctx, ".agents/a/b", nil)))
		require.Equal(t, vfs.CodeProtected, vfs.RefusalCode(f.WriteFile(ctx, "dangling", nil)))
	})
	t.Run("what has changed since it was read is not overwritten", func(t *testing.T) {
		require.Equal(t, "/w/f", content("f"))
		put(t, v, "f", "changed by another")
		require.NoError(t, v.Symlink(ctx, "f", "tof"))
		for _, p := range []string{"f", "tof", "/w/./f"} {
			require.Equal(t, vfs.CodeChanged, vfs.RefusalCode(f.WriteFile(ctx, p, []byte("mine"))))
		}
		content("tof")
		require.NoError(t, f.WriteFile(ctx, "f", []byte("mine")))
		require.NoError(t, f.WriteFile(ctx, "f", []byte("mine again")))
		require.Equal(t, "mine again", content("f"))
	})
	t.Run("reading first can be required", func(t *testing.T) {
		strict := vfs.NewFiles(v, vfs.FilesOptions{MustRead: true})
		require.Equal(t, vfs.CodeNotRead, vfs.RefusalCode(strict.WriteFile(ctx, "d/g", nil)))
		require.NoError(t, strict.WriteFile(ctx, "d/new", nil))
		file, err := strict.Open(ctx, "d/g")
		require.NoError(t, err)
		file.Close()
		require.NoError(t, strict.WriteFile(ctx, "d/g", nil))
	})
	t.Run("deleting takes a link itself, a tree by flag only, and nothing is fine", func(t *testing.T) {
		require.NoError(t, f.Delete(ctx, "tof", true))
		require.Equal(t, "mine again", content("f"))
		require.ErrorIs(t, f.Delete(ctx, "d", false), vfs.ENOTEMPTY)
		require.NoError(t, f.Delete(ctx, "d", true))
		require.NoError(t, f.Delete(ctx, "d", true))
		require.Equal(t, vfs.CodeRoot, vfs.RefusalCode(f.Delete(ctx, "/w", true)))
		require.Equal(t, vfs.CodeProtected, vfs.RefusalCode(f.Delete(ctx, ".git", true)))
		require.Equal(t, "mine again", content("f"))
	})
}

func TestNothingAboveARootMoves(t *testing.T) {
	v := policed(t, vfs.Workspace{Writable: []string{"/"}, ReadOnly: []string{"/w/d"}})
	for _, err := range []error{v.Rename(ctx, "/w", "/z", false), v.Rename(ctx, "/w/d", "/z", false), v.Rename(ctx, "/ro", "/w", false), v.Rmdir(ctx, "/w")} {
		require.Equal(t, vfs.CodeRoot, vfs.RefusalCode(err), "%v", err)
	}
	require.NotEmpty(t, vfs.RefusalCode(v.RemoveAll(ctx, "/w")))
	_, err := v.Stat(ctx, "/w/d/g")
	require.NoError(t, err)
	require.NoError(t, v.Rename(ctx, "/out", "/elsewhere", false))
}
