package shell

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a script can make a command hold draws on the budget: each of these
// would take many times what it has.
func TestWhatAScriptScalesMeetsTheBudget(t *testing.T) {
	for rule, script := range map[string]string{
		"jq, a number without an end":           `head -c 64M /dev/zero | tr '\0' 1 | jq .`,
		"jq, a string without an end":           `(printf '"'; head -c 64M /dev/zero) | jq .`,
		"jq, a string of escapes":               `(printf '"'; yes '\n' | tr -d '\n' | head -c 64M) | jq .`,
		"mapfile, a line":                       `head -c 4000000 /dev/zero | tr '\0' a | { mapfile x; echo no; }`,
		"read, a line":                          `head -c 4000000 /dev/zero | tr '\0' a | { read x; echo no; }`,
		"printf -v":                             `printf -v x %4000000d 1; echo no`,
		"jq --stream, a literal without an end": `head -c 64M /dev/zero | jq --stream .`,
		"grep -f, a file of short lines":        `yes | head -c 4M > f; grep -f f /dev/null`,
		"rg -f, a file of short lines":          `yes | head -c 4M > f; rg -f f /dev/null`,
		"sed, one replacement":                  `head -c 1M /dev/zero | sed "s/.*/` + strings.Repeat("&", 64) + `/" | wc -c`,
		"sed, many replacements":                `head -c 1M /dev/zero | sed "s/./` + strings.Repeat("x", 64) + `/g" | wc -c`,
		"awk, one gsub":                         `awk 'BEGIN{x=sprintf("%30000s",""); gsub(/ /,x,x)}'`,
		"awk, a split":                          `yes " a" | tr -d "\n" | head -c 2M | awk '{split($0, a)}'`,
		"awk, the fields of a line":             `yes " a" | tr -d "\n" | head -c 2M | awk '{print NF}'`,
		"awk, OFS":                              `awk 'BEGIN{OFS=sprintf("%1000000s",""); $1000=1; print length($0)}'`,
		"awk, open files":                       `awk 'BEGIN{while(i<2000) print > ("f" i++)}'`,
		"awk, what print puts together":         `awk 'BEGIN{x=sprintf("%1000000s",""); print x,x,x,x,x,x,x,x,x,x,x,x,x}' | wc -c`,
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			sh := newShell(t, Options{Limits: Limits{Memory: 8 << 20}, Timeout: time.Minute})
			output := run(t, sh, script).Output
			require.Contains(t, output, "memory budget")
			require.NotContains(t, output, "write", "that is no failure to write")
			require.NotContains(t, output, "no\n")
			require.Equal(t, "ok\n", run(t, sh, "echo ok").Output, "the next run works")
		})
	}
}

func TestWhatACommandKeepsComesBack(t *testing.T) {
	greedy := Command{Name: "greedy", Summary: "charges", Run: func(_ context.Context, i *Invocation) error {
		i.Host().Release(1 << 40) // more than it has
		return i.Host().Charge(1 << 20)
	}}
	sh := newShell(t, Options{Commands: []Command{greedy}, Limits: Limits{Memory: 4 << 20}})
	require.Equal(t, 0, run(t, sh, "for i in {1..20}; do greedy || exit; done").ExitCode)
	require.Less(t, sh.budget.Used(), int64(1<<20))
	require.Positive(t, sh.budget.Used(), "and no more than that")
}

func TestTheBudgetComesBackWhenACommandEnds(t *testing.T) {
	for rule, script := range map[string]string{
		"grep -f":                `seq 1000 > f; grep -f f f > /dev/null`,
		"diff of a missing file": `head -c 500K /dev/zero > f; diff f nope 2> /dev/null`,
		"a list of zip's":        `seq 100000 > f; zip -q z f -x@f; rm -f z.zip`,
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			sh := newShell(t, Options{Timeout: time.Minute})
			run(t, sh, script)
			before := sh.budget.Used()
			run(t, sh, "for i in 1 2 3 4 5; do "+script+"; done; unset i")
			require.Less(t, sh.budget.Used(), before+64<<10)
		})
	}
}

func TestALongListOfWordsIsNotTooBig(t *testing.T) {
	sh := newShell(t, Options{Timeout: time.Minute})
	require.Equal(t, "5\n", run(t, sh, "seq 100000 > f; printf '%s\\n' 1 22 333 4444 55555 67x | grep -xcf f").Output)
}
