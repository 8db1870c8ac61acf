package builtins

import "testing"

// The expected texts are those of the real programs.
func TestNumfmt(t *testing.T) {
	runTable(t, []string{}, []tableCase{
		{"to iec rounds up", "numfmt --to=iec 1025 1048576 999", "", "1.1K\n1.0M\n999\n"},
		{"to si", "numfmt --to=si 999999 1500", "", "1.0M\n1.5K\n"},
		{"to iec-i with a suffix", "numfmt --to=iec-i --suffix=B 2048 1500000", "", "2.0KiB\n1.5MiB\n"},
		{"from iec", "numfmt --from=iec 2K 1.5M", "", "2048\n1572864\n"},
		{"from auto", "numfmt --from=auto 1Ki 1K", "", "1024\n1000\n"},
		{"iec-i asks for the i", "numfmt --from=iec-i 1K", "", "numfmt: missing 'i' suffix in input: ‘1K’ (e.g Ki/Mi/Gi)\n[exit status 2]\n"},
		{"a suffix after the suffix", "numfmt --from=si 1Ki", "", "numfmt: invalid suffix in input ‘1Ki’: ‘i’\n[exit status 2]\n"},
		{"a suffix without --from", "numfmt 1K", "", "numfmt: rejecting suffix in input: ‘1K’ (consider using --from)\n[exit status 2]\n"},
		{"fields keep their width", "numfmt --field 2- --to=si", "x   1000 2000\n", "x   1.0K 2.0K\n"},
		{"a delimiter", "numfmt -d, --field=2 --to=si", "a,1000,b\n", "a,1.0K,b\n"},
		{"headers are kept", "numfmt --header=2 --to=si", "a\nb\n1000\n", "a\nb\n1.0K\n"},
		{"decimals are kept", "numfmt 1.50", "", "1.50\n"},
		{"a format's precision", "numfmt --format=%08.2f 3.14159", "", "00003.15\n"},
		{"a format's text", "numfmt '--format=<%10f>%%' --to=si 1234567", "", "<      1.3M>%%\n"},
		{"padding to the left", "numfmt --padding=-5 --suffix=x 1", "", "1x   \n"},
		{"rounding", "numfmt --round=nearest --to=si 1450 1550 10500", "", "1.5K\n1.6K\n11K\n"},
		{"rounding towards zero", "numfmt --round=towards-zero --to=si -- -1499", "", "-1.4K\n"},
		{"units of the input", "numfmt --from-unit=512 4", "", "2048\n"},
		{"units of the output", "numfmt --to-unit=Ki 4096", "", "4\n"},
		{"invalid ends the run", "numfmt 1 abc 2", "", "1\nnumfmt: invalid number: ‘abc’\n[exit status 2]\n"},
		{"invalid with fail goes on", "numfmt --invalid=fail a 1", "", "a\n1\nnumfmt: invalid number: ‘a’\n[exit status 2]\n"},
		{"invalid with warn is no failure", "numfmt --invalid=warn a 1", "", "a\n1\nnumfmt: invalid number: ‘a’\n"},
		{"invalid with ignore is silent", "numfmt --invalid=ignore a 1", "", "a\n1\n"},
		{"too large to print", "numfmt 99999999999999999999", "", "numfmt: value too large to be printed: '1e+20' (consider using --to)\n[exit status 2]\n"},
		{"too large to convert", "numfmt 9999999999999999999999999999", "", "numfmt: value too large to be converted: ‘9999999999999999999999999999’\n[exit status 2]\n"},
		{"a format without directive", "numfmt --format=abc 1", "", "numfmt: format ‘abc’ has no % directive\n[exit status 1]\n"},
		{"a format with two", "numfmt --format=%f%f 1", "", "numfmt: format ‘%f%f’ has too many % directives\n[exit status 1]\n"},
		{"a format of another kind", "numfmt --format=%x 1", "", "numfmt: invalid format ‘%x’, directive must be %[0]['][-][N][.][N]f\n[exit status 1]\n"},
		{"--grouping with --to", "numfmt --grouping --to=si 1", "", "numfmt: grouping cannot be combined with --to\n[exit status 1]\n"},
		{"a unit that is none", "numfmt --to-unit=x 4", "", "numfmt: invalid unit size: ‘x’\n[exit status 1]\n"},
	})
}
