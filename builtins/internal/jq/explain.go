package jq

// explain reports the syntax error at tokens[at].
func explain(s *source, tokens []token, at int) {
	t := tokens[at]
	name := string(t.kind)
	if len(name) == 1 {
		name = "'" + name + "'"
	}
	s.report(t.start, "syntax error, unexpected "+name+" (Unix shell quoting issues?)")
}
