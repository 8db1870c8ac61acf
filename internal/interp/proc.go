package interp

import (
	"context"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vsh-project/vsh/internal/arith"
	"github.com/vsh-project/vsh/internal/pattern"
	"github.com/vsh-project/vsh/internal/regex"
	"github.com/vsh-project/vsh/vfs"
)

// proc is one virtual process. Only its own goroutine uses it, but for
// attention, pending, wake and cancel.
type proc struct {
	// expressions caches scanned arithmetic; arithmeticDepth is how deep
	// evaluations are inside one another.
	// builders are free for words to borrow; ifs is IFS prepared, patterns the
	// cache of compiled patterns.
	builders        []*builder
	ifs             *splitting
	patterns        map[patternKey]*pattern.Pattern
	expressions     map[string]*arith.Expr
	regexps         map[string]*regex.Matcher // of =~; nil for a bad one
	badCondition    bool                      // [[ ]] met a regular expression that is none
	condAborted     bool                      // [[ ]] met an arithmetic error
	arithmeticDepth int

	state
	// attention is not 0 when the proc must look at its signals or stop: the
	// one word that is checked once a statement.
	attention atomic.Uint32
	// pending are the virtual signals that have come, one bit each.
	pending atomic.Uint64
}

// state is what a fork copies.
type state struct {
	session *Session
	run     *run
	parent  *proc
	pid     int
	ppid    int
	// shellPID is $$: the main shell's, also in subshells.
	shellPID int
	// captured is the subshell depth of the $( ) or shell that the process is
	// in: its EXIT trap does not count as a level of set -x.
	captured int
	// exiting is set in the EXIT trap, where a bare exit gives exitStatus.
	exiting    bool
	exitStatus int
	// beforeReturn is the status that return found, which RETURN's trap sees.
	beforeReturn int
	// leaving says how the process came to exit (flowExit).
	leaving leaving
	// subshell is BASH_SUBSHELL.
	subshell int
	// epoch marks what this proc may change in place: variables, pages, arrays
	// and frames that bear it. Both sides of a fork get a new one. What bears
	// an epoch up to born was the parent's.
	epoch, born uint64
	snapshot    *snapshot
	// children are the snapshots others may still hold of this proc; late is
	// the charge of values that they hide from release.
	children []*snapshot
	late     int64
	ctx      context.Context
	// cancel ends ctx: the process is killed, or over.
	cancel context.CancelFunc
	// wake interrupts the wait builtin: a trapped signal or a job's end.
	wake chan struct{}

	status int
	flow   flow
	// levels is how many loops flowBreak or flowContinue still leaves.
	levels int
	// line is LINENO: the line of the command being run.
	line int
	// endLine is the last line of the simple command being run: what it evaluates
	// as text counts from there.
	endLine int
	// command is the simple command being run, for BASH_COMMAND.
	command commandText

	vars      table
	frame     *frame // innermost function, sourced file or temporary environment
	functions names[*function]
	aliases   names[string]
	hashed    names[hashEntry]
	traps     traps
	// maskedTraps are the pseudo-signals that the running function does not
	// inherit, one bit each from trapDEBUG.
	maskedTraps uint8
	options     optionSet // set -o
	shopts      shoptSet  // shopt
	view        *vfs.View
	// directories are those below the current one in dirs.
	directories []string
	files       descriptors
	// name is $0; args are $1 …; args is replaced, never changed in place.
	name string
	args []string
	// source is the file that runs: the innermost entry of BASH_SOURCE outside
	// functions.
	source string
	// argv is the bottom of BASH_ARGV once it was noted; argsSet says that set
	// has given the positional parameters anew.
	argv    []string
	noted   bool
	argsSet bool
	// pipeStatus is PIPESTATUS; replaced, never changed in place.
	pipeStatus []int
	// pipeOne is PIPESTATUS's only element when pipeStatus is nil.
	pipeOne int
	lastJob int // $!, 0 for none
	jobs    jobTable
	// random and lastRandom are RANDOM's state; secondsFrom and secondsBase
	// that of SECONDS; getopts is the place inside a clustered option.
	random, lastRandom uint32
	secondsFrom        time.Time
	secondsBase        int64
	getopts            int
	// loops counts the loops around the current command in this function.
	loops int
	// depth counts calls, substitutions and subshells inside one another,
	// over all ancestors.
	depth int
	// tested counts the enclosing contexts in which set -e is ignored.
	tested int
	// trapping counts the traps being run; debugging is set inside a DEBUG trap.
	trapping int
	// substituted is the status of the last $( ) of the current command, or -1.
	substituted int
	// sole says that the process has nothing to do but the program it is about to
	// run, which takes its place: the same process id, the same signals.
	sole bool
	// death is what is to be told of the command that has just run.
	death death
	// killedBy is the signal that has ended the process.
	killedBy int
	// limits are what ulimit has set, by "S" or "H" and the letter; completions
	// what complete has.
	limits      names[int64]
	completions names[*completion]
	history     history
	// disabled are the builtins that enable -n hides.
	disabled names[bool]
	// strangers came in the environment with names that no variable has.
	strangers []string
	// undo is what the redirections of the builtin being called would restore:
	// exec keeps them by emptying it.
	undo *undoList
	// endsPosix is the status that the running builtin, if it is a special one,
	// ends a POSIX shell with; 0 for none.
	endsPosix int
	// builtinName is the builtin that runs, for messages about what it assigns.
	builtinName string
	// abandoned says that flowAbort gives up evals and sourced files as well.
	abandoned bool
	// tracesArrays asks assignArray to trace: a declaration runs under set -x.
	tracesArrays bool
	// traced, when a pipeline waits for its stage's first line of set -x, is
	// where that is told; shared with the stage's own children.
	traced *firstTrace
	// traceLevel is how often PS4's first character is repeated besides one.
	traceLevel int
	// baseSubshell is the subshell depth at which the current shell's own lines
	// run: a failed expansion there gives up one line only.
	baseSubshell int
	// shellMode is 'c', 's' or 0 for a shell that a program call started.
	shellMode byte
	// asProgram says that a builtin runs as the program of its name.
	asProgram bool
	// execMu keeps two commands of one call from forking at once.
	execMu *sync.Mutex
	// opened are the process substitutions of the current command.
	opened []int
	// out is what a builtin has written and not yet flushed; outError why that
	// failed.
	out      []byte
	outError error
	// unheeded: nobody asks whether the builtin's output could be written, or
	// a failure is told but is no status.
	unheeded, toldOnly bool
	// credit is what the proc may still use of the slab it took from the budget;
	// held is what it has charged and not yet given back, scratched the part of
	// it that the current simple command gives back.
	credit, held, scratched int64
}

// newPID numbers processes.
func (s *Session) newPID() int { return int(s.pids.Add(1)) }

// names is a map that processes share until one writes.
type names[T any] struct {
	epoch   uint64
	entries map[string]T
}

func (n *names[T]) get(name string) (T, bool) { v, ok := n.entries[name]; return v, ok }

// writable is the map, made the proc's own.
func (n *names[T]) writable(p *proc) map[string]T {
	if n.epoch != p.epoch || n.entries == nil {
		m := make(map[string]T, len(n.entries)+1)
		for k, v := range n.entries {
			m[k] = v
		}
		n.entries, n.epoch = m, p.epoch
	}
	return n.entries
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// function is a shell function.
type function struct {
	name string
	body node
	// tree and source are for printing; line is where the definition stands.
	tree   *functionTree
	source string
	line   int
	// cost is what the budget holds for the tree.
	cost int64
	// exported, readonly and traced are declare -f's -x, -r and -t.
	exported, readonly, traced bool
}

// hashEntry is a remembered command.
type hashEntry struct {
	path string
	hits int
}
