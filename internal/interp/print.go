package interp

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/parse"
	"github.com/vsh-project/vsh/internal/quote"
)

// bash's form of a command: declare -f, type, jobs, BASH_COMMAND. The layout
// follows what bash prints, oddities included: where a line's end or a
// semicolon goes depends on whether a here-document has just been printed.

// printer writes trees of one source.
type printer struct {
	b    []byte
	line *parse.Line
	// indentation grows by step inside compound commands; skip suppresses the
	// next so many indentations.
	indentation, step, skip int
	// functions and connections count what encloses the current command.
	functions, connections int
	// deferred are here-documents whose operator is out and whose body comes at
	// the end of the line; wasDocument says that a body has just been printed.
	deferred    []*syntax.Redirect
	wasDocument bool
	// substituted is set inside $( ).
	substituted bool
}

func newPrinter(line *parse.Line) *printer { return &printer{line: line, step: 4} }

// print is the command as bash prints it.
func (c commandText) print() string {
	p := newPrinter(c.text.lines)
	switch c.part {
	case commandWhole:
		p.statement(c.tree)
		p.documents("")
	case commandHead:
		p.head(c.tree)
	default:
		loop := c.tree.Cmd.(*syntax.ForClause).Loop.(*syntax.CStyleLoop)
		x := [...]syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post}[c.part-commandInit]
		p.put("((" + p.loopExpression(x, " \t") + "))")
	}
	return string(p.b)
}

// functionValue is an exported function's value in the environment: "() {…}".
func (p *proc) functionValue(f *function) string {
	q := newPrinter(f.tree.text.lines)
	q.put("() { ")
	q.indentation, q.step = 1, 0
	q.functionBody(f.tree.decl.Body)
	return strings.Replace(string(q.b), "() {  ", "() {  ", 1)
}

// functionText is the function as declare -f prints it, without the newline.
func (p *proc) functionText(f *function) string {
	q := newPrinter(f.tree.text.lines)
	if isKeyword(f.name) {
		q.put("function ")
	}
	q.put(f.name + " () \n{ \n")
	q.indentation = q.step
	q.functionBody(f.tree.decl.Body)
	return string(q.b)
}

// functionBody prints the body of an outermost function, and "}".
func (q *printer) functionBody(s *syntax.Stmt) {
	q.functions++
	redirections := q.bodyCommands(s)
	q.functions--
	q.indentation -= max(q.step, q.indentation)
	q.closeFunction(redirections)
}

// bodyCommands prints what stands inside the braces and gives the redirections
// that belong behind them.
func (q *printer) bodyCommands(s *syntax.Stmt) []*syntax.Redirect {
	if b, ok := s.Cmd.(*syntax.Block); ok && !s.Negated {
		q.list(b.Stmts)
		q.documents("")
		return s.Redirs
	}
	q.statement(s)
	q.documents("")
	return nil
}

func (q *printer) closeFunction(redirections []*syntax.Redirect) {
	if len(redirections) == 0 {
		q.newline("}")
		return
	}
	q.newline("} ")
	q.redirections(redirections)
}

func (q *printer) put(s string) { q.b = append(q.b, s...) }

func (q *printer) indent() {
	for range q.indentation {
		q.b = append(q.b, ' ')
	}
}

// newline starts a line, with text.
func (q *printer) newline(text string) {
	q.put("\n")
	q.indent()
	q.put(text)
}

// semicolon ends a command, unless "&" or a body has.
func (q *printer) semicolon() {
	if n := len(q.b); n > 0 && (q.b[n-1] == '&' || q.b[n-1] == '\n') {
		return
	}
	q.put(";")
}

// source is the text of a node.
func (q *printer) source(n syntax.Node) string { return q.line.Text(n) }

