package builtins

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/walk"
	"github.com/vsh-project/vsh/vfs"
)

const (
	keyReference = 256 + iota
	keyPreserveRoot
	keyNoPreserveRoot
	keyDereference
	keyFromOwner
)

// verbosity is what -v, -c and -f of chmod, chown and chgrp ask for.
type verbosity struct{ all, changes, silent bool }

func chmodRun(c *call) error {
	var say verbosity
	recursive, reference, modeText := false, "", ""
	// A mode may start with "-": such arguments are taken out before the parse.
	arguments := c.Arguments
	var rest []string
	ended := false
	for _, a := range arguments {
		if !ended && a == "--" {
			ended = true
		}
		if !ended && len(a) > 1 && a[0] == '-' && strings.IndexByte("rwxXstugoa,+=0124567", a[1]) >= 0 {
			if modeText != "" {
				modeText += ","
			}
			modeText += a
			continue
		}
		rest = append(rest, a)
	}
	minus := modeText != ""
	c.Arguments = rest
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c':
			say.changes = true
		case 'f':
			say.silent = true
		case 'v':
			say.all = true
		case 'R':
			recursive = true
		case keyReference:
			reference = p.Value
		}
		return nil
	})
	if err != nil {
		return err
	}
	var changes filemode.Changes
	switch {
	case reference != "":
		info, err := c.View().Stat(c.ctx, reference)
		if err != nil {
			return c.fatalf("failed to get attributes of %s: %s", quoteName(reference), vfs.Words(err))
		}
		changes = filemode.Absolute(filemode.Bits(info.Mode()))
	default:
		if !minus {
			if len(operands) == 0 {
				return c.usageErrorf("missing operand")
			}
			modeText, operands = operands[0], operands[1:]
		}
		if len(operands) == 0 {
			return c.usageErrorf("missing operand after %s", quote(modeText))
		}
		var ok bool
		if changes, ok = filemode.Compile(modeText); !ok {
			return c.usageErrorf("invalid mode: %s", quote(modeText))
		}
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing operand")
	}
	for _, name := range operands {
		if !recursive {
			if err := c.chmodOne(name, changes, say, minus, true); err != nil {
				return err
			}
			continue
		}
		err := walk.Walk(c.ctx, c.View(), name, walk.Options{Links: walk.CommandLine}, func(e *walk.Entry) error {
			switch e.Kind {
			case walk.Unreadable:
				if !say.silent {
					c.errorf("cannot read directory %s: %s", quoteName(e.Path), vfs.Words(e.Err))
				}
				c.status = 1
				return nil
			case walk.Pre, walk.Missing:
				if e.Depth > 0 && e.Type&fs.ModeSymlink != 0 {
					return nil
				}
				return c.chmodOne(e.Path, changes, say, minus, e.Depth == 0)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *call) chmodOne(name string, changes filemode.Changes, say verbosity, minus, root bool) error {
	info, err := c.View().Stat(c.ctx, name)
	if err != nil {
		if c.ends(err) {
			return err
		}
		c.status = 1
		if !say.silent {
			if link, e := c.View().Lstat(c.ctx, name); e == nil && link.Mode()&fs.ModeSymlink != 0 && root {
				c.errorf("cannot operate on dangling symlink %s", quoteName(name))
			} else {
				c.errorf("cannot access %s: %s", quoteName(name), vfs.Words(err))
			}
		}
		if say.all {
			fmt.Fprintf(c.out, "%s could not be accessed\n", quoteName(name))
		}
		return nil
	}
	old := filemode.Bits(info.Mode())
	bits := changes.Adjust(old, info.IsDir(), filemode.Bits(c.View().Umask()))
	if err := c.View().Chmod(c.ctx, name, filemode.Mode(bits)); err != nil {
		if c.ends(err) {
			return err
		}
		c.status = 1
		if !say.silent {
			c.errorf("changing permissions of %s: %s", quoteName(name), vfs.Words(err))
		}
		if say.all {
			fmt.Fprintf(c.out, "failed to change mode of %s from %s to %s\n", quoteName(name), modeWords(old), modeWords(bits))
		}
		return nil
	}
	switch {
	case old != bits && (say.all || say.changes):
		fmt.Fprintf(c.out, "mode of %s changed from %s to %s\n", quoteName(name), modeWords(old), modeWords(bits))
	case old == bits && say.all:
		fmt.Fprintf(c.out, "mode of %s retained as %s\n", quoteName(name), modeWords(bits))
	}
	if minus {
		// A mode such as -w leaves what the umask holds back; chmod says so.
		if plain := changes.Adjust(old, info.IsDir(), 0); plain != bits {
			c.errorf("%s: new permissions are %s, not %s", quoteFile(name), filemode.String(filemode.Mode(bits))[1:], filemode.String(filemode.Mode(plain))[1:])
		}
	}
	return nil
}

// modeWords is a mode as chmod -v shows it.
func modeWords(bits uint32) string {
	return fmt.Sprintf("%04o (%s)", bits, filemode.String(filemode.Mode(bits))[1:])
}

func init() {
	register(program{
		name:    "chmod",
		summary: "change modes (-R -v -c -f --reference)",
		usage: `chmod [OPTION]... MODE[,MODE]... FILE...
       chmod [OPTION]... --reference=RFILE FILE...
Change each file's mode to MODE: octal, or [ugoa]*([-+=]([rwxXst]*|[ugo]))+.

  -c, --changes          report each change
  -f, --silent, --quiet  no error messages
  -v, --verbose          report every file
  -R, --recursive        directories with what is in them
      --reference=RFILE  RFILE's mode instead of MODE
      --preserve-root, --no-preserve-root  accepted`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'c', Long: "changes"}, {Key: 'f', Long: "silent"}, {Key: 'f', Long: "quiet"}, {Key: 'v', Long: "verbose"}, {Key: 'R', Long: "recursive"},
			{Key: keyReference, Long: "reference", Argument: getopt.Required}, {Key: keyPreserveRoot, Long: "preserve-root"}, {Key: keyNoPreserveRoot, Long: "no-preserve-root"},
		}},
		run: chmodRun,
	})
}
