package builtins

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hostileZip is an archive of names with their contents, made by Go's library.
func hostileZip(t *testing.T, members ...string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		header := &zip.FileHeader{Name: members[i], Method: zip.Deflate}
		if target, ok := strings.CutPrefix(members[i+1], "-> "); ok {
			header.CreatorVersion = 3 << 8
			header.ExternalAttrs = 0o120777 << 16
			members[i+1] = target
		}
		f, err := w.CreateHeader(header)
		require.NoError(t, err)
		io.WriteString(f, members[i+1])
	}
	require.NoError(t, w.Close())
	return b.String()
}

func TestUnzipStaysWhereItIsTold(t *testing.T) {
	for rule, members := range map[string][]string{
		"parents":            {"../../up", "x", "a/../../up", "x"},
		"the root":           {"/up", "x"},
		"links written past": {"d", "-> /", "d/up", "x"},
		"a link of the name": {"f", "-> /up", "f", "x"},
	} {
		t.Run(rule, func(t *testing.T) {
			s := newTestShell(t).files("in/o.zip=" + hostileZip(t, members...))
			s.view = s.view.WithDirectory("/w/in")
			out, stderr, _ := s.run("unzip", "-o", "o.zip", "-d", "out")
			require.Regexp(t, "inflating: out/|linking: out/", out, stderr)
			_, err := s.view.Lstat(context.Background(), "/up")
			require.Error(t, err)
			_, err = s.view.Lstat(context.Background(), "/w/up")
			require.Error(t, err)
		})
	}
}

func TestUnzipOfDamagedArchivesEnds(t *testing.T) {
	whole := hostileZip(t, "a", strings.Repeat("text ", 1000), "b/c", "more")
	for i := 0; i < len(whole); i += 7 {
		for _, text := range []string{whole[:i], whole[:i] + "\xff" + whole[min(i+1, len(whole)):], whole[i:]} {
			s := newTestShell(t).files("o.zip=" + text)
			for _, mode := range []string{"-t", "-l", "-v", "-p", "-o", "-Zv"} {
				s.run("unzip", mode, "o.zip", "-d", "out")
			}
		}
	}
}

func TestZipEndsWithItsContext(t *testing.T) {
	s := newTestShell(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	s.exec(ctx, []string{"zip", "-q", "o.zip", "/dev/zero", "-"}, s.environment, endless{}, io.Discard, io.Discard, s.view)
	entries, err := s.view.ReadDir(context.Background(), "/")
	require.NoError(t, err)
	for _, e := range entries {
		require.NotContains(t, e.Name, ".zi")
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