// list prints statements that follow one another.
func (q *printer) list(stmts []*syntax.Stmt) {
	connected := len(stmts) > 1 || len(stmts) == 1 && stmts[0].Background
	if connected {
		q.connections++
	}
	for i, s := range stmts {
		q.statement(s)
		last := i == len(stmts)-1
		switch {
		case s.Background:
			q.connector(" &")
			if !last {
				q.put(" ")
				q.skip++
			}
		case !last:
			if i > 0 {
				q.documents("")
			}
			q.endOfCommand(s)
		}
	}
	if connected {
		q.documents("")
		q.connections--
	}
}

// endOfCommand is the ";" between s and the next command. In a substitution
// bash keeps line ends.
func (q *printer) endOfCommand(s *syntax.Stmt) {
	if q.substituted && !s.Semicolon.IsValid() {
		q.documents("")
		q.put("\n")
		if q.functions > 0 {
			q.put("\n")
		} else {
			q.skip++
		}
		return
	}
	switch {
	case len(q.deferred) > 0:
		q.documents("")
	case q.wasDocument:
		q.wasDocument = false
	default:
		q.put(";")
	}
	if q.functions > 0 {
		q.put("\n")
		return
	}
	q.put(" ")
	q.skip++
}

// connector prints an operator between commands, with the bodies due after it.
func (q *printer) connector(text string) {
	if len(q.deferred) > 0 {
		q.documents(text)
		return
	}
	q.put(text)
}

// documents prints the bodies that are due, after text.
func (q *printer) documents(text string) {
	q.put(text)
	if len(q.deferred) == 0 {
		return
	}
	list := q.deferred
	q.deferred = nil
	q.bodies(list)
	if text != "" {
		q.put(" ")
	}
}

// statement prints a command with its prefixes and redirections.
func (q *printer) statement(s *syntax.Stmt) {
	if s.Cmd != nil {
		if b, ok := s.Cmd.(*syntax.Block); ok && q.line.Inserted(b.Lbrace) && len(b.Stmts) == 1 {
			q.statement(b.Stmts[0])
			return
		}
	}
	if q.skip > 0 {
		q.skip--
	} else {
		q.indent()
	}
	q.prefixed(s)
}

// prefixed prints time and "!", then the command.
func (q *printer) prefixed(s *syntax.Stmt) {
	negated := s.Negated
	if t, ok := s.Cmd.(*syntax.TimeClause); ok {
		q.put("time ")
		if t.PosixFormat {
			q.put("-p ")
		}
		s = t.Stmt
		if s == nil {
			s = &syntax.Stmt{}
		}
		if b, ok := s.Cmd.(*syntax.Block); ok && q.line.Inserted(b.Lbrace) && len(b.Stmts) == 1 {
			s = b.Stmts[0]
		}
		negated = negated || s.Negated
	}
	if negated {
		q.put("! ")
	}
	if _, again := s.Cmd.(*syntax.TimeClause); again {
		q.prefixed(s)
		return
	}
	q.command(s)
}

func (q *printer) command(s *syntax.Stmt) {
	switch x := s.Cmd.(type) {
	case nil:
		q.simple(nil, s.Redirs)
		return
	case *syntax.CallExpr:
		kind, _ := parse.Deferred(x)
		switch {
		case kind == parse.Nothing:
		case kind != parse.NotDeferred:
			q.put(q.source(x))
		default:
			var words []string
			for _, a := range x.Assigns {
				words = append(words, q.assignment(a))
			}
			for _, w := range x.Args {
				words = append(words, q.word(w))
			}
			q.simple(words, s.Redirs)
			return
		}
	case *syntax.DeclClause:
		words := []string{x.Variant.Value}
		for _, a := range x.Args {
			words = append(words, q.assignment(a))
		}
		q.simple(words, s.Redirs)
		return
	case *syntax.BinaryCmd:
		q.binary(x)
	case *syntax.Block:
		q.group(x.Stmts)
	case *syntax.Subshell:
		q.put("( ")
		q.skip++
		q.list(x.Stmts)
		q.documents("")
		q.put(" )")
	case *syntax.IfClause:
		q.ifClause(x)
	case *syntax.WhileClause:
		q.head(s)
		q.documents("")
		q.semicolon()
		q.put(" do\n")
		q.body(x.Do)
		q.newline("done")
	case *syntax.ForClause:
		q.head(s)
		if _, words := x.Loop.(*syntax.WordIter); words {
			q.put(";")
		}
		q.newline("do\n")
		q.body(x.Do)
		q.newline("done")
	case *syntax.CaseClause:
		q.caseClause(s, x)
	case *syntax.FuncDecl:
		q.nestedFunction(x)
	case *syntax.ArithmCmd, *syntax.TestClause:
		q.head(s)
	case *syntax.CoprocClause:
		q.coproc(x)
	default:
		q.put(q.source(s))
		return
	}
	if len(s.Redirs) > 0 {
		q.put(" ")
		q.redirections(s.Redirs)
	}
}

