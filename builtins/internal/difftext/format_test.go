package difftext

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// closedPipe counts what is written to it in vain.
type closedPipe struct{ writes int }

func (c *closedPipe) Write([]byte) (int, error) {
	c.writes++
	return 0, io.ErrClosedPipe
}

func TestAWideRowEndsWithItsReader(t *testing.T) {
	lines := &File{Lines: [][]byte{[]byte("a\n")}}
	out := &closedPipe{}
	p := &Printer{Out: out, A: lines, B: lines, TabSize: 8, Width: 1 << 30}
	p.SideBySide(nil)
	require.Less(t, out.writes, 10)
}

func TestBlanksBetweenTheColumns(t *testing.T) {
	for _, c := range []struct {
		rule     string
		from, to int
		expand   bool
		want     string
	}{
		{"tabs as far as they go, then spaces", 3, 18, false, "\t\t  "},
		{"no tab where none ends before", 3, 6, false, "   "},
		{"from a tab stop on", 8, 17, false, "\t "},
		{"spaces alone", 3, 10, true, "       "},
		{"none backwards", 9, 8, false, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			var out bytes.Buffer
			s := &sideBySide{p: &Printer{Out: &out, TabSize: 8, ExpandTabs: c.expand}}
			require.Equal(t, c.to, s.tabTo(c.from, c.to))
			require.Equal(t, c.want, out.String())
		})
	}
}
