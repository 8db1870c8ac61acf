// Package sed compiles and runs sed scripts as GNU sed 4.9 does.
package sed

import (
	"fmt"

	"github.com/vsh-project/vsh/internal/regex"
)

// Options are what the command line sets for a whole run.
type Options struct {
	Quiet      bool // -n
	Extended   bool // -E
	Separate   bool // -s, and implied by InPlace
	NullData   bool // -z
	POSIX      bool // --posix or POSIXLY_CORRECT
	Sandbox    bool
	Unbuffered bool // -u
	Bytes      bool // the C locale
	LineLength int  // -l, 70 unless set
	InPlace    bool
	Suffix     string // of the backup, "" for none
	Follow     bool   // --follow-symlinks
	Debug      bool
}

// Error ends a run: Text stands behind "sed: ".
type Error struct {
	Text   string
	Status int
}

func (e *Error) Error() string { return e.Text }

const (
	statusUsage = 1
	statusInput = 2
	statusPanic = 4
)

type addressKind uint8

const (
	addressNone     addressKind = iota
	addressLine                 // first
	addressStep                 // first~step
	addressLast                 // $
	addressRegex                // /re/
	addressPlus                 // second only: +N
	addressMultiple             // second only: ~N
)

type address struct {
	kind    addressKind
	number  int64
	step    int64
	matcher *matcher // nil: the last one used
}

type rangeState uint8

const (
	rangeInactive rangeState = iota
	rangeActive
	rangeClosed
)

// command is one command with its addresses.
type command struct {
	first, second address
	negated       bool
	name          byte
	text          []byte // a i c
	number        int64  // l q Q: the argument, -1 when absent
	label         string
	target        int // b t T: index to go on at; {: behind its }
	file          *output
	input         *lineSource // R
	fileName      string      // r R w W
	substitution  *substitution
	mapping       map[rune][]byte // y
	from, to      string          // y, as it was read
	bytes         *[256]byte      // y where only ASCII is mapped

	// The state of the command's range, part of one run.
	state rangeState
	end   int64
}

// Script is a compiled script. It belongs to one run.
type Script struct {
	options  *Options
	commands []command
	count    int // -e expressions
	labels   map[string]int
	outputs  map[string]*output
	sources  map[string]*lineSource
}

// matcher is a compiled expression; an empty one stands for the last used.
type matcher struct {
	regex             *regex.Matcher
	finder            *regex.Finder
	text              string
	ignoreCase, lines bool
}

func usageError(format string, args ...any) error {
	return &Error{Text: fmt.Sprintf(format, args...), Status: statusUsage}
}
