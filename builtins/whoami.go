package builtins

// noOperands parses a command that takes none.
func (c *call) noOperands() error {
	operands, err := c.parse(nil)
	if err == nil && len(operands) > 0 {
		return c.usageErrorf("extra operand %s", quote(operands[0]))
	}
	return err
}

// whoamiRun serves logname too: whoever runs the shell is who logged in.
func whoamiRun(c *call) error {
	if err := c.noOperands(); err != nil {
		return err
	}
	c.out.WriteString(c.View().Identity().User + "\n")
	return nil
}

func whoamiProgram(string) *program {
	return &program{usage: "whoami\nPrint the name of the user the shell runs as.", run: whoamiRun}
}

func lognameProgram(string) *program {
	return &program{usage: "logname\nPrint the name of the user the shell runs as.", run: whoamiRun}
}
