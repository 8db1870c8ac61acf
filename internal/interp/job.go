package interp

import (
	"slices"
	"sync/atomic"

	"mvdan.cc/sh/v3/syntax"
)

// job is a background command, a coprocess or a process substitution. Its
// fields but done are the owning proc's; status and killed may be read once
// done is closed.
type job struct {
	number int
	pid    int
	// tree and source print the command.
	tree   *syntax.Stmt
	source *compiler
	// done is closed when the job has ended; status is its exit status, killed
	// the signal that ended it.
	done           chan struct{}
	status, killed int
	// noticed says that the process knows of the end, reported that it has told
	// of it. The process's children hold the job too, hence the atomics.
	noticed, reported, nohup atomic.Bool
	// controlled says that set -m was on when it started.
	controlled bool
	// hidden marks process substitutions, which jobs does not list.
	hidden bool
	coproc *coprocEnds
}

// ended reports whether the job is over.
func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// jobTable is what a process knows of its background jobs.
type jobTable struct {
	list []*job
	// past are the exit statuses of jobs that left the list, by pid.
	past map[int]int
	// told is the job that wait -n has told of last: it does not tell twice.
	told int
	// foreign says that the list is the parent's: jobs shows it, wait does not
	// know it.
	foreign bool
	// substitutions are the process substitutions still to be joined or waited for.
	substitutions []*job
}

// fork is the table of a subshell: it can list its parent's jobs, no more.
func (t *jobTable) fork() jobTable {
	return jobTable{list: slices.Clone(t.list), foreign: true}
}

// add enters a job with the next number.
func (t *jobTable) add(j *job) {
	if t.foreign {
		t.list, t.foreign = nil, false
	}
	j.number = 1
	if n := len(t.list); n > 0 {
		j.number = t.list[n-1].number + 1
	}
	t.list = append(t.list, j)
}

// byPID is the job with that process, nil for none.
func (t *jobTable) byPID(pid int) *job {
	for _, j := range t.list {
		if j.pid == pid && !t.foreign {
			return j
		}
	}
	return nil
}

// maxPast bounds the statuses remembered.
const maxPast = 4096

// remove takes a job off the list and keeps its status for wait.
func (t *jobTable) remove(j *job) {
	t.list = slices.DeleteFunc(t.list, func(k *job) bool { return k == j })
	if t.past == nil || len(t.past) >= maxPast {
		t.past = map[int]int{}
	}
	t.past[j.pid] = j.status
}
