//go:build !unix

package external

import (
	"os"
	"syscall"
)

func processAttributes() *syscall.SysProcAttr { return nil }

func descriptorPath(_ *os.File, host string) string { return host }

func executable(os.FileInfo) bool { return true }

// terminateGroup and killGroup end the program alone: there are no groups.
func terminateGroup(p *os.Process) { p.Kill() }

func killGroup(p *os.Process) { p.Kill() }

func killHolders(...*os.File) {}

func exitStatus(state *os.ProcessState) int { return state.ExitCode() }
