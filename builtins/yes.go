package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

func yesRun(c *call) error {
	operands, err := c.parse(nil)
	if err != nil {
		return err
	}
	line := "y\n"
	if len(operands) > 0 {
		line = strings.Join(operands, " ") + "\n"
	}
	block := []byte(strings.Repeat(line, max(1, lines.BlockSize/2/len(line))))
	for {
		if _, err := c.Stdout.Write(block); err != nil {
			if c.ends(err) {
				return err
			}
			return c.fatalf("standard output: %s", vfs.Words(err))
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
	}
}

func yesProgram(string) *program {
	return &program{
		usage: `yes [STRING]...
Print the strings, or y, as a line, until the output is closed or the shell's
timeout ends the run.`,
		run: yesRun,
	}
}
