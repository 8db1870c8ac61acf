package interp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// withCommands is a test session whose /usr/bin holds commands; they hide the
// interpreter's own programs of the same name.
func withCommands(t *testing.T, commands map[string]Command) *Session {
	t.Helper()
	s := newTestSession(t, nil)
	s.config.Grace = 50 * time.Millisecond
	s.config.Command = func(path string) Command { return commands[strings.TrimPrefix(path, "/usr/bin/")] }
	return s
}

func TestACommandThatIgnoresItsContextIsLeftBehind(t *testing.T) {
	release := make(chan struct{})
	s := withCommands(t, map[string]Command{"pwd": func(_ context.Context, c *Call) int {
		<-release
		if _, err := c.Stdout.Write([]byte("late\n")); err == nil {
			t.Error("a detached stream took a write")
		}
		return 0
	}})
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	status := s.Run(ctx, RunOptions{Script: "/usr/bin/pwd; echo no", Command: true, Stdout: &out, Stderr: &out})
	assert.Equal(t, 124, status)
	assert.Less(t, time.Since(began), time.Minute)
	assert.Empty(t, out.String())
	assert.Equal(t, []string{"/usr/bin/pwd"}, s.Stuck())
	close(release)
	assert.Eventually(t, func() bool { return len(s.Stuck()) == 0 }, time.Minute, time.Millisecond)
}

func TestAPanicOfACommandIsAStatus(t *testing.T) {
	s := withCommands(t, map[string]Command{"pwd": func(context.Context, *Call) int { panic("oops") }})
	out, status := runScript(t, s, "/usr/bin/pwd; echo $?; /usr/bin/pwd | read x; echo ${PIPESTATUS[0]}")
	assert.Equal(t, 0, status)
	assert.Equal(t, "bash: line 1: /usr/bin/pwd: internal error: oops\n2\nbash: line 1: /usr/bin/pwd: internal error: oops\n2\n", out)
}

func TestACommandSeesItsCall(t *testing.T) {
	s := withCommands(t, map[string]Command{"pwd": func(ctx context.Context, c *Call) int {
		in, _ := io.ReadAll(c.Stdin)
		fmt.Fprintf(c.Stdout, "%s %q %s %q\n", c.Name, c.Arguments, c.View.Directory(), in)
		for _, pair := range c.Environment {
			if strings.HasPrefix(pair, "X") {
				fmt.Fprintln(c.Stdout, pair)
			}
		}
		return 3
	}})
	out, _ := runScript(t, s, "export X1=a; X2=b; X3=c /usr/bin/pwd 'p q' <<< in; echo $?; command pwd_; hash -r; /usr/bin/pwd </dev/null >f; read x <f; echo $x")
	assert.Equal(t, "/usr/bin/pwd [\"p q\"] /tmp \"in\\n\"\nX1=a\nX3=c\n3\nbash: line 1: pwd_: command not found\n/usr/bin/pwd [] /tmp \"\"\n", out)
}

func TestACommandRunsAnother(t *testing.T) {
	s := withCommands(t, map[string]Command{"pwd": func(ctx context.Context, c *Call) int {
		var inner bytes.Buffer
		status, err := c.Process.Exec(ctx, &ExecRequest{Arguments: c.Arguments, Stdin: strings.NewReader("given"), Stdout: &inner})
		fmt.Fprintf(c.Stdout, "%d %v %q\n", status, err, inner.String())
		path, err := c.Process.LookPath(ctx, "bash", c.Environment)
		fmt.Fprintln(c.Stdout, path, err)
		return 0
	}})
	out, _ := runScript(t, s, "f() { echo function; }; x=1; /usr/bin/pwd bash -c 'read l; echo $l $x; exit 4'; /usr/bin/pwd f")
	assert.Equal(t, "4 <nil> \"given\\n\"\n/usr/bin/bash <nil>\n127 <nil> \"\"\n/usr/bin/bash <nil>\n", out)
}

func TestSessionsKeepWhatTheyPromise(t *testing.T) {
	s := newTestSession(t, nil)
	run := func(script, want string) {
		t.Helper()
		var out bytes.Buffer
		s.Run(context.Background(), RunOptions{Script: script, Command: true, Stdout: &out, Stderr: &out})
		assert.Equal(t, want, out.String(), script)
	}
	run("cd /tmp; x=1; export y=2; f() { echo f; }; alias a=b; shopt -s expand_aliases; set -f; shopt -s nullglob; trap 'echo bye' EXIT; exec 5>/dev/null; set -- p q; false", "bye\n")
	run("echo $? $PWD $x $y $# $-; f; alias a; shopt expand_aliases nullglob; trap; { echo z >&5; } 2>/dev/null || echo closed",
		"0 /tmp 1 2 0 hBc\nf\nalias a='b'\nexpand_aliases \ton\nnullglob       \toff\nclosed\n")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	assert.Equal(t, 124, s.Run(ctx, RunOptions{Script: "x=5; g() { local x=6; cd /; while :; do :; done; }; g", Command: true}))
	run("echo $x $PWD", "5 /\n")
	run("readonly r=1; r=2", "bash: line 1: r: readonly variable\n")
	run("echo $r; f() { return 3; }; f; echo $?", "1\n3\n")
	var out bytes.Buffer
	s.Run(context.Background(), RunOptions{Script: "echo $PWD $z; z=4; cd /", Command: true, Stdout: &out, Directory: "/tmp", Environment: []string{"z=3"}})
	assert.Equal(t, "/tmp 3\n", out.String())
	run("echo $PWD [$z]", "/ []\n")
}
