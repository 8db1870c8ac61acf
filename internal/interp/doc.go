// Package interp evaluates bash 5.2 scripts over mvdan.cc/sh's syntax tree:
// virtual processes, variables, descriptors, jobs and traps, inside one Go
// process and over a vfs.View. It knows no command but the shell builtins;
// others are reached through Config.
//
// How the files hang together:
//
//   - A Session lasts between runs; a proc is one virtual process (the main
//     shell, a subshell, a pipeline stage, a job, a command substitution).
//     Only its own goroutine touches a proc, but for the attention word and
//     the kill channel.
//   - compile*.go turn a tree into nodes once; node.run(p) leaves the exit
//     status in p.status and may leave p.flow other than flowNone, upon which
//     every caller unwinds. There is no other way out of a node: no panics, no
//     errors.
//   - expand*.go, param*.go, brace.go, glob.go prepare and expand words:
//     compiler.word, word.fields (all expansions), word.text (no splitting, no
//     globs), word.value (text with the tildes of an assignment), word.pattern
//     (quoted parts escaped), compiler.document (here-document bodies),
//     compiler.arithmetic and arithmetic.eval, compiler.subscript. Each returns
//     ok=false when it failed: the message is out and p.flow is set already.
//   - cond.go prepares [[ ]]: compiler.cond.
//   - Variables: proc.get/value/find/resolve read; proc.set/assign/assignElement/
//     assignIndex/assignArray/unsetVariable/unsetElement write, check readonly,
//     apply attributes and report; they never set p.flow but through arithmetic
//     or the budget, the caller decides what a refusal aborts (p.abort(1) for an
//     expansion such as ${x:=v}). proc.own before changing a variable's fields;
//     proc.hide(f, s) makes a local in frame f, proc.global and putGlobal are declare -g.
//   - Commands inside words: proc.substitute ($( )), proc.substituteProcess.
//     text is run by proc.evaluateText (eval, traps) or proc.runSource (source).
//     proc.call runs a command whose words are expanded (command, builtin).
//   - Files: proc.files.get(fd) is an openFile with read, write, peek, discard;
//     proc.open opens a path. p.ctx goes into every View call.
//   - builtin_*.go hold the builtins; a builtin is one entry in the table that
//     builtin.go describes. print*.go are bash's form of a tree (declare -f).
//   - Everything whose size a script decides goes through proc.charge (kept
//     data) or proc.scratch (given back at the end of the simple command)
//     before it is made; both report and end the script when they refuse.
//   - Long work calls proc.stopped once a block; true means unwind at once.
//
// Memory is shared, not copied, when a proc forks: see proc.epoch, table.
package interp
