package builtins

import (
	"math"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
)

// nprocRun counts one processor: the host's are not a script's business.
func nprocRun(c *call) error {
	ignore := uint64(0)
	operands, err := c.parse(func(p *getopt.Parser) (err error) {
		if p.Key == nprocKeyIgnore {
			ignore, err = c.number(p.Value, 0, math.MaxUint64, "", "invalid number")
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(operands) > 0 {
		return c.usageErrorf("extra operand %s", quote(operands[0]))
	}
	n := "1"
	if list, ok := c.Getenv("OMP_NUM_THREADS"); ok && ignore == 0 {
		if first, _, _ := strings.Cut(strings.TrimSpace(list), ","); seqDigits(first) && strings.TrimLeft(first, "0") != "" {
			n = strings.TrimLeft(first, "0")
		}
	}
	c.out.WriteString(n + "\n")
	return nil
}

const nprocKeyIgnore = 257

func nprocProgram(string) *program {
	return &program{
		usage: `nproc [OPTION]...
Print the number of processors that a script has: 1, or OMP_NUM_THREADS.

      --all, --ignore=N    accepted`,
		options: getopt.Spec{Options: []getopt.Option{{Key: 256, Long: "all"}, {Key: nprocKeyIgnore, Long: "ignore", Argument: getopt.Required}}},
		run:     nprocRun,
	}
}
