package external

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// processAttributes put the program in a session of its own, and end it when
// this process dies.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// waitUntilEnded returns when the program has ended and leaves it to be reaped.
func waitUntilEnded(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// stray is a process of the program's that has left its group. The id alone
// may be another's a moment later.
type stray struct {
	pid     int
	started string
}

// findStrays adds to known the living descendants of a program, and of those
// known, that are outside the program's group. Whose parent has ended first is
// nobody's descendant any more.
func findStrays(program int, known []stray) []stray {
	type process struct {
		stray
		group int
	}
	children := map[int][]process{}
	for _, pid := range processes() {
		if parent, group, started, ok := processStat(pid); ok {
			children[parent] = append(children[parent], process{stray{pid, started}, group})
		}
	}
	roots, seen := []int{program}, map[int]bool{program: true}
	for _, k := range known {
		roots, seen[k.pid] = append(roots, k.pid), true
	}
	for len(roots) > 0 {
		next := children[roots[0]]
		roots = roots[1:]
		for _, c := range next {
			if seen[c.pid] {
				continue
			}
			seen[c.pid] = true
			roots = append(roots, c.pid)
			if c.group != program {
				known = append(known, c.stray)
			}
		}
	}
	return known
}

// signalStrays sends TERM or KILL to those that still are who they were.
func signalStrays(strays []stray, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	for _, s := range strays {
		if _, _, started, ok := processStat(s.pid); ok && started == s.started {
			syscall.Kill(s.pid, signal)
		}
	}
}

// processes are the ids of all that this process can see, but for its own.
func processes() []int {
	f, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil
	}
	var list []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			list = append(list, pid)
		}
	}
	return list
}

// processStat reads proc(5)'s stat: the name in parentheses may hold anything.
func processStat(pid int) (parent, group int, started string, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, "", false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 20 {
		return 0, 0, "", false
	}
	parent, err1 := strconv.Atoi(fields[1])
	group, err2 := strconv.Atoi(fields[2])
	return parent, group, fields[19], err1 == nil && err2 == nil
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
	// A program that another goroutine is about to start holds all our
	// descriptors until it is executed.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for _, pid := range processes() {
		directory := "/proc/" + strconv.Itoa(pid) + "/fd"
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
