package pattern

// tokenKind is what a token matches.
type tokenKind uint8

const (
	tokenText  tokenKind = iota // a run of characters
	tokenAny                    // ?
	tokenStar                   // *
	tokenSet                    // [...]
	tokenOpen                   // the beginning of a group, of operator op
	tokenBar                    // |
	tokenClose                  // the end of a group, of operator op
)

type token struct {
	kind tokenKind
	op   byte
	text string
	set  *set
}

// MaxGroups bounds the nesting of groups.
const MaxGroups = 1000

// scan cuts a pattern into tokens.
func scan(text string, o Options) (tokens []token, groups, deep bool) {
	var run []byte
	flush := func() {
		if len(run) > 0 {
			tokens = append(tokens, token{kind: tokenText, text: string(run)})
			run = run[:0]
		}
	}
	var sets *brackets
	var open []byte // operators of the groups that are open
	// plain counts the bare parentheses open inside each group: their ")" does
	// not close it.
	var plain []int
	for i := 0; i < len(text); i++ {
		c := text[i]
		if o.ExtGlob && i+1 < len(text) && text[i+1] == '(' && isGroup(c) {
			if len(open) == 0 && !closes(text[i+2:]) || len(open) >= MaxGroups {
				// A group without an end: the rest is compared as it stands.
				if len(open) == 0 {
					run = append(run, text[i:]...)
					flush()
					return tokens, groups, deep
				}
				deep = true
			} else {
				flush()
				groups = true
				tokens = append(tokens, token{kind: tokenOpen, op: c})
				open = append(open, c)
				plain = append(plain, 0)
				i++
				continue
			}
		}
		switch c {
		case '\\':
			if !o.NoEscape && i+1 < len(text) {
				i++
				c = text[i]
			}
			run = append(run, c)
			continue
		case '?':
			flush()
			tokens = append(tokens, token{kind: tokenAny})
			continue
		case '*':
			if n := len(tokens); len(run) > 0 || n == 0 || tokens[n-1].kind != tokenStar {
				flush()
				tokens = append(tokens, token{kind: tokenStar})
			}
			continue
		case '[':
			if sets == nil {
				sets = newBrackets(text, o)
			}
			if s, end := sets.scan(i); end > 0 {
				flush()
				tokens = append(tokens, token{kind: tokenSet, set: s})
				i = end - 1
				continue
			}
		case '(':
			if len(open) > 0 {
				plain[len(plain)-1]++
			}
		case '|':
			if n := len(open); n > 0 && plain[n-1] == 0 {
				flush()
				tokens = append(tokens, token{kind: tokenBar})
				continue
			}
		case ')':
			if n := len(open); n > 0 {
				if plain[n-1] > 0 {
					plain[n-1]--
				} else {
					flush()
					tokens = append(tokens, token{kind: tokenClose, op: open[n-1]})
					open, plain = open[:n-1], plain[:n-1]
					continue
				}
			}
		}
		run = append(run, c)
	}
	flush()
	for n := len(open); n > 0; n-- { // a bracket swallowed the end of a group
		tokens = append(tokens, token{kind: tokenClose, op: open[n-1]})
	}
	return tokens, groups, deep
}

func isGroup(c byte) bool { return c == '?' || c == '*' || c == '+' || c == '@' || c == '!' }

// closes reports whether text, which follows an opening parenthesis, holds the
// closing one, as bash looks for it.
func closes(text string) bool {
	depth, bracket, first, special := 0, false, 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
		case '[':
			if !bracket {
				bracket = true
				first = i + 1
				if first < len(text) && (text[first] == '!' || text[first] == '^') {
					first++
				}
			} else if i+1 < len(text) && (text[i+1] == ':' || text[i+1] == '.' || text[i+1] == '=') {
				special = text[i+1]
			}
		case ']':
			switch {
			case !bracket:
			case special != 0 && text[i-1] == special:
				special = 0
			case i != first:
				bracket = false
			}
		case '(':
			if !bracket {
				depth++
			}
		case ')':
			if !bracket {
				if depth == 0 {
					return true
				}
				depth--
			}
		}
	}
	return false
}
