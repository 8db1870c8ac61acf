package printf

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// answers are formats with their arguments, run by the real tools where they
// are and by the engine.
var answers = [][]string{
	{"%d|%i|%5d|%-5d|%05d|%+d|% d\n", "1", "2", "3", "4", "5", "6", "7"},
	{"%d\n", "0x1f", "017", "-0x10", "+5", " 7", "'A", "\"é", "-9223372036854775808"},
	{"%d\n", "99999999999999999999"}, {"%d\n", "-99999999999999999999"}, {"%d\n", "abc"}, {"%d\n", "12abc"}, {"%d\n", "08"}, {"%d\n", "0x1G"}, {"%d\n", ""},
	{"%u\n", "-1"}, {"%u %o %x %X %#x %#o %#X\n", "42", "42", "255", "255", "255", "8", "255"}, {"%#x %#o|\n", "0", "0"},
	{"%.3d|%8.3d|%-8.3d|%08.3d|%.0d|\n", "5", "5", "5", "5", "0"}, {"%#.5o|%#5o|%#05o|\n", "8", "8", "8"}, {"%x\n", "-1", "0xffffffffffffffffff"},
	{"%f %e %g\n", "3.14159", "31415.9", "0.0000314159"}, {"%.0f %.1f %.2f %.3f\n", "2.5", "0.25", "0.125", "1e3"}, {"%g\n", "100000", "1000000", "1e-4", "1e-5", "123456789", "0.1"},
	{"%#g %#.0f %#.0e %#.3g\n", "1", "1", "1", "1"}, {"%10.3f|%-10.3f|%010.3f|%+.1f|% .1f\n", "3.14159", "3.14159", "-3.14159", "2", "2"},
	{"%.20f\n", "0.1"}, {"%.30g\n", "0.1"}, {"%.3e\n", "0", "-0", "1e300", "1e4000"}, {"%f\n", "inf", "-inf", "nan", "INFINITY"}, {"%5.1F|%-5G|%05f\n", "inf", "nan", "-inf"},
	{"%a %a %a %a\n", "1", "0.1", "0", "-3.75"}, {"%.2a %.0a %.5a\n", "1.999", "1", "3.14159"}, {"%A\n", "0x1.8p3"}, {"%e\n", "0x1p-2", "abc", "1e", "1.5x", "."},
	{"%g\n", "1e99999", "1e-99999", "-1e99999"}, {"%s %s\n", "a", "b", "c"}, {"%5s|%-5s|%.2s|%5.1s|\n", "ab", "ab", "abc", "abc"}, {"%s\n"}, {"%d %s|\n"},
	{"%c%c%c\n", "abc", "x", "y"}, {"%5c|%-5c|\n", "a", "b"}, {"%*d|%-*d|%*s|%.*f\n", "5", "1", "4", "2", "-6", "x", "2", "3.14159"}, {"%.*s|\n", "-1", "abc"},
	{"%b\n", `a\tb\n`, `\0101\101\x41`, `\\n`, `x\cy`, "z"}, {"%b|%5b|%.2b\n", `\u00e9`, `\q`, "abc"}, {`\a\b\e\f\n\r\t\v\\\"\101\x41\u00e9` + "\n"}, {"\\0101\\1234\n"},
	{"%%|%5s%%\n", "x"}, {"plain\n", "extra"}, {"%z\n"}, {"%5"}, {"abc%"}, {"%y\n", "1"}, {"%ld %lld %hd %jd %zd %td %Lf\n", "1", "2", "3", "4", "5", "6", "7"}, {"%5%\n"},
	{"%q\n", "a b"}, {"\\x\n"}, {`\u`}, {"%'d %'.2f\n", "1234567", "1234567.891"}, {"%s", "a\\nb\n"}, {"[%3d]\n", "1", "2", "3"}, {"%d-%d\n", "1", "2", "3"},
	{"%.3s|%5s|\n", "éèà", "é"}, {"%-10s|\n", "日本"}, {`a\cb%s`, "x"}, {"%1$s\n", "x"}, {"%-+5d|%+-5d|%0-5d|\n", "1", "2", "3"}, {"%i %s %d\n", "1", "x", "y"},
	{"%.10000f\n", "1"}, {"%s\n", "", "x"}, {"%d\n", "1 2"}, {"%f\n", "1,5"}, {"%x\n", "'"}, {"%c", ""}, {"%5.3x|%-8x|%#10x|%#-10x|%#010x\n", "10", "10", "10", "10", "10"},
}

func TestAnswersAreTheRealTools(t *testing.T) {
	for tool, gnu := range map[string]bool{"bash": false, "/usr/bin/printf": true} {
		path, err := exec.LookPath(tool)
		if err != nil {
			t.Skip("nothing to compare with: ", tool)
		}
		for _, args := range answers {
			if gnu && strings.Contains(args[0], "%q") {
				continue
			}
			t.Run(tool+" "+strings.Join(args, " "), func(t *testing.T) {
				cmd := exec.Command(path, args...)
				prefix := "/usr/bin/printf: "
				if !gnu {
					cmd = exec.Command(path, append([]string{"-c", `printf "$@"`, "bash"}, args...)...)
					prefix = "bash: line 1: printf: "
				}
				cmd.Env = []string{"LC_ALL=C.UTF-8"}
				var want, wantErr, got, gotErr strings.Builder
				cmd.Stdout, cmd.Stderr = &want, &wantErr
				wantStatus := 0
				if err := cmd.Run(); err != nil {
					wantStatus = err.(*exec.ExitError).ExitCode()
				}
				status, err := Run(&Config{GNU: gnu, Out: &got, Error: func(m string) { gotErr.WriteString(prefix + m + "\n") },
					Quote: func(s string) string { return strings.ReplaceAll(s, " ", `\ `) }, Now: time.Now}, args[0], args[1:])
				require.NoError(t, err)
				require.Equal(t, want.String(), got.String())
				require.Equal(t, wantErr.String(), gotErr.String())
				require.Equal(t, wantStatus, status)
			})
		}
	}
}

func TestHugeWidthIsPolled(t *testing.T) {
	polls := 0
	var out countingWriter
	_, err := Run(&Config{Out: &out, Error: func(string) {}, Poll: func() error {
		if polls++; polls > 3 {
			return errStop
		}
		return nil
	}}, "%2000000000d", []string{"1"})
	require.ErrorIs(t, err, errStop)
	require.Less(t, int(out), 1<<20)
}

type countingWriter int

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}

var errStop = &stopError{}

type stopError struct{}

func (*stopError) Error() string { return "stop" }
