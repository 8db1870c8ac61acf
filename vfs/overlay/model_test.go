package overlay_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
)

var ctx = context.Background()

type ctxType = context.Context

func sortStrings(s []string) { sort.Strings(s) }

// fill makes a tree with all kinds of files.
func fill(t testing.TB, f vfs.FS) {
	t.Helper()
	for _, d := range []string{"/a", "/a/b", "/c", "/c/e"} {
		require.NoError(t, f.Mkdir(ctx, d, 0o755))
	}
	for _, p := range []string{"/a/f", "/a/b/g", "/c/f", "/h"} {
		write(t, f, p, "content of "+p)
	}
	require.NoError(t, f.Symlink(ctx, "a/f", "/l"))
	require.NoError(t, f.Symlink(ctx, "nowhere", "/c/l"))
}

func write(t testing.TB, f vfs.FS, path, text string) {
	t.Helper()
	file, err := f.Open(ctx, path, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o644)
	require.NoError(t, err)
	_, err = io.WriteString(file, text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func read(f vfs.FS, path string) string {
	file, err := f.Open(ctx, path, vfs.O_RDONLY, 0)
	if err != nil {
		return "!" + vfs.Words(err)
	}
	defer file.Close()
	b, err := io.ReadAll(file)
	if err != nil {
		return "!" + vfs.Words(err)
	}
	return string(b)
}

// dump tells all of a tree that two filesystems must agree on.
func dump(f vfs.FS) string {
	var b strings.Builder
	var visit func(path string)
	visit = func(path string) {
		info, err := f.Lstat(ctx, path)
		if err != nil {
			fmt.Fprintf(&b, "%s !%v\n", path, err)
			return
		}
		fmt.Fprintf(&b, "%s %v links=%d", path, info.FileMode, info.Links)
		switch {
		case info.IsDir():
			entries, err := f.ReadDir(ctx, path)
			fmt.Fprintf(&b, " touched=%v %v\n", info.Modified.Unix() == 1, err)
			sort.Slice(entries, func(i, j int) bool { return entries[i].Name < entries[j].Name })
			for _, e := range entries {
				below := strings.TrimSuffix(path, "/") + "/" + e.Name
				visit(below)
				if i, err := f.Lstat(ctx, below); err != nil || i.FileMode.Type() != e.Type || i.Inode != e.Inode {
					fmt.Fprintf(&b, "%s is listed as %v %d\n", below, e.Type, e.Inode)
				}
			}
		case info.FileMode&fs.ModeSymlink != 0:
			target, err := f.Readlink(ctx, path)
			fmt.Fprintf(&b, " %s %v\n", target, err)
		case info.FileMode.IsRegular():
			fmt.Fprintf(&b, " %d %q touched=%v\n", info.Bytes, read(f, path), info.Modified.Unix() == 1)
		default:
			fmt.Fprintln(&b)
		}
	}
	visit("/")
	return b.String()
}

var fuzzPaths = []string{"/a", "/a/f", "/a/b", "/a/b/g", "/c", "/c/e", "/c/f", "/c/l", "/h", "/l", "/n", "/a/n", "/c/n", "/a/b/n", "/n/f", "/n/b", "/n/b/g", "/c/e/x"}

// step does one random operation and says what came of it.
func step(f vfs.FS, r *rand.Rand) string {
	p, q := fuzzPaths[r.IntN(len(fuzzPaths))], fuzzPaths[r.IntN(len(fuzzPaths))]
	text := fmt.Sprint(r.IntN(1000))
	var err error
	var what string
	switch op := r.IntN(14); op {
	case 0, 1:
		flag := []int{vfs.O_TRUNC, vfs.O_APPEND, 0, vfs.O_EXCL}[r.IntN(4)] | vfs.O_WRONLY
		if r.IntN(3) > 0 {
			flag |= vfs.O_CREATE
		}
		var file vfs.File
		what = fmt.Sprint("write ", p, flag)
		if file, err = f.Open(ctx, p, flag, 0o644); err == nil {
			_, err = io.WriteString(file, text)
			file.Close()
		}
	case 2:
		what, err = "mkdir "+p, f.Mkdir(ctx, p, 0o755)
	case 3:
		what, err = "unlink "+p, f.Unlink(ctx, p)
	case 4:
		what, err = "rmdir "+p, f.Rmdir(ctx, p)
	case 5, 6, 7:
		noReplace := r.IntN(4) == 0
		what, err = fmt.Sprint("rename ", p, " ", q, noReplace), f.Rename(ctx, p, q, noReplace)
	case 8:
		what, err = "link "+p+" "+q, f.Link(ctx, p, q)
	case 9:
		what, err = "symlink "+p, f.Symlink(ctx, text, p)
	case 10:
		mode := fs.FileMode(0o600 + r.IntN(0o100))
		what, err = fmt.Sprint("chmod ", p, mode), nil
		// Where links have modes is the storage's own affair.
		if i, statErr := f.Lstat(ctx, p); statErr != nil || i.FileMode&fs.ModeSymlink == 0 {
			err = f.Chmod(ctx, p, mode)
		}
	case 11:
		what, err = "touch "+p, f.Chtimes(ctx, p, time.Unix(1, 0), time.Unix(1, 0))
	case 12:
		what, err = "truncate "+p, f.Truncate(ctx, p, int64(r.IntN(20)))
	case 13:
		what = "read " + p + " " + read(f, p)
	}
	if err != nil {
		what += ": " + vfs.Words(err)
	}
	return what
}

// compare does the same on an overlay over a filled lower and on a model.
func compare(t *testing.T, lower *memory.Storage, model vfs.FS, seed uint64, steps int) {
	fill(t, lower.FS())
	fill(t, model)
	untouched := dump(lower.FS())
	s, err := overlay.New(overlay.Options{Lower: lower})
	require.NoError(t, err)
	a, b := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 1))
	var log []string
	for range steps {
		got, want := step(s.FS(), a), step(model, b)
		log = append(log, got)
		if got != want {
			t.Fatalf("seed %d:\n%s\nthe model: %s", seed, strings.Join(log, "\n"), want)
		}
	}
	if got, want := dump(s.FS()), dump(model); got != want {
		t.Fatalf("seed %d:\n%s\n%s\nthe model:\n%s", seed, strings.Join(log, "\n"), got, want)
	}
	require.Equal(t, untouched, dump(lower.FS()), "the lower is never written")
	// Committed, the lower is what the overlay showed.
	want := dump(s.FS())
	if _, err := s.Commit(ctx); err != nil {
		t.Fatalf("seed %d:\n%s\ncommit: %v", seed, strings.Join(log, "\n"), err)
	}
	if got := dump(lower.FS()); withoutInodes(got) != withoutInodes(want) {
		t.Fatalf("seed %d:\n%s\ncommitted:\n%s\nwanted:\n%s", seed, strings.Join(log, "\n"), got, want)
	}
	require.Empty(t, changes(t, s))
}

// linksPattern takes the link counts out of a dump: a commit makes separate
// files of hard links.
func linksPattern(s string) string {
	rows := strings.Split(s, "\n")
	for i, row := range rows {
		if at := strings.Index(row, " links="); at >= 0 {
			end := strings.IndexByte(row[at+1:], ' ')
			if end < 0 {
				rows[i] = row[:at]
			} else {
				rows[i] = row[:at] + row[at+1+end:]
			}
		}
	}
	return strings.Join(rows, "\n")
}

func changes(t testing.TB, s *overlay.Storage) []overlay.Change {
	t.Helper()
	list, err := s.Changes(ctx)
	require.NoError(t, err)
	return list
}

func FuzzAgainstMemory(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		compare(t, memory.New(memory.Options{}), memory.New(memory.Options{}).FS(), seed, 40)
	})
}

func TestAgainstADirectory(t *testing.T) {
	for seed := range uint64(30) {
		s, err := host.New(host.Options{Directory: t.TempDir()})
		require.NoError(t, err)
		compare(t, memory.New(memory.Options{}), s.FS(), seed+1000, 40)
		require.NoError(t, s.Close())
	}
}
