package builtins

import (
	"io/fs"
	"strings"

	"github.com/vsh-project/vsh/internal/testexpr"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

func testRun(c *call) error {
	args, bracket := c.Arguments, ""
	if c.program.name == "[" {
		if len(args) == 1 && (args[0] == "--help" || args[0] == "--version") {
			_, err := c.parse(nil)
			return err
		}
		if len(args) == 0 || args[len(args)-1] != "]" {
			return c.fatalf("missing %s", quote("]"))
		}
		bracket, args = "]", args[:len(args)-1]
	}
	value, err := testexpr.Eval(args, bracket, true, quote, testFiles{c})
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case err != nil:
		return c.fatalf("%s", err)
	case value:
		return nil
	}
	return command.ExitError(1)
}

// testFiles answers what an expression asks of files.
type testFiles struct{ *call }

func (t testFiles) Stopped() bool { return t.ctx.Err() != nil }

func (t testFiles) Unary(op byte, name string) bool {
	if op == 't' || name == "" {
		return false // no descriptor is a terminal
	}
	if op == 'h' || op == 'L' {
		info, err := t.View().Lstat(t.ctx, name)
		return err == nil && info.FileMode&fs.ModeSymlink != 0
	}
	info, err := t.View().Stat(t.ctx, name)
	if err != nil {
		return false
	}
	mode := info.FileMode
	switch op {
	case 'b':
		return mode&fs.ModeDevice != 0 && mode&fs.ModeCharDevice == 0
	case 'c':
		return mode&fs.ModeCharDevice != 0
	case 'd':
		return mode.IsDir()
	case 'f':
		return mode.IsRegular()
	case 'p':
		return mode&fs.ModeNamedPipe != 0
	case 'S':
		return mode&fs.ModeSocket != 0
	case 's':
		return info.Bytes > 0
	case 'u':
		return mode&fs.ModeSetuid != 0
	case 'g':
		return mode&fs.ModeSetgid != 0
	case 'k':
		return mode&fs.ModeSticky != 0
	case 'r':
		return t.View().Access(t.ctx, name, vfs.AccessRead) == nil
	case 'w':
		return t.View().Access(t.ctx, name, vfs.AccessWrite) == nil
	case 'x':
		return t.View().Access(t.ctx, name, vfs.AccessExecute) == nil
	case 'O':
		return info.UID == t.View().Identity().UID
	case 'G':
		return info.GID == t.View().Identity().GID
	case 'N':
		return info.Modified.After(info.Accessed)
	}
	return true // -e
}

func (t testFiles) Files(op, left, right string) bool {
	a, errA := t.View().Stat(t.ctx, left)
	b, errB := t.View().Stat(t.ctx, right)
	switch strings.TrimPrefix(op, "-") {
	case "nt":
		return errA == nil && (errB != nil || a.Modified.After(b.Modified))
	case "ot":
		return errB == nil && (errA != nil || a.Modified.Before(b.Modified))
	}
	return errA == nil && errB == nil && vfs.SameFile(a, b)
}

func testProgram(string) *program {
	return &program{
		trouble: 2, run: testRun,
		usage: `test EXPRESSION
   or: [ EXPRESSION ]
Exit with 0 when EXPRESSION is true, with 1 when it is false.

  ( E )   ! E   E1 -a E2   E1 -o E2
  -n S, S (not empty)   -z S (empty)   S1 = S2   S1 != S2
  N1 -eq N2, and -ne -lt -le -gt -ge
  F1 -nt F2 (newer)   F1 -ot F2 (older)   F1 -ef F2 (the same file)
  -e F (exists), and -b -c -d -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x`,
	}
}
