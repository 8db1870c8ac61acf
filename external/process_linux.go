package external

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// processAttributes put the program in a group of its own, and end it when
// this process dies.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// descriptorPath names an open directory by its descriptor, so that no other
// can take its place before the program starts there.
func descriptorPath(f *os.File, _ string) string {
	return "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
}

// killHolders ends the processes that hold the other end of our pipes: a
// grandchild that left the group, by setsid, is found so.
func killHolders(pipes ...*os.File) {
	wanted := map[string]bool{}
	for _, f := range pipes {
		var st unix.Stat_t
		conn, err := f.SyscallConn()
		if err != nil {
			continue
		}
		conn.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &st) })
		if err == nil {
			wanted["pipe:["+strconv.FormatUint(st.Ino, 10)+"]"] = true
		}
	}
	if len(wanted) == 0 {
		return
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	self := os.Getpid()
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == self {
			continue
		}
		directory := "/proc/" + e.Name() + "/fd"
		descriptors, err := os.ReadDir(directory)
		if err != nil {
			continue
		}
		for _, d := range descriptors {
			target, err := os.Readlink(directory + "/" + d.Name())
			if err == nil && strings.HasPrefix(target, "pipe:") && wanted[target] {
				syscall.Kill(pid, syscall.SIGKILL)
				break
			}
		}
	}
}
