package builtins

import (
	"io/fs"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/getopt"
)

// modeOption is what is left of a command whose only option is -m MODE.
type modeOption struct {
	operands []string
	mode     fs.FileMode
	given    bool
}

func (c *call) modeOption() (m modeOption, err error) {
	text := ""
	m.operands, err = c.parse(func(p *getopt.Parser) error {
		text, m.given = p.Value, true
		return nil
	})
	if err != nil || !m.given {
		return m, err
	}
	changes, ok := filemode.Compile(text)
	if !ok {
		return m, c.fatalf("invalid mode")
	}
	bits := changes.Adjust(0o666, false, filemode.Bits(c.View().Umask()))
	m.mode = filemode.Mode(bits)
	return m, nil
}
