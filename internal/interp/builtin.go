package interp

// builtin is one shell builtin. Its run returns the exit status; output goes
// through proc.write (flushed to descriptor 1 after the call, where a closed
// reader ends the process and any other failure is reported), messages through
// proc.errorf, which prefixes "bash: line N: " but not the builtin's name:
//
//	p.errorf("%s: %s: not a valid identifier", "unset", name)
//
// args[0] is the first argument, not the name. Builtins may set p.flow.
type builtin struct {
	name string
	run  func(p *proc, args []string) int
	// declare replaces run for the declaration builtins (declare, typeset,
	// local, export, readonly): their name=value operands are expanded as
	// assignments.
	declare func(p *proc, args []operand) int
	// special marks POSIX's special builtins (". : break continue eval exec
	// exit export readonly return set shift source times trap unset").
	special bool
	// usage is the synopsis that "NAME: usage: SYNOPSIS" shows.
	usage string
}

// operand is one argument of a declaration builtin.
type operand struct {
	// word is the argument as bash would pass it: "-i", "x", "x=1", "a[2]+=v".
	word string
	// assignment says that word was written as an assignment, so that what
	// follows = must not be parsed as (...) again.
	assignment bool
	// array is the right side of a literal name=(…) or name+=(…); word is then
	// "name=" or "name+=".
	array *arrayLiteral
}

// builtinTables are the tables of the builtin_*.go files, joined by
// newSession into one map per session. (Nothing is built at package init.)
var builtinTables = []func() []builtin{}

// usage prints "NAME: usage: SYNOPSIS" and returns 2.
func (p *proc) usage(b *builtin) int {
	p.errorf("%s: usage: %s", b.name, b.usage)
	return 2
}
