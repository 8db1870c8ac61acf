package parse

import (
	"strings"
)

// line scans one complete line of commands; false at the end of the source
// with nothing read.
func (s *scanner) line() bool {
	t := s.peek(command)
	switch t.kind {
	case tokenNewline:
		s.take()
		return true
	case tokenEOF:
		return false
	}
	for s.err == nil {
		s.andOr()
		t := s.peek(argument)
		if t.kind == tokenOperator && (t.is(";") || t.is("&")) {
			s.take()
			if t = s.peek(command); t.kind != tokenNewline && t.kind != tokenEOF {
				continue
			}
		}
		switch t.kind {
		case tokenNewline:
			s.take()
			return true
		case tokenEOF:
			return true
		}
		s.unexpected(t)
	}
	return true
}

// newlines skips newlines before a command.
func (s *scanner) newlines() {
	for s.peek(command).kind == tokenNewline {
		s.take()
	}
}

// commands scans a list that may be empty, up to a token for which stop holds
// or that fits nowhere; it returns that token, which is not consumed.
func (s *scanner) commands(stop func(token) bool) token {
	s.newlines()
	t := s.peek(command)
	if t.kind == tokenEOF || stop(t) {
		return t
	}
	for s.err == nil {
		s.andOr()
		t = s.peek(argument)
		switch {
		case t.kind == tokenNewline, t.kind == tokenOperator && (t.is(";") || t.is("&")):
			s.take()
			s.newlines()
			if t = s.peek(command); t.kind == tokenEOF || stop(t) {
				return t
			}
		default:
			return t
		}
	}
	return s.peek(command)
}

// list is commands that may not be empty and must end with a token for which
// stop holds; the token is not consumed.
func (s *scanner) list(stop func(token) bool) {
	s.newlines()
	if t := s.peek(command); stop(t) {
		s.unexpected(t)
		return
	}
	if t := s.commands(stop); !stop(t) {
		s.unexpected(t)
	}
}

// word1 is a stop for list: one reserved word.
func word1(word string) func(token) bool {
	return func(t token) bool { return t.reserved(word) }
}

func closeParen(t token) bool { return t.kind == tokenOperator && t.is(")") }

// expect consumes a reserved word.
func (s *scanner) expect(c context, word string) token {
	t := s.peek(c)
	if !t.reserved(word) {
		s.unexpected(t)
		return t
	}
	s.take()
	return t
}

func (s *scanner) andOr() {
	for s.err == nil {
		s.pipelineCommand()
		t := s.peek(argument)
		if t.kind != tokenOperator || !t.is("&&") && !t.is("||") {
			return
		}
		s.take()
		s.newlines()
	}
}

// terminates reports whether t may follow "!" or "time" that stand alone.
func terminates(t token) bool {
	return t.kind == tokenEOF || t.kind == tokenNewline || t.kind == tokenOperator && t.is(";")
}

// pipelineCommand scans a pipeline with its "!" and "time" in front. mvdan's
// parser takes one "!" and none after "time".
func (s *scanner) pipelineCommand() {
	if !s.enter() {
		return
	}
	defer s.leave()
	t := s.peek(command)
	switch {
	case t.reserved("!"):
		bang := t.out
		negated := true
		s.take()
		for s.peek(command).reserved("!") {
			negated = !negated
			s.take()
		}
		t = s.peek(command)
		if !negated {
			s.blank(bang, s.lastEnd)
		} else {
			s.blank(bang+1, s.lastEnd)
		}
		if terminates(t) {
			s.insert(s.lastEnd, " "+string(rune(markNull)))
			return
		}
		s.spaceBefore(t)
		s.pipelineCommand()
	case t.reserved("time"):
		s.take()
		t = s.peek(command)
		for t.reserved("time") { // once is enough
			s.take()
			s.blank(t.out, s.lastEnd)
			t = s.peek(command)
		}
		posix := t.reserved("-p")
		if posix {
			s.take()
			t = s.peek(command)
		}
		if t.reserved("--") {
			from := t.out
			s.take()
			end := s.lastEnd
			t = s.peek(command)
			if posix {
				s.blank(from, end)
			} else { // bash reports in the same form
				s.replace(from, end, "-p")
			}
		}
		if terminates(t) {
			s.insert(s.lastEnd, " "+string(rune(markNull)))
			return
		}
		wrap := t.reserved("!")
		from := t.out
		s.pipelineCommand()
		if wrap {
			s.wrap(from)
		}
	default:
		s.pipeline()
	}
}

