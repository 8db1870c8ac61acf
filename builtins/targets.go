package builtins

import "github.com/vsh-project/vsh/vfs"

// targetOptions are -t and -T.
type targetOptions struct {
	directory    string
	hasDirectory bool
	noDirectory  bool
}

// toTargets finds out where the operands of cp, mv and their kin go: each into
// a directory, or one onto a name.
func (c *call) toTargets(operands []string, o *targetOptions, into, onto func(source, target string) error) error {
	least := 2
	if o.hasDirectory {
		least = 1
	}
	switch {
	case len(operands) == 0:
		return c.usageErrorf("missing file operand")
	case len(operands) < least:
		return c.usageErrorf("missing destination file operand after %s", quoteName(operands[0]))
	}
	directory, isDirectory := o.directory, false
	switch {
	case o.noDirectory:
		if o.hasDirectory {
			return c.fatalf("cannot combine --target-directory (-t) and --no-target-directory (-T)")
		}
		if len(operands) > 2 {
			return c.usageErrorf("extra operand %s", quoteName(operands[2]))
		}
	case o.hasDirectory:
		if err := c.isDirectory(directory); err != nil {
			return c.fatalf("target directory %s: %s", quoteName(directory), vfs.Words(err))
		}
		isDirectory = true
	default:
		last := operands[len(operands)-1]
		err := c.isDirectory(last)
		switch {
		case err == nil:
			directory, isDirectory = last, true
			operands = operands[:len(operands)-1]
		case len(operands) > 2:
			return c.fatalf("target %s: %s", quoteName(last), vfs.Words(err))
		}
	}
	if !isDirectory {
		return onto(operands[0], operands[1])
	}
	for _, source := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := into(source, directory); err != nil {
			return err
		}
	}
	return nil
}

// isDirectory says why name is no directory.
func (c *call) isDirectory(name string) error {
	info, err := c.View().Stat(c.ctx, name)
	if err == nil && !info.IsDir() {
		err = vfs.ENOTDIR
	}
	return err
}
