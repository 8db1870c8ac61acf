package builtins

import (
	"errors"
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// teeCommand is one run of tee.
type teeCommand struct {
	*call
	append bool
	// On an error of an output: warn where it is a pipe too, exit at once.
	warnPipe, exit, keepPipe bool
	outputs                  []*teeOutput
}

type teeOutput struct {
	name string
	w    io.Writer
	file vfs.File
}

const teeKeyError = 256

func teeRun(c *call) error {
	t := &teeCommand{call: c}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'a':
			t.append = true
		case 'i':
		case 'p', teeKeyError:
			t.keepPipe, t.warnPipe, t.exit = true, false, false
			if p.HasValue {
				i, err := c.argumentMatch("--output-error", p.Value, []string{"warn", "warn-nopipe", "exit", "exit-nopipe"}, nil)
				if err != nil {
					return err
				}
				t.warnPipe, t.exit = i == 0 || i == 2, i >= 2
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.outputs = []*teeOutput{{name: "standard output", w: c.Stdout}}
	defer t.close()
	flag := vfs.O_WRONLY | vfs.O_CREATE
	if t.append {
		flag |= vfs.O_APPEND
	} else {
		flag |= vfs.O_TRUNC
	}
	for _, name := range operands {
		f, err := c.View().Open(c.ctx, name, flag, 0o666)
		if err != nil {
			c.fileError(name, err)
			if t.exit {
				return nil
			}
			continue
		}
		t.outputs = append(t.outputs, &teeOutput{name, f, f})
	}
	return t.copyToAll()
}

func (t *teeCommand) copyToAll() error {
	block := make([]byte, lines.BlockSize)
	for {
		n, err := t.Stdin.Read(block)
		for i := 0; n > 0 && i < len(t.outputs); {
			o := t.outputs[i]
			if _, err := o.w.Write(block[:n]); err != nil {
				if err := t.failed(o, err); err != nil {
					return err
				}
				t.outputs = append(t.outputs[:i], t.outputs[i+1:]...)
				continue
			}
			i++
		}
		if len(t.outputs) == 0 || err == io.EOF {
			return nil
		}
		if err != nil {
			if t.ends(err) {
				return err
			}
			t.noteClosed("-", err)
			t.errorf("read error: %s", vfs.Words(err))
			return nil
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
}

// failed reports an output that takes no more; its error ends the run.
func (t *teeCommand) failed(o *teeOutput, err error) error {
	if o.file != nil {
		o.file.Close()
	}
	if t.ctx.Err() != nil {
		return err
	}
	if errors.Is(err, vfs.EPIPE) {
		if !t.keepPipe {
			return statusSIGPIPE
		}
		if !t.warnPipe {
			return nil
		}
	}
	name := o.name
	if o.file != nil {
		name = quoteFile(name)
	} else {
		name = quoteName(name)
	}
	t.errorf("%s: %s", name, vfs.Words(err))
	if t.exit {
		return command.ExitError(t.status)
	}
	return nil
}

func (t *teeCommand) close() {
	for _, o := range t.outputs {
		if o.file == nil {
			continue
		}
		if err := o.file.Close(); err != nil {
			t.fileError(o.name, err)
		}
	}
}

func teeProgram(string) *program {
	return &program{
		stdinClosed: "standard input",
		usage: `tee [OPTION]... [FILE]...
Copy standard input to each file and to standard output.

  -a, --append             add to the files instead of writing them anew
  -i, --ignore-interrupts  accepted, without effect
  -p                       go on when a pipe is closed, warn of other errors
      --output-error[=MODE]  what to do when an output fails: warn, warn-nopipe,
                           exit or exit-nopipe (nopipe: say nothing of pipes)`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'a', Long: "append"}, {Key: 'i', Long: "ignore-interrupts"}, {Key: teeKeyError, Long: "output-error", Argument: getopt.Optional}, {Key: 'p'},
		}},
		run: teeRun,
	}
}