// blank replaces out[from:to] by as many spaces, line ends kept.
func (s *scanner) blank(from, to int) {
	for i := from; i < to; i++ {
		if s.out[i] != '\n' && s.out[i] != '\\' {
			s.out[i] = ' '
		}
	}
}

// spaceBefore keeps the token t apart from what stands before it.
func (s *scanner) spaceBefore(t token) {
	if t.out > 0 && s.hasToken && s.out[t.out-1] != ' ' {
		s.insert(t.out, " ")
	}
}

// wrap puts braces around the commands from an offset of out up to the token
// consumed last.
func (s *scanner) wrap(from int) {
	s.insert(s.lastEnd, "; }")
	s.insert(from, "{ ")
}

func (s *scanner) pipeline() {
	first := true
	for s.err == nil {
		s.command(first)
		first = false
		t := s.peek(argument)
		if t.kind != tokenOperator || !t.is("|") && !t.is("|&") {
			return
		}
		s.take()
		s.newlines()
	}
}

// isCompound reports whether t starts a compound command.
func isCompound(t token) bool {
	if t.kind == tokenOperator {
		return t.is("(")
	}
	if t.kind != tokenWord {
		return false
	}
	switch t.text {
	case "{", "if", "while", "until", "for", "select", "case", "[[":
		return true
	}
	return false
}

// command scans one stage of a pipeline.
func (s *scanner) command(first bool) {
	t := s.peek(command)
	switch {
	case isCompound(t):
		s.compound()
		s.redirections()
	case t.kind == tokenWord:
		switch t.text {
		case "then", "do", "done", "elif", "else", "esac", "fi", "}", "in", "!", "]]":
			s.unexpected(t)
			return
		case "function":
			s.function()
			return
		case "coproc":
			s.coproc()
			return
		case "time":
			if first {
				s.unexpected(t)
				return
			}
			s.insert(t.out, `\`)
			t.out++
		}
		s.simple()
	case t.kind == tokenAssignment, t.kind == tokenNumber, isRedirection(t):
		s.simple()
	default:
		s.unexpected(t)
	}
}

// compound scans a compound command without its redirections.
func (s *scanner) compound() {
	if !s.enter() {
		return
	}
	defer s.leave()
	t := s.peek(command)
	if t.kind == tokenOperator {
		s.parenthesis(t)
		return
	}
	switch t.text {
	case "{":
		s.take()
		s.list(word1("}"))
		s.expect(command, "}")
	case "if":
		s.take()
		s.list(word1("then"))
		s.take()
		for s.err == nil {
			s.list(func(t token) bool { return t.reserved("elif") || t.reserved("else") || t.reserved("fi") })
			t := s.peek(command)
			if t.reserved("elif") {
				s.take()
				s.list(word1("then"))
				s.take()
				continue
			}
			if t.reserved("else") {
				s.take()
				s.list(word1("fi"))
			}
			s.expect(command, "fi")
			return
		}
	case "while", "until":
		s.take()
		s.list(word1("do"))
		s.take()
		s.list(word1("done"))
		s.expect(command, "done")
	case "for", "select":
		s.loop(t.text)
	case "case":
		s.caseCommand()
	case "[[":
		s.conditional()
	}
}

// parenthesis scans ( … ) or (( … )); t is the first "(".
func (s *scanner) parenthesis(t token) {
	if s.char() == '(' && !s.notArithmetic[t.start] {
		s.hasToken = false
		saved := s.save()
		s.copy(1)
		if s.arithmetic(")", "") && s.at(1) == ')' {
			s.copy(2)
			s.take()
			return
		}
		if s.err != nil {
			return
		}
		if n := s.at(1); !s.p.options.File && (n == '\n' || n == eof) {
			s.unclosedArithmetic()
			return
		}
		s.restore(saved)
		if s.notArithmetic == nil {
			s.notArithmetic = map[int]bool{}
		}
		s.notArithmetic[t.start] = true
	}
	s.take()
	if s.char() == '(' {
		s.put(" ")
	}
	s.list(closeParen)
	if t := s.peek(command); closeParen(t) {
		s.take()
	}
}

// unclosedArithmetic reports (( … ) at the end of a line, where bash, reading a
// string, does not look on for what would make it subshells. It names the last
// word of the line.
func (s *scanner) unclosedArithmetic() {
	line := s.lineText(s.pos)
	word := line[strings.LastIndexAny(line, " \t")+1:]
	s.fail(&Error{Lines: []Message{
		{s.lineOf(s.pos), "syntax error near `" + word + "'"},
		{s.lineOf(s.pos), "`" + line + "'"},
	}})
}

