package tooldir

import (
	"context"
	"fmt"
	"strings"

	"github.com/vsh-project/vsh/tool"
)

// Definition is the tool as a registry takes it. Arguments are checked by the
// tool's own schema; a failure of the program is a value with its exit code.
func (t *Tool) Definition() (*tool.Definition, error) {
	parameters, err := t.Schema()
	if err != nil {
		return nil, err
	}
	description := t.Summary
	if t.Usage != "" {
		description += "\n" + t.Usage
	}
	return &tool.Definition{
		Name: t.Name, Description: description, Parameters: tool.Raw(parameters),
		Output: tool.Output{
			Schema: tool.Object(false,
				tool.Required("stdout", tool.String()), tool.Required("stderr", tool.String()), tool.Required("exit_code", tool.Integer()),
				tool.Required("timed_out", tool.Boolean()), tool.Required("truncated", tool.Boolean())),
			Render: render,
		},
		Execute: func(ctx context.Context, call *tool.Call) (any, error) {
			session := Session{Name: call.Session()}
			if find := t.directory.options.SessionDirectory; find != nil {
				var err error
				if session.Directory, err = find(call.Agent(), call.Session()); err != nil {
					return nil, err
				}
			}
			return t.Run(ctx, call.Arguments(), session)
		},
	}, nil
}

// render shows what the program wrote and, when it adds something, how it ended.
func render(_, value tool.Value) ([]tool.Content, error) {
	var out Output
	if err := value.Decode(&out); err != nil {
		return nil, err
	}
	text := out.Stdout
	if out.Stderr != "" {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += out.Stderr
	}
	status := ""
	switch {
	case out.TimedOut:
		status = "[timed out]"
	case out.ExitCode != 0:
		status = fmt.Sprintf("[exit code: %d]", out.ExitCode)
	}
	if status != "" {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += status
	}
	return tool.Text(text), nil
}
