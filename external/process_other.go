//go:build !unix

package external

import (
	"os"
	"os/exec"
	"syscall"
)

func processAttributes() *syscall.SysProcAttr { return nil }

func descriptorPath(_ *os.File, host string) string { return host }

func executable(os.FileInfo) bool { return true }

// terminateGroup and killGroup end the program alone: there are no groups.
func terminateGroup(p *os.Process) { p.Kill() }

func killGroup(p *os.Process) { p.Kill() }

func waitUntilEnded(cmd *exec.Cmd) { cmd.Wait() }

type stray struct{}

func findStrays(int, []stray) []stray { return nil }

func signalStrays([]stray, bool) {}

func killHolders(...*os.File) {}

// exitStatus keeps a failure one: codes here have 32 bits.
func exitStatus(state *os.ProcessState) int {
	if code := state.ExitCode(); code >= 0 && code <= 255 {
		return code
	}
	return statusUnknown
}
