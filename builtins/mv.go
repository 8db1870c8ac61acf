package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
)

func mvRun(c *call) error {
	x := &copier{call: c, move: true, dereference: copyDereferenceNever, recursive: true, keepMode: true, keepOwner: true, keepTimes: true, keepLinks: true}
	var o targetOptions
	strip := false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'b', cpBackup:
			x.backup.wanted = true
			if p.HasValue {
				x.backup.control = p.Value
			}
		case 'f':
			x.ask = copyAlwaysYes
		case 'i':
			x.ask = copyAskUser
		case 'n':
			x.ask = copyAlwaysNo
		case 'S':
			x.backup.wanted, x.backup.suffix = true, p.Value
		case 't':
			if o.hasDirectory {
				return c.fatalf("multiple target directories specified")
			}
			o.directory, o.hasDirectory = p.Value, true
		case 'T':
			o.noDirectory = true
		case 'u':
			x.update = true
		case 'v':
			x.verbose = true
		case cpStripSlashes:
			strip = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if x.backup.wanted && x.ask == copyAlwaysNo {
		return c.usageErrorf("options --backup and --no-clobber are mutually exclusive")
	}
	if err := x.backup.settle(c); err != nil {
		return err
	}
	move := func(source, target string) error {
		if strip {
			source = stripSlashes(source)
		}
		x.moveOne(source, target)
		return c.ctx.Err()
	}
	return c.toTargets(operands, &o, func(source, directory string) error {
		trimmed := stripSlashes(source)
		return move(source, walkJoinBase(directory, trimmed[strings.LastIndexByte(trimmed, '/')+1:]))
	}, move)
}

func stripSlashes(name string) string {
	if trimmed := strings.TrimRight(name, "/"); trimmed != "" || name == "" {
		return trimmed
	}
	return "/"
}

// moveOne moves a file; where it had to be copied the source is removed.
func (x *copier) moveOne(source, target string) {
	if !x.one(source, target) || x.renamed || x.intoSelf {
		return
	}
	r := &remover{call: x.call, recursive: true, force: true, verbose: x.verbose}
	r.remove(source)
}

func mvProgram(string) *program {
	return &program{
		usage: `mv [OPTION]... [-T] SOURCE TARGET
       mv [OPTION]... SOURCE... DIRECTORY
       mv [OPTION]... -t DIRECTORY SOURCE...
Rename SOURCE to TARGET, or move each SOURCE into DIRECTORY.

  -b, --backup[=CONTROL]      keep what would be replaced (none, numbered, existing, simple)
  -f, --force                 do not ask before replacing
  -i, --interactive           ask before replacing
  -n, --no-clobber            replace nothing (the last of -i, -f, -n counts)
      --strip-trailing-slashes  drop slashes at the end of each SOURCE
  -S, --suffix=SUFFIX         of backups
  -t, --target-directory=DIRECTORY
  -T, --no-target-directory   TARGET is no directory to move into
  -u, --update                only where SOURCE is newer or TARGET missing
  -v, --verbose               say what is done
  -Z, --context               accepted`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: cpBackup, Long: "backup", Argument: getopt.Optional}, {Key: 'b'}, {Key: 'Z', Long: "context"}, {Key: 'f', Long: "force"},
			{Key: 'i', Long: "interactive"}, {Key: 'n', Long: "no-clobber"},
			{Key: 'T', Long: "no-target-directory"}, {Key: cpStripSlashes, Long: "strip-trailing-slashes"}, {Key: 'S', Long: "suffix", Argument: getopt.Required},
			{Key: 't', Long: "target-directory", Argument: getopt.Required}, {Key: 'u', Long: "update"}, {Key: 'v', Long: "verbose"},
		}},
		run: mvRun,
	}
}
