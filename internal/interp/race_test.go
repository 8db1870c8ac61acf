package interp

import (
	"context"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/vsh-project/vsh/internal/budget"
)

// TestProcessesShareNothing runs scripts whose processes read and write what
// they inherited at once; the race detector is the judge.
func TestProcessesShareNothing(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"scalars", "x=a; for ((i=0;i<20;i++)); do (x+=b; x+=c) & x+=d; done; wait; echo ${#x}", "21\n"},
		{"arrays", "a=(1 2 3); for ((i=0;i<20;i++)); do { a[1]=x; a+=(y); unset 'a[0]'; } & a[i]=$i; done; wait; echo ${#a[@]}", "20\n"},
		{"associative arrays", "declare -A m=([k]=1); for ((i=0;i<20;i++)); do { m[k]=x; m[n$i]=y; unset 'm[k]'; } & m[q$i]=1; done; wait; echo ${#m[@]}", "21\n"},
		{"functions and frames", "f() { local x=1; { local y=2; x=3; unset x; f2; } & x=4; wait; }; f2() { z=1; }; for ((i=0;i<10;i++)); do f; done; echo ok", "ok\n"},
		{"traps and signals", "trap 'n=1' USR1; for ((i=0;i<20;i++)); do kill -USR1 $$ & done; wait; wait; echo ok", "ok\n"},
		{"killing", "for ((i=0;i<20;i++)); do while :; do :; done & kill $!; done; wait; echo ok", "ok\n"},
		{"pipelines", "for ((i=0;i<10;i++)); do echo $i | { read a; echo $a; } | { read b; echo $b; }; done | { n=0; while read l; do ((n+=l)); done; echo $n; }", "45\n"},
		{"many writers", "{ for ((i=0;i<20;i++)); do { for ((j=0;j<10;j++)); do echo line; done; } & done; wait; } | { n=0; while read l; do ((n++)); done; echo $n; }", "200\n"},
		{"process substitutions", "for ((i=0;i<10;i++)); do read x < <(echo $i); done; echo $x", "9\n"},
		{"symbols", "for ((i=0;i<10;i++)); do { eval \"v$i=1; w$i=2\"; } & eval \"u$i=3\"; done; wait; echo $u9", "3\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := budget.New(64 << 20)
			out, status := runScript(t, newTestSession(t, b), c.script)
			if out != c.want || status != 0 {
				t.Errorf("%s\n got %q %d\nwant %q", c.script, out, status, c.want)
			}
		})
	}
}

// TestRunReturns pins that a run ends with its context, whatever it does, and
// that no goroutine stays.
func TestRunReturns(t *testing.T) {
	for _, script := range []string{
		"while :; do :; done", "f() { f; }; while :; do (f); done", "read x < <(while :; do :; done)", "while :; do echo x; done | while read l; do :; done",
		"while :; do :; done & wait", "x=$(while :; do :; done)", "{ while :; do :; done; } > >(while read l; do :; done)", "coproc while read l; do :; done; wait",
		"trap 'while :; do :; done' EXIT", "while :; do { while :; do :; done; } & done", "exec 3<> /tmp/p; read x",
		"until false; do x+=y; done", "for ((;;)); do a+=(x); done", "select x in a; do :; done < <(while :; do echo; done)",
	} {
		t.Run(script, func(t *testing.T) {
			before := runtime.NumGoroutine()
			s := newTestSession(t, budget.New(32<<20))
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			began := time.Now()
			r, w := io.Pipe() // a stdin that never ends
			defer w.Close()
			status := s.Run(ctx, RunOptions{Script: script, Command: true, Stdin: r})
			if d := time.Since(began); d > time.Minute {
				t.Errorf("returned after %v", d)
			}
			if status == 0 {
				t.Errorf("status %d", status)
			}
			w.Close()
			for i := 0; runtime.NumGoroutine() > before && i < 30_000; i++ {
				time.Sleep(time.Millisecond)
			}
			if n := runtime.NumGoroutine(); n > before {
				buffer := make([]byte, 1<<16)
				t.Errorf("%d goroutines before, %d after\n%s", before, n, buffer[:runtime.Stack(buffer, true)])
			}
			if out, status := runScript(t, s, "echo again"); !strings.HasSuffix(out, "again\n") || status != 0 {
				t.Errorf("the next run: %q %d", out, status)
			}
		})
	}
}