// simple prints the words of a command and its redirections.
func (q *printer) simple(words []string, redirections []*syntax.Redirect) {
	q.put(strings.Join(words, " "))
	if len(redirections) > 0 {
		if len(words) > 0 {
			q.put(" ")
		}
		q.redirections(redirections)
	}
}

// body prints the commands of a loop, one step further in.
func (q *printer) body(stmts []*syntax.Stmt) {
	q.indentation += q.step
	q.list(stmts)
	q.documents("")
	q.semicolon()
	q.indentation -= q.step
}

// head prints a command up to what it encloses.
func (q *printer) head(s *syntax.Stmt) {
	switch x := s.Cmd.(type) {
	case *syntax.WhileClause:
		if x.Until {
			q.put("until ")
		} else {
			q.put("while ")
		}
		q.skip++
		q.list(x.Cond)
	case *syntax.ForClause:
		q.loopHead(x)
	case *syntax.CaseClause:
		q.put("case " + q.word(x.Word) + " in ")
	case *syntax.ArithmCmd:
		q.put("((" + q.arithmetic(x.X) + "))")
	case *syntax.TestClause:
		q.put("[[ ")
		q.test(x.X)
		q.put(" ]]")
	default:
		q.statement(s)
	}
}

// loopExpression is one expression of for (( )), without what leads it.
func (q *printer) loopExpression(x syntax.ArithmExpr, leading string) string {
	if t := strings.TrimLeft(q.arithmetic(x), leading); t != "" {
		return t
	}
	return "1"
}

func (q *printer) loopHead(x *syntax.ForClause) {
	switch l := x.Loop.(type) {
	case *syntax.CStyleLoop:
		part := func(e syntax.ArithmExpr) string { return q.loopExpression(e, " \t\n") }
		q.put("for ((" + part(l.Init) + "; " + part(l.Cond) + "; " + part(l.Post) + "))")
	case *syntax.WordIter:
		if x.Select {
			q.put("select ")
		} else {
			q.put("for ")
		}
		q.put(parse.Unmap(l.Name.Value) + " in ")
		if !l.InPos.IsValid() {
			q.put(`"$@"`)
			return
		}
		for i, w := range l.Items {
			if i > 0 {
				q.put(" ")
			}
			q.put(q.word(w))
		}
	}
}

// arithmetic is the text of an expression as it stood in the source.
func (q *printer) arithmetic(x syntax.ArithmExpr) string {
	w := parse.Arithmetic(x)
	if w == nil {
		return ""
	}
	return q.word(w)
}

// binary prints lists of "&&" and "||", which nest to the left, and pipelines,
// which nest to the right.
func (q *printer) binary(x *syntax.BinaryCmd) {
	pipe := isPipe(x)
	stages := []*syntax.Stmt{x.Y}
	ops := []syntax.BinCmdOperator{x.Op}
	s := x.X
	for {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || isPipe(b) != pipe || s.Negated || len(s.Redirs) > 0 {
			break
		}
		stages = append(stages, b.Y)
		ops = append(ops, b.Op)
		s = b.X
	}
	q.connections++
	q.skip++
	q.statement(s)
	for i := len(stages) - 1; i >= 0; i-- {
		switch ops[i] {
		case syntax.AndStmt:
			q.connector(" && ")
		case syntax.OrStmt:
			q.connector(" || ")
		case syntax.PipeAll:
			q.put(" 2>&1")
			fallthrough
		default:
			q.connector(" |")
			q.put(" ")
		}
		q.skip++
		q.statement(stages[i])
		if !pipe {
			q.documents("")
		}
	}
	q.documents("")
	q.connections--
}

