package shell

import "github.com/vsh-project/vsh/external"

// ExternalOptions describe a host program; see package external.
type ExternalOptions = external.Options

// External makes a command of a host program, for Options.Commands. It fails on
// options that cannot work, naming the field.
func External(options *ExternalOptions) (Command, error) { return external.New(options) }
