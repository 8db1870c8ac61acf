package builtins

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The expected texts are those of the real programs.
func TestDD(t *testing.T) {
	runTable(t, []string{"i=0123456789", "d/"}, []tableCase{
		{"blocks that are read as they come", "dd if=i bs=4 status=noxfer", "", "01234567892+1 records in\n2+1 records out\n"},
		{"blocks in and out", "dd if=i ibs=3 obs=4 status=noxfer", "", "01234567893+1 records in\n2+1 records out\n"},
		{"count", "dd if=i bs=3 count=2 status=none", "", "012345"},
		{"skip", "dd if=i bs=4 skip=2 status=none", "", "89"},
		{"skip beyond the end", "dd if=i bs=1 skip=20 status=noxfer", "", "dd: i: cannot skip to specified offset\n0+0 records in\n0+0 records out\n"},
		{"bytes by a B", "dd if=i skip=3B count=2B status=none", "", "34"},
		{"bytes by a flag", "dd if=i count=3 iflag=count_bytes status=none", "", "012"},
		{"a product", "dd if=i bs=2 skip=1 count=1x2 status=none", "", "2345"},
		{"upper case", "dd conv=ucase status=none", "abC\n", "ABC\n"},
		{"swapped bytes", "dd conv=swab status=none", "abcde", "badce"},
		{"padded blocks", "dd if=i bs=4 conv=sync status=noxfer", "", "0123456789\x00\x002+1 records in\n3+0 records out\n"},
		{"lines to records", "dd cbs=4 conv=block status=noxfer", "ab\nabcdef\nc", "ab  abcdc   0+1 records in\n0+1 records out\n1 truncated record\n"},
		{"records to lines", "dd cbs=4 conv=unblock status=noxfer", "ab  abc c", "ab\nabc\nc\n0+1 records in\n0+1 records out\n"},
		{"EBCDIC", "dd conv=ebcdic status=none", "abc", "\x81\x82\x83"},
		{"a missing file", "dd if=nope", "", "dd: failed to open 'nope': No such file or directory\n[exit status 1]\n"},
		{"a directory", "dd if=d status=noxfer", "", "dd: error reading 'd': Is a directory\n0+0 records in\n0+0 records out\n[exit status 1]\n"},
		{"no such operand", "dd foo=1", "", "dd: unrecognized operand ‘foo=1’\nTry 'dd --help' for more information.\n[exit status 1]\n"},
		{"no such conversion", "dd conv=x", "", "dd: invalid conversion: ‘x’\nTry 'dd --help' for more information.\n[exit status 1]\n"},
		{"no such flag", "dd iflag=x", "", "dd: invalid input flag: ‘x’\nTry 'dd --help' for more information.\n[exit status 1]\n"},
		{"no such level", "dd status=x", "", "dd: invalid status level: ‘x’\nTry 'dd --help' for more information.\n[exit status 1]\n"},
		{"a number that is none", "dd bs=x", "", "dd: invalid number: ‘x’\n[exit status 1]\n"},
		{"a block of nothing", "dd bs=0", "", "dd: invalid number: ‘0’\n[exit status 1]\n"},
		{"a zero multiplier", "dd if=i bs=0x2", "", "dd: warning: ‘0x’ is a zero multiplier; use ‘00x’ if that is intended\ndd: invalid number: ‘0x2’\n[exit status 1]\n"},
		{"too large a number", "dd count=99999999999999999999999", "", "dd: invalid number: ‘99999999999999999999999’: Value too large for defined data type\n[exit status 1]\n"},
		{"two cases", "dd conv=lcase,ucase", "", "dd: cannot combine lcase and ucase\n[exit status 1]\n"},
		{"two tables", "dd conv=ascii,ebcdic", "", "dd: cannot combine any two of {ascii,ebcdic,ibm}\n[exit status 1]\n"},
		{"a full device", "dd if=i of=/dev/full status=noxfer", "", "dd: error writing '/dev/full': No space left on device\n0+1 records in\n0+0 records out\n[exit status 1]\n"},
	})
}

func TestDDFiles(t *testing.T) {
	rows := []struct{ rule, line, want string }{
		{"the output is cut", "dd if=i of=o status=none", "i=0123|o=0123"},
		{"unless notrunc", "dd if=i of=o conv=notrunc status=none", "i=0123|o=0123efgh"},
		{"seek keeps what is before", "dd if=i of=o bs=2 seek=1 status=none", "i=0123|o=ab0123"},
		{"seek alone cuts", "dd if=i of=o bs=2 seek=2 count=0 status=none", "i=0123|o=abcd"},
		{"a hole", "dd if=/dev/zero of=n bs=2 count=2 conv=sparse status=none", "i=0123|n=\x00\x00\x00\x00|o=abcdefgh"},
		{"append", "dd if=i of=o oflag=append conv=notrunc status=none", "i=0123|o=abcdefgh0123"},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			s := newTestShell(t).files("i=0123", "o=abcdefgh")
			require.Empty(t, s.output(splitWords(r.line)...))
			require.Equal(t, r.want, s.listing())
		})
	}
}

func TestDDReportsItsSpeed(t *testing.T) {
	s := newTestShell(t).files("i=" + strings.Repeat("x", 1024))
	require.Equal(t, "2+0 records in\n2+0 records out\n1024 bytes (1.0 kB, 1.0 KiB) copied, 0 s, Infinity B/s\n", s.output("dd", "if=i", "of=o"))
}
