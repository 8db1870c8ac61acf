// Package parse is the front end of the evaluator: it reads a script one
// complete line of commands at a time, as bash does, and yields mvdan.cc/sh's
// trees.
//
// A scanner of bash's own grammar goes over the source first. It expands
// aliases, finds the token that bash would complain about, bounds the nesting,
// and rewrites what mvdan's parser refuses or reads otherwise than bash. What
// the evaluator then finds in the trees, beyond mvdan's own documentation:
//
//   - Literals (Lit.Value, SglQuoted.Value, heredoc bodies) hold reserved runes
//     for bytes: Unmap turns them back. It is to be called after backslashes
//     were taken out. A byte that stands behind such a rune is unquoted if its
//     literal is, and never a backslash or quote with a meaning.
//   - There is no ExtGlob node: @(a|$x) is an ordinary word whose literals hold
//     the runes of "(", "|" and ")". The same goes for the operand of =~.
//   - Arithmetic is never parsed by mvdan: each ArithmExpr of $(( )), (( )),
//     for (( )), ${x:o:l} is a word that expands, without splitting, to the text
//     of the expression: see Arithmetic. Subscripts: see Subscript.
//   - Backquotes arrive as $( ) with one level of backslashes removed.
//   - There is no LetClause: let is an ordinary command.
//   - Calls may be markers: see Deferred. Parameter expansions may be bad:
//     see BadSubstitution; ${x~p} and ${x~~p}: see CaseToggle.
//   - The number of a line is Line.Base plus node.Pos().Line().
package parse