// body scans the do … done or { … } of a loop.
func (s *scanner) body(c context, braces bool) {
	t := s.peek(c)
	switch {
	case t.reserved("do"):
		s.take()
		s.list(word1("done"))
		s.expect(command, "done")
	case t.reserved("{"):
		s.take()
		if braces {
			s.replace(t.out, t.out+1, "do")
		}
		s.list(word1("}"))
		if t = s.expect(command, "}"); s.err == nil && braces {
			s.replace(t.out, t.out+1, "done")
		}
	default:
		s.unexpected(t)
	}
}

// loop scans for and select.
func (s *scanner) loop(keyword string) {
	s.take()
	t := s.peek(argument)
	if keyword == "for" && t.kind == tokenOperator && t.is("(") && s.char() == '(' {
		s.arithmeticLoop(t)
		return
	}
	if t.kind != tokenWord {
		s.unexpected(t)
		return
	}
	s.take()
	if !isName(t.text) {
		// bash complains when the loop comes to run.
		s.replace(t.out, t.out+t.length, encoded(t.text))
	}
	braces := keyword == "select"
	t = s.peek(argument)
	if t.kind == tokenOperator && t.is(";") {
		s.take()
		s.newlines()
		s.body(command, braces)
		return
	}
	for s.peek(argument).kind == tokenNewline {
		s.take()
	}
	if t = s.peek(argument); !t.reserved("in") {
		s.body(command, braces)
		return
	}
	s.take()
	for s.err == nil {
		t = s.peek(argument)
		if t.kind != tokenWord {
			break
		}
		s.take()
	}
	if !(t.kind == tokenNewline || t.kind == tokenOperator && t.is(";")) {
		s.unexpected(t)
		return
	}
	s.take()
	s.newlines()
	s.body(command, braces)
}

// arithmeticLoop scans for (( a; b; c )).
func (s *scanner) arithmeticLoop(t token) {
	s.hasToken = false
	s.copy(1)
	parts := 0
	for s.err == nil {
		if !s.arithmetic(")", ";") {
			return
		}
		parts++
		if s.char() == ')' {
			break
		}
		s.copy(1)
	}
	if s.err != nil {
		return
	}
	if s.at(1) != ')' {
		s.nearToken(token{kind: tokenOperator, start: t.start, end: t.end}, StatusUsage)
		return
	}
	end := s.pos + 2
	if parts != 3 {
		text := Unmap(string(s.buf[t.start:end]))
		why := "syntax error: arithmetic expression required"
		if parts > 3 {
			why = "syntax error: `;' unexpected"
		}
		line := s.lineOf(t.start)
		s.fail(&Error{Status: StatusUsage, Lines: []Message{{line, why}, {line, "syntax error: `" + text + "'"}}})
		return
	}
	s.copy(2)
	s.take()
	if t := s.peek(command); t.kind == tokenOperator && t.is(";") {
		s.take()
	}
	s.newlines()
	s.body(command, false)
}

