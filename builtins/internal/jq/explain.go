package jq

import "strings"

// explain reports the syntax error at tokens[at]. expecting are the tokens that
// could stand there, where they are few enough for jq to name them.
func explain(s *source, tokens []token, at int, expecting []tokenKind) {
	var wanted []string
	for _, kind := range expecting {
		wanted = append(wanted, shown(kind))
	}
	words := "syntax error, unexpected " + shown(tokens[at].kind)
	if len(wanted) > 0 {
		words += ", expecting " + strings.Join(wanted, " or ")
	}
	s.report(tokens[at].start, words+" (Unix shell quoting issues?)")
}

func shown(kind tokenKind) string {
	if len(kind) == 1 {
		return "'" + string(kind) + "'"
	}
	return string(kind)
}

// explainKey adds jq's guess about an object's key, where what follows the
// error could be a value of one. start is where the object's first key is.
func (p *parser) explainKey(start int) {
	for i := p.pos; i+1 < len(p.tokens); i++ {
		switch p.tokens[i].kind {
		case "}":
			return
		case ":":
			if next := p.tokens[i+1].kind; next != tokenEnd && next != "}" {
				p.source.report(start, "May need parentheses around object key expression")
			}
			return
		}
	}
}
