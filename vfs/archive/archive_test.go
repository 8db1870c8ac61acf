package archive_test

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/archive"
	"github.com/vsh-project/vsh/vfs/memory"
)

var ctx = context.Background()

func TestRoundTrip(t *testing.T) {
	a := memory.New(memory.Options{})
	require.NoError(t, a.MkdirAll("/d/e", 0o750))
	require.NoError(t, afero.WriteFile(a, "/d/f", bytes.Repeat([]byte("x"), 200_000), 0o640))
	require.NoError(t, a.FS().Link(ctx, "/d/f", "/d/g"))
	require.NoError(t, a.SymlinkIfPossible("../d/f", "/d/l"))
	require.NoError(t, a.FS().Mkfifo(ctx, "/p", 0o600))
	require.NoError(t, afero.WriteFile(a, "/long"+strings.Repeat("ü", 100), nil, 0o644))
	then := time.Date(2001, 2, 3, 4, 5, 6, 789, time.UTC)
	require.NoError(t, a.Chtimes("/d/f", then, then))
	require.NoError(t, a.Chtimes("/d", then, then))

	var saved bytes.Buffer
	require.NoError(t, archive.Save(ctx, a.FS(), "/", &saved))
	b := memory.New(memory.Options{})
	require.NoError(t, b.Mkdir("/in", 0o755))
	require.NoError(t, archive.Load(ctx, b.FS(), "/in", bytes.NewReader(saved.Bytes())))
	var again bytes.Buffer
	require.NoError(t, archive.Save(ctx, b.FS(), "/in", &again))
	require.Equal(t, listing(t, &saved), listing(t, &again))
	info, err := b.FS().Lstat(ctx, "/in/d/g")
	require.NoError(t, err)
	require.Equal(t, uint64(2), info.Links)
	require.Equal(t, then, info.Modified.UTC())
	info, err = b.FS().Lstat(ctx, "/in/d")
	require.NoError(t, err)
	require.Equal(t, fs.ModeDir|0o750, info.FileMode)
	require.Equal(t, then, info.Modified.UTC())
}

func listing(t *testing.T, r io.Reader) (rows []string) {
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if err == io.EOF {
			return rows
		}
		require.NoError(t, err)
		b, err := io.ReadAll(tr)
		require.NoError(t, err)
		rows = append(rows, strings.Join([]string{h.Name, h.Linkname, h.FileInfo().Mode().String(), string(b)}, " "))
	}
}

func TestTarReadsIt(t *testing.T) {
	if _, err := exec.LookPath("tar"); err != nil {
		t.Skip("no tar")
	}
	a := memory.New(memory.Options{})
	require.NoError(t, a.MkdirAll("/d", 0o755))
	require.NoError(t, afero.WriteFile(a, "/d/f", []byte("x"), 0o644))
	var saved bytes.Buffer
	require.NoError(t, archive.Save(ctx, a.FS(), "/", &saved))
	c := exec.Command("tar", "tf", "-")
	c.Stdin = &saved
	out, err := c.CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, "./\nd/\nd/f\n", string(out))
}

func TestHostileArchives(t *testing.T) {
	for rule, headers := range map[string][]tar.Header{
		"a name with ..":                 {{Name: "../x", Typeflag: tar.TypeReg}},
		"a name with .. inside":          {{Name: "a/../../x", Typeflag: tar.TypeReg}},
		"an absolute name":               {{Name: "/x", Typeflag: tar.TypeReg}},
		"a name through a link":          {{Name: "l", Linkname: "/", Typeflag: tar.TypeSymlink}, {Name: "l/x", Typeflag: tar.TypeReg}},
		"a directory that is a link":     {{Name: "l", Linkname: "/", Typeflag: tar.TypeSymlink}, {Name: "l/", Typeflag: tar.TypeDir}},
		"a hard link out":                {{Name: "h", Linkname: "../secret", Typeflag: tar.TypeLink}},
		"a device":                       {{Name: "sda", Typeflag: tar.TypeBlock}},
		"a hard link through a link":     {{Name: "l", Linkname: "/", Typeflag: tar.TypeSymlink}, {Name: "h", Linkname: "l/secret", Typeflag: tar.TypeLink}},
		"a file in place of a directory": {{Name: "d/", Typeflag: tar.TypeDir, Mode: 0o755}, {Name: "d", Typeflag: tar.TypeReg}},
	} {
		t.Run(rule, func(t *testing.T) {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			for _, h := range headers {
				require.NoError(t, w.WriteHeader(&h))
			}
			require.NoError(t, w.Close())
			s := memory.New(memory.Options{})
			require.NoError(t, s.Mkdir("/in", 0o755))
			require.NoError(t, afero.WriteFile(s, "/secret", []byte("x"), 0o600))
			require.Error(t, archive.Load(ctx, s.FS(), "/in", &b))
			entries, err := s.FS().ReadDir(ctx, "/")
			require.NoError(t, err)
			require.Len(t, entries, 2)
		})
	}
	t.Run("more than the quota", func(t *testing.T) {
		big := memory.New(memory.Options{})
		require.NoError(t, afero.WriteFile(big, "/f", make([]byte, 1<<20), 0o644))
		var b bytes.Buffer
		require.NoError(t, archive.Save(ctx, big.FS(), "/", &b))
		small := memory.New(memory.Options{Quota: 1 << 18})
		require.ErrorIs(t, archive.Load(ctx, small.FS(), "/", &b), vfs.ENOSPC)
	})
}
