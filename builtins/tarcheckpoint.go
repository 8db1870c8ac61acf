package builtins

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/human"
	"github.com/vsh-project/vsh/shell/command"
)

// tarAction is one --checkpoint-action.
type tarAction struct{ kind, argument string }

func (t *tarCommand) addCheckpointAction(text string) error {
	kind, argument, hasArgument := strings.Cut(text, "=")
	switch kind {
	case ".", "dot":
		kind = "dot"
	case "bell", "totals":
	case "echo":
		if !hasArgument {
			kind = "usual"
		}
	case "ttyout":
		return nil // there is no terminal
	case "sleep", "exec", "wait":
		if !hasArgument {
			return t.fatal("%s: unknown checkpoint action", text)
		}
	default:
		return t.fatal("%s: unknown checkpoint action", text)
	}
	if t.checkpoint == 0 {
		t.checkpoint = 10
	}
	t.checkpointActions = append(t.checkpointActions, tarAction{kind, argument})
	return nil
}

// checkpointReached counts a record and does what a checkpoint asks for.
func (t *tarCommand) checkpointReached(what string) error {
	if t.checkpoint == 0 {
		return nil
	}
	if t.recordsDone++; t.recordsDone%t.checkpoint != 0 {
		return nil
	}
	actions := t.checkpointActions
	if len(actions) == 0 {
		actions = []tarAction{{"usual", ""}}
	}
	for _, a := range actions {
		switch a.kind {
		case "dot":
			t.out.Flush()
			io.WriteString(t.listing, ".")
		case "bell":
			io.WriteString(t.Stderr, "\a")
		case "totals":
			t.printTotals(what == "Write")
		case "usual":
			t.warnf("%s checkpoint %d", what, t.recordsDone)
		case "echo":
			text := strings.NewReplacer("%s", strings.ToLower(what), "%u", fmt.Sprint(t.recordsDone), "%d", fmt.Sprint(int(time.Since(t.started).Seconds())), "%%", "%").Replace(a.argument)
			t.warnf("%s", text)
		case "sleep":
			var seconds float64
			fmt.Sscan(a.argument, &seconds)
			select {
			case <-time.After(time.Duration(seconds * float64(time.Second))):
			case <-t.ctx.Done():
				return t.ctx.Err()
			}
		case "exec":
			environment := append(t.Environment[:len(t.Environment):len(t.Environment)],
				"TAR_ARCHIVE="+t.archives[0], fmt.Sprintf("TAR_BLOCKING_FACTOR=%d", t.blocking), fmt.Sprintf("TAR_CHECKPOINT=%d", t.recordsDone))
			t.out.Flush()
			if _, err := t.Host().Exec(t.ctx, &command.Exec{Arguments: []string{"/bin/sh", "-c", a.argument}, Environment: environment, Stdin: strings.NewReader("")}); err != nil {
				return err
			}
		}
	}
	return nil
}

// printTotals is --totals' line.
func (t *tarCommand) printTotals(written bool) {
	what := "read"
	if written {
		what = "written"
	}
	abbreviate := func(n float64) string {
		return human.Format(uint64(n), human.Human|human.B, 1, 1)
	}
	rate := "?"
	if seconds := t.Host().Now().Sub(t.started).Seconds(); seconds > 0 {
		rate = abbreviate(float64(t.bytesDone) / seconds)
	}
	t.out.Flush()
	fmt.Fprintf(t.Stderr, "Total bytes %s: %d (%s, %s/s)\n", what, t.bytesDone, abbreviate(float64(t.bytesDone)), rate)
}
