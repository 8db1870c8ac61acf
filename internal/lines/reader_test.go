package lines

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func next(t *testing.T, r *Reader) (all []string) {
	for {
		line, err := r.Next()
		if err == io.EOF {
			return all
		}
		require.NoError(t, err)
		all = append(all, string(line))
	}
}

func TestNextReturnsRecordsWithTheirDelimiter(t *testing.T) {
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader, "with the end": iotest.DataErrReader,
	} {
		t.Run(name, func(t *testing.T) {
			long := strings.Repeat("x", 3*BlockSize)
			r := NewReader(wrap(strings.NewReader("a\n\n"+long+"\nlast")), nil)
			require.Equal(t, []string{"a\n", "\n", long + "\n", "last"}, next(t, r))
			r = NewReader(wrap(strings.NewReader("a\x00b")), nil)
			r.Delim = 0
			require.Equal(t, []string{"a\x00", "b"}, next(t, r))
			require.Empty(t, next(t, NewReader(wrap(strings.NewReader("")), nil)))
		})
	}
}

func TestBlockHoldsWholeRecords(t *testing.T) {
	text := strings.Repeat("some line of text\n", 20000) + "last"
	r := NewReader(strings.NewReader(text), nil)
	var all bytes.Buffer
	for {
		block, err := r.Block()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		all.Write(block)
		if all.Len() < len(text) {
			require.EqualValues(t, '\n', block[len(block)-1])
		}
	}
	require.Equal(t, text, all.String())
}

func TestRestStartsWithWhatIsBuffered(t *testing.T) {
	r := NewReader(strings.NewReader("a\nb\nc"), nil)
	_, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, 3, r.Buffered())
	rest, err := io.ReadAll(r.Rest())
	require.NoError(t, err)
	require.Equal(t, "b\nc", string(rest))
	require.Zero(t, r.Buffered())
}

func TestReadErrorComesAfterTheData(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), nil)
	line, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "a\n", string(line))
	line, err = r.Next()
	require.NoError(t, err)
	require.Equal(t, "b", string(line))
	_, err = r.Next()
	require.ErrorIs(t, err, broken)
}

func TestLongRecordIsCharged(t *testing.T) {
	charger := &refusing{left: 4 * BlockSize}
	r := NewReader(strings.NewReader(strings.Repeat("x", 8*BlockSize)), charger)
	_, err := r.Next()
	require.Error(t, err)
	r.Close()
	require.EqualValues(t, 4*BlockSize, charger.left, "Close gives the charge back")
}
