package builtins

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTarUsage(t *testing.T) {
	const try = "Try 'tar --help' or 'tar --usage' for more information.\n"
	runTable(t, []string{"f=text"}, []tableCase{
		{"something must be asked for", "tar f x", "", "tar: You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\n" + try + "[exit status 2]\n"},
		{"only one thing is done", "tar -cx f", "", "tar: You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option\n" + try + "[exit status 2]\n"},
		{"an unknown option is status 64", "tar --foo", "", "tar: unrecognized option '--foo'\n" + try + "[exit status 64]\n"},
		{"a missing argument is status 64", "tar -cf", "", "tar: option requires an argument -- 'f'\n" + try + "[exit status 64]\n"},
		{"a missing argument of old letters is status 2", "tar cf", "", "tar: Old option 'f' requires an argument.\n" + try + "[exit status 2]\n"},
		{"no empty archive is made", "tar cf x.tar", "", "tar: Cowardly refusing to create an empty archive\n" + try + "[exit status 2]\n"},
		{"two compressions conflict", "tar czjf x f", "", "tar: Conflicting compression options\n" + try + "[exit status 2]\n"},
		{"a compressed archive is not updated", "tar rzf x f", "", "tar: Cannot update compressed archives\n" + try + "[exit status 2]\n"},
		{"a missing archive ends the run", "tar tf x", "", "tar: x: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now\n[exit status 2]\n"},
		{"what is no archive is said so", "tar t", "text", "tar: This does not look like a tar archive\ntar: Exiting with failure status due to previous errors\n[exit status 2]\n"},
		{"incremental archives are refused", "tar cGf x f", "", "tar: -G: incremental archives are not supported\ntar: Error is not recoverable: exiting now\n[exit status 2]\n"},
	})
}

func TestTarRoundTrip(t *testing.T) {
	for _, packer := range []string{"", "--gzip", "--bzip2", "--xz", "--zstd"} {
		t.Run("with "+packer, func(t *testing.T) {
			s := newTestShell(t).files("d/a=one\n", "d/s/b=two\n", "d/l -> a")
			args := []string{"tar", "-cf", "x.tar", "d"}
			if packer != "" {
				args = append(args, packer)
			}
			require.Equal(t, "", s.output(args...))
			require.Equal(t, "d/\nd/a\nd/l\nd/s/\nd/s/b\n", s.output("tar", "tf", "x.tar"))
			require.Equal(t, "", s.output("rm", "-r", "d"))
			require.Equal(t, "d/s/\nd/s/b\n", s.output("tar", "xvf", "x.tar", "d/s"))
			require.Equal(t, "two\n", s.read("d/s/b"))
		})
	}
}

func TestTarBlocking(t *testing.T) {
	s := newTestShell(t).files("f=text")
	stdout, _, status := s.run("tar", "c", "f")
	require.Equal(t, 0, status)
	require.Len(t, stdout, 10240, "an archive is whole records")
	require.Equal(t, "f\x00", stdout[:2])
	require.Equal(t, "ustar  \x00root\x00", stdout[257:270])
	stdout, _, _ = s.run("tar", "-b", "1", "-c", "f")
	require.Len(t, stdout, 2048, "header, data and two blocks of zeros")
	require.True(t, strings.HasSuffix(stdout, strings.Repeat("\x00", 1024)))
}
