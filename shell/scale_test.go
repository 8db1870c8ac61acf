package shell

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a script may use many of at once, with the bounds of a zero Options.
func TestManyProcessesWork(t *testing.T) {
	for rule, c := range map[string]struct{ script, want string }{
		"2,000 stages":                       {"echo a" + strings.Repeat(" | cat", 2000), "a\n"},
		"2,000 stages, every pipe full":      {"yes" + strings.Repeat(" | cat", 2000) + " | head -1; echo ${#PIPESTATUS[@]}", "y\n2002\n"},
		"1,000 process substitutions alive":  {"cat" + strings.Repeat(" <(echo x)", 1000) + " | wc -l", "1000\n"},
		"10,000 process substitutions":       {"for ((i=0;i<10000;i++)); do read x < <(echo $i); done; echo $x", "9999\n"},
		"10,000 command substitutions":       {"for ((i=0;i<10000;i++)); do x=$(echo $i); done; echo $x", "9999\n"},
		"calls nearly as deep as is allowed": {"f() { (( $1 == 0 )) || f $(($1-1)); }; f 9900; echo $?", "0\n"},
	} {
		t.Run(rule, func(t *testing.T) {
			sh := newShell(t, Options{Timeout: 2 * time.Minute})
			require.Equal(t, c.want, run(t, sh, c.script).Output)
			require.Equal(t, "ok\n", run(t, sh, "echo ok").Output, "the next run works")
		})
	}
}
