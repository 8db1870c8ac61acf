package overlay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
	"github.com/vsh-project/vsh/vfs/vfstest"
)

type rearrangement struct {
	name string
	do   func(t testing.TB, f vfs.FS)
}

// rearrangements are changes that make files of the lower change places: a
// commit that stops in the middle has the content of some of them in no place.
var rearrangements = []rearrangement{
	{"files in place", func(t testing.TB, f vfs.FS) {
		write(t, f, "/a/f", "new f")
		write(t, f, "/n", "new n")
		require.NoError(t, f.Unlink(ctx, "/c/f"))
		require.NoError(t, f.Chmod(ctx, "/h", 0o755))
	}},
	{"two files change places", func(t testing.TB, f vfs.FS) { swap(t, f, "/h", "/a/f") }},
	{"a directory is renamed", func(t testing.TB, f vfs.FS) { require.NoError(t, f.Rename(ctx, "/a", "/z", false)) }},
	{"two directories change places", func(t testing.TB, f vfs.FS) { swap(t, f, "/a", "/c") }},
	{"a file and a directory change places", func(t testing.TB, f vfs.FS) { swap(t, f, "/a", "/h") }},
	{"a directory takes the place of one above", func(t testing.TB, f vfs.FS) {
		require.NoError(t, f.Rename(ctx, "/a/b", "/x", false))
		require.NoError(t, f.Rename(ctx, "/a", "/x/a", false))
		require.NoError(t, f.Rename(ctx, "/x", "/a", false))
	}},
	{"a renamed directory is changed and another made in its place", func(t testing.TB, f vfs.FS) {
		require.NoError(t, f.Rename(ctx, "/a", "/z", false))
		write(t, f, "/z/f", "edited")
		require.NoError(t, f.Mkdir(ctx, "/a", 0o700))
		require.NoError(t, f.Rename(ctx, "/z/b/g", "/a/f", false))
	}},
	{"a link and a file change places", func(t testing.TB, f vfs.FS) { swap(t, f, "/l", "/h") }},
}

func swap(t testing.TB, f vfs.FS, one, other string) {
	t.Helper()
	require.NoError(t, f.Rename(ctx, one, "/swapped", false))
	require.NoError(t, f.Rename(ctx, other, one, false))
	require.NoError(t, f.Rename(ctx, "/swapped", other, false))
}

// contents are what the files of a tree hold, whatever their names, but for the
// temporary ones.
func contents(f vfs.FS) map[string]bool {
	held := map[string]bool{}
	var visit func(p string)
	visit = func(p string) {
		entries, _ := f.ReadDir(ctx, p)
		for _, e := range entries {
			below := strings.TrimSuffix(p, "/") + "/" + e.Name
			switch {
			case e.IsDir():
				visit(below)
			case !strings.HasSuffix(e.Name, ".tmp"):
				held[text(f, below)] = true
			}
		}
	}
	visit("/")
	return held
}

func text(f vfs.FS, p string) string {
	if target, err := f.Readlink(ctx, p); err == nil {
		return "-> " + target
	}
	return read(f, p)
}

// TestCommitThatStopsHalfWay lets each call of a commit fail, alone or with all
// that come after it. Nothing that was below and is still wanted is lost from the
// lower; the overlay shows what it did before; and the next commit does the rest.
func TestCommitThatStopsHalfWay(t *testing.T) {
	all := slices.Clone(rearrangements)
	for seed := range uint64(12) {
		all = append(all, rearrangement{fmt.Sprint("random ", seed), func(_ testing.TB, f vfs.FS) {
			r := rand.New(rand.NewPCG(seed, 3))
			for range 25 {
				step(f, r)
			}
		}})
	}
	for _, c := range all {
		for how, fault := range map[string]struct {
			kind vfstest.Fault
			dead bool
		}{"one call fails": {vfstest.Fail, false}, "all fail from one on": {vfstest.Fail, true}, "one is done and fails": {vfstest.Lie, false}} {
			t.Run(c.name+"/"+how, func(t *testing.T) {
				for at := 0; halfWay(t, c.do, at, fault.kind, fault.dead); at++ {
					require.Less(t, at, 5000)
				}
			})
		}
	}
}

// halfWay reports whether the commit had a call of that number.
func halfWay(t *testing.T, do func(testing.TB, vfs.FS), at int, fault vfstest.Fault, dead bool) bool {
	lower := memory.New(memory.Options{}).FS()
	fill(t, lower)
	before := contents(lower)
	first, armed := 0, false
	faults := &vfstest.Faults{FS: lower}
	faults.Decide = func(_ string, n int) vfstest.Fault {
		if armed && (n == first+at || dead && n > first+at) {
			return fault
		}
		return vfstest.Pass
	}
	s, err := overlay.New(overlay.Options{Lower: vfs.NewFace(faults)})
	require.NoError(t, err)
	do(t, s.FS())
	want := dump(s.FS())
	wanted := contents(s.FS())
	first, armed = faults.Calls(), true
	_, err = s.Commit(ctx)
	armed = false
	there := faults.Calls() > first+at
	held := contents(lower)
	for _, name := range leftovers(lower) {
		held[text(lower, name)] = true
	}
	for what := range before {
		if wanted[what] {
			require.True(t, held[what], "call %d: %q is no more below", at, what)
		}
	}
	if err == nil {
		require.Equal(t, stripped(want), stripped(dump(lower)), "call %d", at)
		return there
	}
	require.Equal(t, stripped(want), stripped(dump(s.FS())), "call %d: %v", at, err)
	if !dead {
		for _, name := range leftovers(lower) {
			require.True(t, before[text(lower, name)], "call %d: %v", at, err)
			require.False(t, contents(lower)[text(lower, name)], "call %d: %v\n%s", at, err, dump(lower))
		}
	}
	_, err = s.Commit(ctx)
	require.NoError(t, err, "call %d", at)
	require.Equal(t, stripped(want), stripped(dump(lower)), "call %d", at)
	require.Empty(t, leftovers(lower))
	require.Empty(t, changes(t, s))
	return there
}

// stripped takes out of a dump what a commit that stopped half way need not keep.
func stripped(s string) string { return withoutInodes(linksPattern(s)) }

// withoutInodes takes what depends on inode numbers out of a dump.
func withoutInodes(s string) string {
	var rows []string
	for _, row := range strings.Split(s, "\n") {
		if !strings.Contains(row, " is listed as ") {
			rows = append(rows, row)
		}
	}
	return strings.Join(rows, "\n")
}

func leftovers(f vfs.FS) (names []string) {
	var visit func(p string)
	visit = func(p string) {
		entries, _ := f.ReadDir(ctx, p)
		for _, e := range entries {
			if strings.HasSuffix(e.Name, ".tmp") {
				names = append(names, strings.TrimSuffix(p, "/")+"/"+e.Name)
			}
			if e.IsDir() {
				visit(strings.TrimSuffix(p, "/") + "/" + e.Name)
			}
		}
	}
	visit("/")
	sort.Strings(names)
	return names
}
