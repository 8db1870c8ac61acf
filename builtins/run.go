package builtins

import (
	"context"
	"strings"

	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// Statuses of programs that run another one.
const (
	statusCannotInvoke = 126
	statusNotFound     = 127
)

// findProgram looks for what execvp would run: ENOENT where there is nothing,
// EACCES for what cannot be executed.
func (c *call) findProgram(view *vfs.View, name string, environment []string) error {
	if !strings.Contains(name, "/") {
		if name == "" {
			return vfs.ENOENT
		}
		_, err := c.Host().LookPath(c.ctx, name, environment)
		return err
	}
	info, err := view.Stat(c.ctx, name)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return vfs.EACCES
	}
	return view.Access(c.ctx, name, vfs.AccessExecute)
}

// runProgram runs a command of the shell in the place of this one and returns
// its status, with a SignalError where a signal has ended it. complain prints the line for one that cannot be run.
func (c *call) runProgram(ctx context.Context, request *command.Exec, complain func(cause string)) (uint8, error) {
	view := c.View()
	if request.Directory != "" {
		view = view.WithDirectory(view.Abs(request.Directory))
	}
	environment := request.Environment
	if environment == nil {
		environment = c.Environment
	}
	if err := c.findProgram(view, request.Arguments[0], environment); err != nil {
		complain(vfs.Words(err))
		if vfs.Errno(err) == vfs.ENOENT {
			return statusNotFound, nil
		}
		return statusCannotInvoke, nil
	}
	if err := c.out.Flush(); err != nil {
		return 0, err
	}
	killedBy := 0
	request.Killed = func(signal int) { killedBy = signal }
	status, err := c.Host().Exec(ctx, request)
	if err == nil && killedBy != 0 {
		err = command.SignalError(killedBy)
	}
	return uint8(status), err
}

// endWith makes a program's status the run's own.
func endWith(status uint8, err error) error {
	if err != nil {
		return err
	}
	return exitWith(status)
}

// signals are the names of the signals of Linux by number, without SIG.
var signals = [...]string{
	"EXIT", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT",
	"CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS",
}

// signalNumber reads a signal's name, with or without SIG, or its number.
func signalNumber(s string) (int, bool) {
	if n, status := parseNumber(s, ""); status == numberOK && seqDigits(s) {
		return int(n & 0x7f), n < 255 && n&0x7f <= 64
	}
	name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	for i, known := range signals {
		if known == name {
			return i, true
		}
	}
	switch name {
	case "IO":
		return 29, true
	case "CLD":
		return 17, true
	case "IOT":
		return 6, true
	}
	return 0, false
}
