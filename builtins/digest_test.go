package builtins

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	md5Apple = "26f7ad5c05f5cbbb8c9b5e1ec6cb3e0b"
	md5Hello = "b1946ac92492d2347c6235b4d2611184"
)

func TestDigests(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"one line a file", "md5sum f g", md5Hello + "  f\n" + md5Hello + "  g\n"},
		{"binary marks names", "md5sum -b f", md5Hello + " *f\n"},
		{"stdin is -", "md5sum", "d41d8cd98f00b204e9800998ecf8427e  -\n"},
		{"BSD's form", "sha1sum --tag f", "SHA1 (f) = f572d396fae9206628714fb2ce00f72e94f2258f\n"},
		{"short BLAKE2b", "b2sum --tag -l 16 f", "BLAKE2b-16 (f) = 9265\n"},
		{"escaped names", `md5sum a\b`, `\` + md5Hello + `  a\\b` + "\n"},
		{"zero escapes nothing", `md5sum -z a\b`, md5Hello + `  a\b` + "\x00"},
		{"missing file", "md5sum nope f", md5Hello + "  f\nmd5sum: nope: No such file or directory\n[exit status 1]\n"},
		{"check", "md5sum -c good", "f: OK\ng: OK\n"},
		{"check quietly", "md5sum -c --quiet good", ""},
		{"check a BSD line", "md5sum -c tagged", "f: OK\n"},
		{"check escaped name", "md5sum -c escaped", `a\b: OK` + "\n"},
		{"check fails", "md5sum -c bad", "f: FAILED\nnope: FAILED open or read\nmd5sum: nope: No such file or directory\n" +
			"md5sum: WARNING: 1 line is improperly formatted\nmd5sum: WARNING: 1 listed file could not be read\n" +
			"md5sum: WARNING: 1 computed checksum did NOT match\n[exit status 1]\n"},
		{"warn names the line", "md5sum -cw bad", "f: FAILED\nnope: FAILED open or read\nmd5sum: nope: No such file or directory\nmd5sum: bad: 3: improperly formatted MD5 checksum line\n" +
			"md5sum: WARNING: 1 line is improperly formatted\nmd5sum: WARNING: 1 listed file could not be read\n" +
			"md5sum: WARNING: 1 computed checksum did NOT match\n[exit status 1]\n"},
		{"ignored missing", "md5sum -c --ignore-missing missing", "md5sum: missing: no file was verified\n[exit status 1]\n"},
		{"no checksum lines", "md5sum -c f", "md5sum: f: no properly formatted checksum lines found\n[exit status 1]\n"},
		{"option without -c", "md5sum --strict f", "md5sum: the --strict option is meaningful only when verifying checksums\nTry 'md5sum --help' for more information.\n[exit status 1]\n"},
		{"length must be bytes", "b2sum -l 12 f", "b2sum: invalid length: ‘12’\nb2sum: length is not a multiple of 8\n[exit status 1]\n"},
		{"cksum's CRC", "cksum f", "3015617425 6 f\n"},
		{"cksum of stdin has no name", "cksum", "4294967295 0\n"},
		{"cksum is tagged with -a", "cksum -a md5 f", "MD5 (f) = " + md5Hello + "\n"},
		{"cksum untagged", "cksum -a md5 --untagged f", md5Hello + "  f\n"},
		{"cksum finds the algorithm by tag", "cksum -c tagged", "f: OK\n"},
		{"cksum takes no prefix", "cksum -a md f", "cksum: invalid argument ‘md’ for ‘--algorithm’\nValid arguments are:\n  - ‘bsd’\n  - ‘sysv’\n  - ‘crc’\n  - ‘md5’\n  - ‘sha1’\n" +
			"  - ‘sha224’\n  - ‘sha256’\n  - ‘sha384’\n  - ‘sha512’\n  - ‘blake2b’\n  - ‘sm3’\nTry 'cksum --help' for more information.\n[exit status 1]\n"},
		{"sum", "sum f", "36979     1 f\n"},
		{"sum of System V", "sum -s f", "542 1 f\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newTestShell(t).files("f=hello\n", "g=hello\n", `a\b=hello`+"\n",
				"good="+md5Hello+"  f\n# comment\n\n"+md5Hello+" *g\r\n", "tagged=MD5 (f) = "+md5Hello+"\n",
				"escaped=\\"+md5Hello+`  a\\b`+"\n", "bad="+md5Apple+"  f\n"+md5Apple+"  nope\njunk\n", "missing="+md5Apple+"  nope\n")
			require.Equal(t, c.want, s.output(strings.Fields(c.command)...))
		})
	}
}
