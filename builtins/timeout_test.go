package builtins

import "testing"

// The expected texts are those of the real programs.
func TestTimeout(t *testing.T) {
	runTable(t, []string{"d/"}, []tableCase{
		{"a command's output and status", "timeout 5 echo hi", "", "hi\n"},
		{"a status", "timeout 5 false", "", "[exit status 1]\n"},
		{"the end", "timeout .05 sleep 5", "", "[exit status 124]\n"},
		{"--preserve-status", "timeout --preserve-status .05 sleep 5", "", "[exit status 143]\n"},
		{"a signal", "timeout -s INT --preserve-status .05 sleep 5", "", "[exit status 130]\n"},
		{"-v", "timeout -v -s HUP .05 sleep 5", "", "timeout: sending signal HUP to command ‘sleep’\n[exit status 124]\n"},
		{"0 is no limit", "timeout 0 echo hi", "", "hi\n"},
		{"no command", "timeout 1 nosuch", "", "timeout: failed to run command ‘nosuch’: No such file or directory\n[exit status 127]\n"},
		{"a directory", "timeout 1 ./d", "", "timeout: failed to run command ‘./d’: Permission denied\n[exit status 126]\n"},
		{"no time", "timeout x true", "", "timeout: invalid time interval ‘x’\nTry 'timeout --help' for more information.\n[exit status 125]\n"},
		{"no operand", "timeout", "", "Try 'timeout --help' for more information.\n[exit status 125]\n"},
		{"an unknown signal", "timeout -s x 1 true", "", "timeout: ‘x’: invalid signal\nTry 'timeout --help' for more information.\n[exit status 125]\n"},
	})
}