func isPipe(x *syntax.BinaryCmd) bool { return x.Op == syntax.Pipe || x.Op == syntax.PipeAll }

func (q *printer) group(stmts []*syntax.Stmt) {
	q.put("{ ")
	if q.functions == 0 {
		q.skip++
	} else {
		q.put("\n")
		q.indentation += q.step
	}
	q.list(stmts)
	q.documents("")
	if q.functions > 0 {
		q.indentation -= q.step
		q.newline("}")
		return
	}
	q.semicolon()
	q.put(" }")
}

// ifClause prints elif as an if inside else, as bash does.
func (q *printer) ifClause(x *syntax.IfClause) {
	depth := 0
	for {
		q.put("if ")
		q.skip++
		q.list(x.Cond)
		q.semicolon()
		q.put(" then\n")
		q.indentation += q.step
		q.list(x.Then)
		q.documents("")
		q.indentation -= q.step
		if x = x.Else; x == nil {
			break
		}
		q.semicolon()
		q.newline("else\n")
		q.indentation += q.step
		if x.ThenPos.IsValid() {
			q.indent()
			depth++
			continue
		}
		q.list(x.Then)
		q.documents("")
		q.indentation -= q.step
		break
	}
	q.semicolon()
	q.newline("fi")
	for range depth {
		q.documents("")
		q.indentation -= q.step
		q.semicolon()
		q.newline("fi")
	}
}

func (q *printer) caseClause(s *syntax.Stmt, x *syntax.CaseClause) {
	q.head(s)
	q.indentation += q.step
	for _, item := range x.Items {
		q.newline("")
		for i, w := range item.Patterns {
			if i > 0 {
				q.put(" | ")
			}
			q.put(q.word(w))
		}
		q.put(")\n")
		q.indentation += q.step
		q.list(item.Stmts)
		q.documents("")
		q.indentation -= q.step
		switch item.Op {
		case syntax.Fallthrough:
			q.newline(";&")
		case syntax.Resume:
			q.newline(";;&")
		default:
			q.newline(";;")
		}
	}
	q.indentation -= q.step
	q.newline("esac")
}

func (q *printer) nestedFunction(x *syntax.FuncDecl) {
	q.put("function " + parse.Unmap(x.Name.Value) + " () \n")
	q.indent()
	q.put("{ \n")
	q.functions++
	q.indentation += q.step
	redirections := q.bodyCommands(x.Body)
	q.indentation -= q.step
	q.functions--
	q.closeFunction(redirections)
}

func (q *printer) coproc(x *syntax.CoprocClause) {
	name := "COPROC"
	if x.Name != nil {
		name = q.word(x.Name)
	}
	q.put("coproc " + name + " ")
	q.skip++
	q.statement(x.Stmt)
}

// test prints the expression of [[ ]]; a lone word is shown as -n word.
func (q *printer) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.ParenTest:
		if q.line.Inserted(x.Lparen) {
			q.test(x.X)
			return
		}
		q.put("( ")
		q.test(x.X)
		q.put(" )")
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			if y, ok := q.inner(x.X).(*syntax.UnaryTest); ok && y.Op == syntax.TsNot {
				q.test(y.X)
				return
			}
			q.put("! ")
		} else {
			q.put(x.Op.String() + " ")
		}
		if w, ok := x.X.(*syntax.Word); ok && x.Op != syntax.TsNot {
			q.put(q.word(w))
			return
		}
		q.test(x.X)
	case *syntax.BinaryTest:
		for i, side := range []syntax.TestExpr{x.X, x.Y} {
			if i == 1 {
				op := x.Op.String()
				if x.Op == syntax.TsMatchShort {
					op = "="
				}
				q.put(" " + op + " ")
			}
			if w, ok := side.(*syntax.Word); ok && x.Op != syntax.AndTest && x.Op != syntax.OrTest {
				q.put(q.word(w))
			} else {
				q.test(side)
			}
		}
	case *syntax.Word:
		q.put("-n " + q.word(x))
	}
}

