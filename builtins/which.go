package builtins

import (
	"io"
	"strings"

	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// whichRun is Debian's which: a shell script with its own options.
func whichRun(c *call) error {
	all := false
	args := c.Arguments
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		word := args[0]
		args = args[1:]
		if word == "--" {
			break
		}
		for _, letter := range word[1:] {
			switch letter {
			case 'a':
				all = true
			default:
				io.WriteString(c.Stderr, "Illegal option -"+string(letter)+"\n")
				c.out.WriteString("Usage: /usr/bin/which [-a] args\n")
				return command.ExitError(2)
			}
		}
	}
	if len(args) == 0 {
		c.status = 1
	}
	list, _ := c.Getenv("PATH")
	for _, name := range args {
		if name == "" || !c.which(name, list, all) {
			c.status = 1
		}
	}
	return nil
}

func (c *call) which(name, list string, all bool) bool {
	directories := strings.Split(list, ":")
	if strings.Contains(name, "/") {
		directories = []string{""}
	}
	found := false
	for _, directory := range directories {
		path := name
		if !strings.Contains(name, "/") {
			if directory == "" {
				directory = "."
			}
			path = directory + "/" + name
		}
		info, err := c.View().Stat(c.ctx, path)
		if err != nil || !info.FileMode.IsRegular() || c.View().Access(c.ctx, path, vfs.AccessExecute) != nil {
			continue
		}
		c.out.WriteString(path + "\n")
		if found = true; !all {
			break
		}
	}
	return found
}

func whichProgram(string) *program {
	return &program{
		usage:  "which [-a] NAME...\nPrint the path of each command; -a: of all that PATH finds.",
		noHelp: true,
		run:    whichRun,
	}
}
