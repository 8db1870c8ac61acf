package interp

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/vfs"
)

// Config is what an embedder decides about a session. Zero values of limits
// mean the defaults.
type Config struct {
	// View is the filesystem, from the starting directory. Required.
	View *vfs.View
	// Host is the host name; who the user is says View.Identity.
	Host string
	// Environment holds the variables a session starts with, all exported.
	Environment []string
	// Now is the clock; nil is time.Now. Random never runs dry; nil is
	// crypto/rand.
	Now    func() time.Time
	Random io.Reader
	// Budget is the session's memory; nil is unlimited.
	Budget *budget.Budget
	// Command gives the registered command that is the file at path, an
	// absolute name that the PATH search or the script itself came up with,
	// e.g. /usr/bin/ls. nil when that file is none.
	Command func(path string) Command
	// ReservedNames lists the registered commands (compgen -c).
	CommandNames func() []string

	MaxSource      int           // bytes of one source: 1 MiB
	MaxNesting     int           // nesting of a source: 1,000
	MaxDepth       int           // calls, substitutions and subshells inside one another: 10,000
	MaxDescriptors int           // open descriptors of one process: 1,024
	MaxProcesses   int           // live virtual processes: 8,192
	Grace          time.Duration // what jobs get at the script's end: 500 ms
}

// Command runs one call of a registered command and returns its exit status.
// It must not panic; messages about errors are its own. Every call has its own
// goroutine, since foreign code may ignore ctx.
type Command func(ctx context.Context, call *Call) int

// Call is one call of a registered command.
type Call struct {
	// Name is what the script typed; Path where it was found.
	Name, Path  string
	Arguments   []string
	Environment []string
	Stdin       io.Reader
	Stdout      io.Writer
	Stderr      io.Writer
	View        *vfs.View
	// Process is the virtual process that the call is.
	Process *Process
}

// RunOptions describe one run.
type RunOptions struct {
	// Script is the source. With FromStdin it is read from Stdin instead, as
	// bash does without operands.
	Script    string
	FromStdin bool
	// Command says that Script came with -c: messages then name no file, and
	// syntax errors say "-c".
	Command bool
	// Name is $0; "bash" when empty. Messages start with it.
	Name string
	// File is the path of the script file, "" for -c and stdin.
	File      string
	Arguments []string
	// Environment adds exported variables, and Directory replaces the working
	// directory, for this run only.
	Environment []string
	Directory   string
	Stdin       io.Reader
	Stdout      io.Writer
	Stderr      io.Writer
	// Options are single-letter and long options to set, e.g. "-e", "-o",
	// "pipefail", "+h", "-O", "extglob".
	Options []string
	// Over is called once the run is over while calls of it still go on.
	Over func()
}

// Session is one shell. Its runs must not overlap.
type Session struct {
	config  Config
	symbols symbols
	// epochs and pids number forks and processes.
	epochs atomic.Uint64
	pids   atomic.Int64
	// builtins by name; read only after NewSession.
	builtins map[string]*builtin
	started  time.Time
	// saved is the state of the main shell between runs, baseline what a new
	// shell starts from.
	saved, baseline state
	current         atomic.Pointer[run]
	stuckCalls
}

// symbols interns variable names. Ids are never given back; each is charged.
type symbols struct {
	mu    sync.RWMutex
	ids   map[string]symbol
	names []string
}

// symbol interns name.
func (s *Session) symbol(name string) symbol {
	s.symbols.mu.RLock()
	id, ok := s.symbols.ids[name]
	s.symbols.mu.RUnlock()
	if ok {
		return id
	}
	s.symbols.mu.Lock()
	defer s.symbols.mu.Unlock()
	if id, ok = s.symbols.ids[name]; ok {
		return id
	}
	id = symbol(len(s.symbols.names))
	s.symbols.ids[name] = id
	s.symbols.names = append(s.symbols.names, name)
	return id
}

// known is the symbol of a name if it has one already: looking up a variable
// that nobody ever made must not grow the table.
func (s *Session) known(name string) (symbol, bool) {
	s.symbols.mu.RLock()
	id, ok := s.symbols.ids[name]
	s.symbols.mu.RUnlock()
	return id, ok
}

// name is the text of a symbol.
func (s *Session) name(id symbol) string {
	s.symbols.mu.RLock()
	n := s.symbols.names[id]
	s.symbols.mu.RUnlock()
	return n
}