// inner takes off the parentheses that were put in.
func (q *printer) inner(x syntax.TestExpr) syntax.TestExpr {
	for {
		p, ok := x.(*syntax.ParenTest)
		if !ok || !q.line.Inserted(p.Lparen) {
			return x
		}
		x = p.X
	}
}

// redirections prints a list of them; bodies are printed behind it or, where
// more of the line follows, later.
func (q *printer) redirections(list []*syntax.Redirect) {
	q.wasDocument = false
	var documents []*syntax.Redirect
	for i, r := range list {
		if i > 0 {
			q.put(" ")
		}
		if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
			documents = append(documents, r)
		}
		q.redirection(r)
	}
	if len(documents) == 0 {
		return
	}
	if q.connections > 0 {
		q.deferred = append(q.deferred, documents...)
		return
	}
	q.bodies(documents)
}

func (q *printer) bodies(list []*syntax.Redirect) {
	q.put("\n")
	for _, r := range list {
		q.put(q.document(r))
		delimiter, _ := q.delimiter(r)
		q.put(delimiter + "\n")
	}
	q.wasDocument = true
}

// document is the body as bash keeps it: without tabs for <<-, lines joined.
func (q *printer) document(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	text := q.source(r.Hdoc)
	if q.tabbed(r) {
		lines := strings.SplitAfter(text, "\n")
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], "\t")
		}
		text = strings.Join(lines, "")
	}
	if _, quoted := q.delimiter(r); !quoted {
		text = strings.ReplaceAll(text, "\\\n", "")
	}
	return text
}

func (q *printer) tabbed(r *syntax.Redirect) bool {
	return strings.HasPrefix(q.line.Source(r.OpPos, r.Word.Pos()), "<<-")
}

func (q *printer) delimiter(r *syntax.Redirect) (text string, quoted bool) {
	for _, part := range r.Word.Parts {
		switch x := part.(type) {
		case *syntax.Lit:
			text += parse.Unmap(x.Value)
		case *syntax.SglQuoted:
			text += parse.Unmap(x.Value)
			quoted = true
		}
	}
	return text, quoted
}

func (q *printer) redirection(r *syntax.Redirect) {
	number := ""
	if r.N != nil {
		number = r.N.Value
	}
	// Where bash leaves a descriptor out: the operator's own.
	own := func(fd string) string {
		if number == fd {
			return ""
		}
		return number
	}
	switch r.Op {
	case syntax.RdrIn, syntax.WordHdoc:
		op := "< "
		if r.Op == syntax.WordHdoc {
			op = "<<< "
		}
		q.put(own("0") + op + q.word(r.Word))
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
		q.put(own("1") + r.Op.String() + " " + q.word(r.Word))
	case syntax.RdrInOut:
		if number == "" {
			number = "0"
		}
		q.put(own("1") + "<> " + q.word(r.Word))
	case syntax.Hdoc, syntax.DashHdoc:
		op := "<<"
		if q.tabbed(r) {
			op = "<<-"
		}
		delimiter, quoted := q.delimiter(r)
		if quoted {
			delimiter = quote.Single(delimiter)
		}
		q.put(own("0") + op + delimiter)
	case syntax.DplIn, syntax.DplOut:
		q.duplication(r, number)
	default:
		q.put(r.Op.String() + " " + q.word(r.Word))
	}
}

