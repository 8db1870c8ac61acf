//go:build unix && !linux

package external

import (
	"os"
	"os/exec"
	"syscall"
)

// processAttributes put the program in a session of its own. There is no
// parent-death signal here: a program outlives a host that is killed.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// waitUntilEnded reaps the program: what is left of its group is signalled by
// an id that could be another's by then.
func waitUntilEnded(cmd *exec.Cmd) { cmd.Wait() }

type stray struct{}

// findStrays finds nobody, and so does killHolders: who left the group stays.
func findStrays(int, []stray) []stray { return nil }

func signalStrays([]stray, bool) {}

// descriptorPath is the directory's name: between the check and the start
// somebody with access to the host may put another in its place.
func descriptorPath(_ *os.File, host string) string { return host }

func killHolders(...*os.File) {}
