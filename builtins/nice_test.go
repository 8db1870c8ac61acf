package builtins

import "testing"

// The expected texts are those of the real programs.
func TestRunsAnotherProgram(t *testing.T) {
	runTable(t, []string{"d/"}, []tableCase{
		{"nice alone", "nice", "", "0\n"},
		{"nice adds 10", "nice nice", "", "10\n"},
		{"nice -n", "nice -n 5 nice", "", "5\n"},
		{"nice's old numbers", "nice -5 nice", "", "5\n"},
		{"nice's old negative numbers", "nice --5 nice", "", "-5\n"},
		{"nice up to 19", "nice -n 100 nice", "", "19\n"},
		{"nice without command", "nice -n 5", "", "nice: a command must be given with an adjustment\nTry 'nice --help' for more information.\n[exit status 125]\n"},
		{"nice without number", "nice -n x true", "", "nice: invalid adjustment ‘x’\n[exit status 125]\n"},
		{"nice of nothing", "nice nosuch", "", "nice: ‘nosuch’: No such file or directory\n[exit status 127]\n"},
		{"nohup", "nohup echo hi", "", "hi\n"},
		{"nohup of nothing", "nohup nosuch", "", "nohup: failed to run command 'nosuch': No such file or directory\n[exit status 127]\n"},
		{"nohup alone", "nohup", "", "nohup: missing operand\nTry 'nohup --help' for more information.\n[exit status 125]\n"},
		{"stdbuf", "stdbuf -oL echo hi", "", "hi\n"},
		{"stdbuf without mode", "stdbuf echo", "", "stdbuf: you must specify a buffering mode option\nTry 'stdbuf --help' for more information.\n[exit status 125]\n"},
		{"stdbuf with a bad mode", "stdbuf -ox echo", "", "stdbuf: invalid mode ‘x’\n[exit status 125]\n"},
		{"stdbuf of nothing", "stdbuf -o0 nosuch", "", "stdbuf: failed to run command ‘nosuch’: No such file or directory\n[exit status 127]\n"},
		{"lines of stdin", "stdbuf -iL cat", "", "stdbuf: line buffering stdin is meaningless\nTry 'stdbuf --help' for more information.\n[exit status 125]\n"},
		{"setsid", "setsid -w echo hi", "", "hi\n"},
		{"setsid of nothing", "setsid nosuch", "", "setsid: failed to execute nosuch: No such file or directory\n[exit status 127]\n"},
		{"setsid alone", "setsid", "", "setsid: no command specified\nTry 'setsid --help' for more information.\n[exit status 1]\n"},
	})
}