// duplication prints N>&M, N<&M-, N>&-.
func (q *printer) duplication(r *syntax.Redirect, number string) {
	op, own := ">&", "1"
	if r.Op == syntax.DplIn {
		op, own = "<&", "0"
	}
	target := q.word(r.Word)
	switch _, err := strconv.Atoi(strings.TrimSuffix(target, "-")); {
	case target == "-":
		op = ">&" // bash does not remember which
	case err != nil:
		if number == own {
			number = ""
		}
		q.put(number + op + target)
		return
	}
	if number == "" {
		number = own
	}
	q.put(number + op + target)
}

// assignment is an assignment as a word.
func (q *printer) assignment(a *syntax.Assign) string {
	if a.Array == nil {
		if a.Name == nil {
			return q.word(a.Value)
		}
		return q.text(a, a.Index, a.Value)
	}
	return q.line.Source(a.Pos(), a.Array.Lparen) + q.array(a.Array)
}

// array is the (…) of an array assignment, on one line.
func (q *printer) array(a *syntax.ArrayExpr) string {
	words := make([]string, len(a.Elems))
	for i, e := range a.Elems {
		switch {
		case e.Index == nil:
			words[i] = q.word(e.Value)
		default:
			words[i] = "[" + q.text(e, e.Index, e.Value)
		}
	}
	return "(" + strings.Join(words, " ") + ")"
}

// word is a word as bash keeps it: $(…) laid out anew, $'…' resolved, lines
// joined.
func (q *printer) word(w *syntax.Word) string { return q.text(w) }

// text is the source of n, with the parts below children (or n) rewritten.
func (q *printer) text(n syntax.Node, children ...syntax.Node) string {
	t := &wordText{q: q, at: n.Pos()}
	if len(children) == 0 {
		children = []syntax.Node{n}
	}
	for _, c := range children {
		switch c := c.(type) {
		case *syntax.Word:
			if c != nil {
				syntax.Walk(c, t.visit)
			}
		case nil:
		default:
			syntax.Walk(c, t.visit)
		}
	}
	t.take(n.End())
	return string(t.b)
}

type wordText struct {
	q  *printer
	b  []byte
	at syntax.Pos
	// quoted counts the double quotes around the current node.
}

// take copies the source up to a position.
func (t *wordText) take(to syntax.Pos) {
	if to.Offset() > t.at.Offset() {
		t.b = append(t.b, t.q.line.Source(t.at, to)...)
		t.at = to
	}
}

// replace puts text in the place of a node.
func (t *wordText) replace(n syntax.Node, text string) {
	t.take(n.Pos())
	t.b = append(t.b, text...)
	t.at = n.End()
}

func (t *wordText) visit(n syntax.Node) bool {
	q := t.q
	switch x := n.(type) {
	case *syntax.CmdSubst:
		if strings.HasPrefix(q.source(x), "`") {
			t.replace(x, q.source(x))
		} else {
			t.replace(x, "$("+q.substitution(x.Stmts)+")")
		}
		return false
	case *syntax.ProcSubst:
		t.replace(x, x.Op.String()+q.substitution(x.Stmts)+")")
		return false
	case *syntax.SglQuoted:
		if x.Dollar && strings.HasPrefix(q.source(x), "$") {
			t.replace(x, quote.Single(quote.Unquote(parse.Unmap(x.Value))))
		}
		return false
	case *syntax.DblQuoted:
		if x.Dollar {
			t.take(x.Pos())
			t.at = syntax.NewPos(x.Pos().Offset()+1, x.Pos().Line(), x.Pos().Col()+1)
		}
	case *syntax.Lit:
		if s := q.source(x); strings.Contains(s, "\\\n") {
			t.replace(x, strings.ReplaceAll(s, "\\\n", ""))
		}
	}
	return true
}

// substitution is the inside of $( ), laid out as a command of its own.
func (q *printer) substitution(stmts []*syntax.Stmt) string {
	c := newPrinter(q.line)
	c.substituted = true
	c.list(stmts)
	c.documents("")
	if len(c.b) > 0 && c.b[0] == '(' {
		return " " + string(c.b)
	}
	return string(c.b)
}
