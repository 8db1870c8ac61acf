//go:build unix && !linux

package external

import (
	"os"
	"syscall"
)

// processAttributes put the program in a group of its own. There is no
// parent-death signal here: a program outlives a host that is killed.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// descriptorPath is the directory's name: between the check and the start
// somebody with access to the host may put another in its place.
func descriptorPath(_ *os.File, host string) string { return host }

// killHolders finds nobody: a grandchild that left the group stays.
func killHolders(...*os.File) {}
