package tooldir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vsh-project/vsh/external"
	"github.com/vsh-project/vsh/shell/command"
)

// CommandName is the command that reaches each tool by its name. No tool
// becomes a command of that name: "tool tool" runs it.
const CommandName = "tool"

const (
	statusUsage    = 2
	statusNotFound = 127
)

// Command is the tool as a command of a shell: arguments as typed, stdin from
// the pipeline.
func (t *Tool) Command() (command.Command, error) {
	o := t.directory.options
	return external.New(&external.Options{
		Name: t.Name, Path: t.Path, Directory: o.WorkingDirectory, FollowWorkingDirectory: o.FollowWorkingDirectory,
		Timeout: o.Timeout, Summary: t.Summary,
		EnvironmentFor: func(hostDirectory string) []string { return t.directory.environment("", hostDirectory) },
	})
}

// Commands are the command tool and the tools as commands, those left out whose
// names taken has, unless replace asks for them. taken must have the shell's
// reserved names (shell.IsReserved), and replace must not.
func (d *Directory) Commands(taken func(name string) bool, replace func(name string) bool) ([]command.Command, error) {
	var commands []command.Command
	var hidden []string
	var failed error
	for _, t := range d.Tools() {
		if t.Name == CommandName || taken != nil && taken(t.Name) && (replace == nil || !replace(t.Name)) {
			hidden = append(hidden, t.Name)
			continue
		}
		c, err := t.Command()
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		commands = append(commands, c)
	}
	if taken == nil || !taken(CommandName) {
		commands = append(commands, d.byName(hidden))
	}
	return commands, failed
}

// byName is the command "tool NAME ARG...". It asks the directory at each run,
// so that it knows the tools of the last Reload. hidden are those that the
// model would not find otherwise.
func (d *Directory) byName(hidden []string) command.Command {
	summary := "tool NAME [ARG]... runs a tool by its name; alone it lists the tools"
	if len(hidden) > 0 {
		summary += "; only so: " + strings.Join(hidden, " ")
	}
	return command.Command{Name: CommandName, Summary: summary, Run: d.runByName, Grace: external.DefaultGrace + time.Second}
}

func (d *Directory) runByName(ctx context.Context, i *command.Invocation) error {
	arguments := i.Arguments
	switch {
	case len(arguments) == 0:
		return d.list(i.Stdout)
	case arguments[0] == "--help":
		_, err := io.WriteString(i.Stdout, "Usage: tool [NAME [ARG]...]\nRun a tool by its name, though a command or a shell builtin has that name too;\nwithout NAME list the tools.\n")
		return err
	case arguments[0] == "--version":
		_, err := io.WriteString(i.Stdout, "tool (vsh) 0.1\n")
		return err
	case arguments[0] == "--":
		arguments = arguments[1:]
	case strings.HasPrefix(arguments[0], "-"):
		return refuse(i, statusUsage, "unrecognized option '"+arguments[0]+"'")
	}
	if len(arguments) == 0 {
		return refuse(i, statusUsage, "missing operand")
	}
	t := d.Tool(arguments[0])
	if t == nil {
		return refuse(i, statusNotFound, arguments[0]+": no such tool")
	}
	c, err := t.Command()
	if err != nil {
		return refuse(i, statusNotFound, t.Name+": its program has gone")
	}
	inner := *i
	inner.Arguments = arguments[1:]
	return c.Run(ctx, &inner)
}

func refuse(i *command.Invocation, status command.ExitError, text string) error {
	fmt.Fprintf(i.Stderr, "%s: %s\n", CommandName, text)
	return status
}

// list writes each tool's name and summary.
func (d *Directory) list(out io.Writer) error {
	for _, t := range d.Tools() {
		if _, err := fmt.Fprintf(out, "%s\t%s\n", t.Name, t.Summary); err != nil {
			return err
		}
	}
	return nil
}
