package filemode

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdjust(t *testing.T) {
	for _, c := range []struct {
		rule, mode string
		old        uint32
		directory  bool
		want       uint32
	}{
		{"octal replaces", "644", 0o7777, false, 0o644},
		{"octal keeps a directory's set-ID bits", "644", 0o2755, true, 0o2644},
		{"five digits do not", "00644", 0o2755, true, 0o644},
		{"nobody named spares the umask", "+rwx", 0, false, 0o755},
		{"a names all", "a+rwx", 0, false, 0o777},
		{"clauses follow one another", "u=rwx,g=rx,o=", 0o007, false, 0o750},
		{"several operations of one clause", "u+r-w=x", 0o600, false, 0o100},
		{"a copy of another's bits", "go=u", 0o700, false, 0o777},
		{"X where somebody may execute", "a+X", 0o100, false, 0o111},
		{"X not elsewhere", "a+X", 0o600, false, 0o600},
		{"X on directories", "a+X", 0o600, true, 0o711},
		{"s for those named", "u+s", 0o755, false, 0o4755},
		{"t", "+t", 0o777, false, 0o1777},
		{"octal after an operator", "+111", 0o600, false, 0o711},
		{"= alone clears", "g=", 0o777, false, 0o707},
	} {
		t.Run(c.rule, func(t *testing.T) {
			changes, ok := Compile(c.mode)
			require.True(t, ok)
			require.Equal(t, c.want, changes.Adjust(c.old, c.directory, 0o022))
		})
	}
	for _, bad := range []string{"", "9", "8", "u", "u+q", "77777", "u+7", "u,g", ",", "rwx", "+x,", "7x"} {
		_, ok := Compile(bad)
		require.False(t, ok, bad)
	}
}

func TestString(t *testing.T) {
	require.Equal(t, "drwxr-xr-t", String(fs.ModeDir|fs.ModeSticky|0o755))
	require.Equal(t, "-rwSr-sr-T", String(Mode(0o7654)))
	require.Equal(t, "lrwxrwxrwx", String(fs.ModeSymlink|0o777))
	require.Equal(t, uint32(0o100644), Raw(0o644))
}