// caseCommand scans case … esac.
func (s *scanner) caseCommand() {
	s.take()
	if t := s.peek(argument); t.kind != tokenWord {
		s.unexpected(t)
		return
	}
	s.take()
	for s.peek(argument).kind == tokenNewline {
		s.take()
	}
	s.expect(argument, "in")
	for s.err == nil {
		for s.peek(argument).kind == tokenNewline {
			s.take()
		}
		t := s.peek(argument)
		if t.reserved("esac") {
			s.take()
			return
		}
		if t.kind == tokenOperator && t.is("(") {
			s.take()
		}
		for s.err == nil {
			t = s.peek(argument)
			if t.kind != tokenWord {
				s.unexpected(t)
				return
			}
			if t.text == "esac" {
				s.insert(t.out, `\`)
			}
			s.take()
			t = s.peek(argument)
			if closeParen(t) {
				s.take()
				break
			}
			if t.kind != tokenOperator || !t.is("|") {
				s.unexpected(t)
				return
			}
			s.take()
		}
		t = s.commands(func(t token) bool {
			return t.reserved("esac") || t.kind == tokenOperator && (t.is(";;") || t.is(";&") || t.is(";;&"))
		})
		switch {
		case t.reserved("esac"):
			s.take()
			return
		case t.kind == tokenOperator && (t.is(";;") || t.is(";&") || t.is(";;&")):
			s.take()
		default:
			s.unexpected(t)
		}
	}
}

// function scans a definition that starts with the word function.
func (s *scanner) function() {
	from := s.peek(command).out
	s.take()
	t := s.peek(argument)
	if t.kind != tokenWord {
		s.unexpected(t)
		return
	}
	s.take()
	s.replace(t.out, t.out+t.length, encoded(t.text))
	if n := s.peek(command); n.kind == tokenOperator && n.is("(") {
		for at := 0; ; at++ {
			if b := s.at(at); isBlank(b) {
				continue
			} else if b != ')' {
				// No () but the body, which is a subshell or (( )).
				s.insert(n.out, "() ")
				s.functionBody(from)
				return
			}
			break
		}
		s.take()
		s.peek(command)
		s.take()
	}
	s.newlines()
	s.functionBody(from)
}

// functionBody scans the compound command that is a function's body.
func (s *scanner) functionBody(from int) {
	s.newlines()
	if t := s.peek(command); !isCompound(t) {
		s.unexpected(t)
		return
	}
	s.compound()
	s.redirections()
	s.functionEnd(from)
}

// functionEnd keeps a definition apart from what follows in its list: mvdan's
// parser would make it part of the body.
func (s *scanner) functionEnd(from int) {
	if t := s.peek(argument); t.kind == tokenOperator {
		switch t.text {
		case "&&", "||", "|", "|&":
			s.wrap(from)
		}
	}
}

// coproc scans a coprocess. A simple command becomes a group, as mvdan's
// parser would take its first word for a name when a redirection follows.
func (s *scanner) coproc() {
	s.take()
	t := s.peek(command)
	if isCompound(t) {
		s.compound()
		s.redirections()
		return
	}
	from := t.out
	if t.kind == tokenWord {
		s.take()
		if n := s.peek(command); isCompound(n) {
			s.compound()
			s.redirections()
			return
		}
		s.rest(t, true)
	} else if t.kind == tokenAssignment || t.kind == tokenNumber || isRedirection(t) {
		s.simple()
	} else {
		s.unexpected(t)
		return
	}
	s.wrap(from)
}

func isName(text string) bool {
	for i := 0; i < len(text); i++ {
		if !isNameByte(int(text[i])) {
			return false
		}
	}
	return text != "" && isNameStart(int(text[0]))
}

func isRedirection(t token) bool {
	if t.kind != tokenOperator {
		return false
	}
	switch t.text {
	case "<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<", "<<-", "<<<":
		return true
	}
	return false
}

// redirections scans the redirections after a compound command.
func (s *scanner) redirections() {
	for s.redirection(argument) {
	}
}

// redirection scans one redirection if one comes next; what follows it will be
// read in context c.
func (s *scanner) redirection(c context) bool {
	t := s.peek(c)
	if t.kind == tokenNumber {
		s.take()
		t = s.peek(argument)
		if !isRedirection(t) { // "2" before "<(": cannot be
			s.unexpected(t)
			return false
		}
	} else if !isRedirection(t) {
		return false
	}
	s.take()
	if t.is("<<") || t.is("<<-") {
		s.heredocStart(t)
		return s.err == nil
	}
	w := s.peek(argument)
	duplicated := w.kind == tokenNumber && isDigit(int(s.buf[w.start])) && (t.is(">&") || t.is("<&")) // >&2>f
	if w.kind != tokenWord && !duplicated {
		s.unexpected(w)
		return false
	}
	s.take()
	return true
}

// mvdanKeyword reports whether mvdan's parser would take a command of this
// name for something else; a backslash in front prevents it.
func mvdanKeyword(word string) bool {
	switch word {
	case "let", "nameref", "]]", "in", "{", "}", "!", "if", "then", "elif", "else", "fi", "while", "until", "for", "do", "done",
		"case", "esac", "select", "function", "time", "coproc", "[[":
		return true
	}
	return false
}

// declares reports whether word is a declaration builtin.
func declares(word string) bool {
	switch word {
	case "declare", "local", "export", "readonly", "typeset":
		return true
	}
	return false
}

// simple scans a simple command or a function definition.
func (s *scanner) simple() {
	var arrays []token // compound assignments before the command
	redirected := false
	for s.err == nil {
		t := s.peek(command)
		switch {
		case t.kind == tokenAssignment:
			s.take()
			if t.array || t.element {
				arrays = append(arrays, t)
			}
			redirected = true
		case t.kind == tokenWord:
			var edits []edit
			for _, a := range arrays {
				if a.array {
					edits = append(edits, quotedArray(a))
				} else {
					edits = append(edits, s.droppedElement(a))
				}
			}
			s.apply(edits)
			t = s.peek(command)
			s.take()
			if !redirected {
				if n := s.peek(s.argumentContext(t.text)); n.kind == tokenOperator && n.is("(") {
					s.definition(t)
					return
				}
			}
			s.rest(t, !redirected)
			return
		case s.redirection(command):
			redirected = true
		default:
			return
		}
	}
}

// argumentContext is how the arguments of a command are read: some builtins
// take assignments.
func (s *scanner) argumentContext(name string) context {
	if declares(name) || name == "alias" || name == "eval" || name == "let" {
		return assigns
	}
	return argument
}

// rest scans the arguments and redirections after the command's name t.
func (s *scanner) rest(t token, first bool) {
	c := s.argumentContext(t.text)
	clause := declares(t.text) && first
	if mvdanKeyword(t.text) {
		s.insert(t.out, `\`)
	}
	for s.err == nil {
		a := s.peek(c)
		switch {
		case a.kind == tokenWord:
			s.take()
			if clause && strings.Contains(literalPrefix(a.text), "=") {
				s.insert(a.out, `""`)
			}
		case a.kind == tokenAssignment:
			s.take()
			if a.array && !clause {
				e := quotedArray(a)
				s.replace(e.from, e.to, e.text)
			}
		case s.redirection(c):
			if clause && s.peek(c).kind == tokenWord {
				// mvdan's clause ends at a redirection: move on without it.
				clause = false
			}
		default:
			return
		}
	}
}

// literalPrefix is the part of a word before its first quote or expansion.
func literalPrefix(word string) string {
	if i := strings.IndexAny(word, "'\"$`\\"); i >= 0 {
		return word[:i]
	}
	return word
}

// quotedArray turns name=(…) into the assignment of that text: what bash makes
// of it where an array cannot be.
func quotedArray(t token) edit {
	i := strings.IndexByte(t.text, '=') + 1
	var b strings.Builder
	b.WriteString(t.text[:i])
	b.WriteByte('\'')
	b.WriteString(strings.ReplaceAll(t.text[i:], "'", string(rune(byteBase+'\''))))
	b.WriteByte('\'')
	return edit{t.out, t.out + t.length, b.String()}
}

// droppedElement takes out an assignment to an element in front of a command:
// bash says that it cannot be, and runs the command.
func (s *scanner) droppedElement(t token) edit {
	name := Unmap(t.text[:strings.IndexByte(t.text, '=')])
	s.warnings = append(s.warnings, Message{s.lineOf(t.start), "`" + strings.TrimSuffix(name, "+") + "': not a valid identifier"})
	return edit{t.out, t.out + t.length, ""}
}

// definition scans name() body.
func (s *scanner) definition(t token) {
	s.take()
	if n := s.peek(argument); !closeParen(n) {
		// What bash names is the parenthesis when the word cannot be a name.
		s.unexpected(n)
		return
	}
	s.take()
	name := encoded(t.text)
	if declares(t.text) || mvdanKeyword(t.text) {
		name = string(rune(byteBase+int(name[0]))) + name[1:]
	}
	s.replace(t.out, t.out+t.length, name)
	s.functionBody(t.out)
}
