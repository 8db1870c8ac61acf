package builtins

import "testing"

// The expected texts are those of the real programs.
func TestDate(t *testing.T) {
	runTable(t, []string{"f=@0\nbad\n@86400\n"}, []tableCase{
		{"the default format", "date -d @0", "", "Thu Jan  1 00:00:00 UTC 1970\n"},
		{"-u and a format", "date -u -d '2024-02-29 13:05:09.5' '+%F %T.%N'", "", "2024-02-29 13:05:09.500000000\n"},
		{"-I", "date -d @0 -I", "", "1970-01-01\n"},
		{"-Iseconds", "date -d @0 -Iseconds", "", "1970-01-01T00:00:00+00:00\n"},
		{"-Ins", "date -d @0 -Ins", "", "1970-01-01T00:00:00,000000000+00:00\n"},
		{"-R", "date -R -d @0", "", "Thu, 01 Jan 1970 00:00:00 +0000\n"},
		{"--rfc-3339", "date --rfc-3339=ns -d @0.5", "", "1970-01-01 00:00:00.500000000+00:00\n"},
		{"-f goes on after a bad date", "date -f f +%F", "", "1970-01-01\n1970-01-02\ndate: invalid date ‘bad’\n[exit status 1]\n"},
		{"--resolution", "date --resolution", "", "0.000000001\n"},
		{"an empty format", "date -d @0 +", "", "\n"},
		{"a bad date", "date -d 'x y'", "", "date: invalid date ‘x y’\n[exit status 1]\n"},
		{"two formats", "date -R -I", "", "date: multiple output formats specified\n[exit status 1]\n"},
		{"a format and an option", "date -R +%F", "", "date: multiple output formats specified\n[exit status 1]\n"},
		{"two sources", "date -d x -r f", "", "date: the options to specify dates for printing are mutually exclusive\nTry 'date --help' for more information.\n[exit status 1]\n"},
		{"two operands", "date +a +b", "", "date: extra operand ‘+b’\nTry 'date --help' for more information.\n[exit status 1]\n"},
		{"an operand beside -d", "date -d @0 foo", "", "date: the argument ‘foo’ lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'\nTry 'date --help' for more information.\n[exit status 1]\n"},
		{"a bad time to set", "date 13010000", "", "date: invalid date ‘13010000’\n[exit status 1]\n"},
		{"an unknown precision", "date -Ifoo", "", "date: invalid argument ‘foo’ for ‘--iso-8601’\nValid arguments are:\n  - ‘hours’\n  - ‘minutes’\n  - ‘date’\n  - ‘seconds’\n  - ‘ns’\nTry 'date --help' for more information.\n[exit status 1]\n"},
		{"a missing file", "date -r no", "", "date: no: No such file or directory\n[exit status 1]\n"},
	})
}
