package jq

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/regex"
)

type patternKey struct{ text, flags string }

// compiledPattern is a compiled pattern with its groups' names by number from 1.
type compiledPattern struct {
	*regex.Matcher
	names []string
}

// match is _match(re; flags; test): the matches, or whether there is one.
func match(m *Machine, in Value, args []Value) (Value, error) {
	s, ok := in.(string)
	if !ok {
		return nil, typeError(in, "cannot be matched, as it is not a string")
	}
	re, ok := args[0].(string)
	if !ok {
		return nil, typeError(args[0], "cannot be matched, as it is not a string")
	}
	flags := ""
	if args[1] != nil {
		if flags, ok = args[1].(string); !ok {
			return nil, typeError(args[1], "is not a string")
		}
	}
	if bad := strings.Trim(flags, "gimnpslx"); bad != "" || strings.ContainsRune(flags, 'm') {
		return nil, raise("%s is not a valid modifier string", flags)
	}
	p, err := m.pattern(re, flags)
	if err != nil {
		return nil, err
	}
	global, test := strings.ContainsRune(flags, 'g'), args[2] == true
	notEmpty := strings.ContainsAny(flags, "n")
	text := []byte(s)
	var found []Value
	var bounds []int
	for start := 0; ; {
		if bounds, err = p.Find(m.ctx, text, start, bounds); err != nil {
			return nil, m.regexError(err)
		}
		if bounds == nil || notEmpty && bounds[0] == bounds[1] {
			break
		}
		if test {
			return true, nil
		}
		if len(found) == cap(found) {
			if err := m.memory.charge((2*cap(found) + 2) * 5 * entrySize * (1 + p.Groups())); err != nil {
				return nil, err
			}
		}
		found = append(found, matchValue(p, s, bounds))
		if bounds[0] == bounds[1] {
			// jq starts over one further on, wherever the match was.
			start++
			for start < len(s) && !utf8.RuneStart(s[start]) {
				start++
			}
		} else {
			start = bounds[1]
		}
		if !global || start >= len(s) {
			break
		}
	}
	if test {
		return false, nil
	}
	return newArray(found), nil
}

func matchValue(p *compiledPattern, s string, bounds []int) Value {
	var captures []Value
	if bounds[0] != bounds[1] {
		for i := 1; i <= p.Groups(); i++ {
			captures = append(captures, captureValue(s, bounds[2*i], bounds[2*i+1], p.names[i-1]))
		}
	}
	return objectOf("offset", float64(textLength(s[:bounds[0]])), "length", float64(textLength(s[bounds[0]:bounds[1]])),
		"string", s[bounds[0]:bounds[1]], "captures", newArray(captures))
}

// captureValue keeps the order of keys that jq 1.6 has for an empty group.
func captureValue(s string, from, to int, name string) Value {
	var named Value
	if name != "" {
		named = name
	}
	switch {
	case from < 0:
		return objectOf("offset", -1.0, "string", nil, "length", 0.0, "name", named)
	case from == to:
		return objectOf("offset", float64(textLength(s[:from])), "string", "", "length", 0.0, "name", named)
	}
	return objectOf("offset", float64(textLength(s[:from])), "length", float64(textLength(s[from:to])), "string", s[from:to], "name", named)
}

// maxPatterns is how many compiled patterns a program keeps.
const maxPatterns = 64

func (m *Machine) pattern(re, flags string) (*compiledPattern, error) {
	key := patternKey{re, flags}
	if p := m.patterns[key]; p != nil {
		return p, nil
	}
	options := regex.Options{Syntax: regex.Perl, Unicode: true, DollarNewline: true}
	options.IgnoreCase = strings.ContainsRune(flags, 'i')
	text, names, fault := translateOnig(re)
	if fault != "" {
		return nil, raise("Regex failure: %s", fault)
	}
	if strings.ContainsRune(flags, 'x') {
		text = "(?x)" + text
	}
	matcher, err := regex.Compile(text, options)
	if err != nil {
		return nil, raise("Regex failure: %s", onigError(err.Error(), re))
	}
	p := &compiledPattern{matcher, names}
	if len(m.patterns) >= maxPatterns || m.patterns == nil {
		m.patterns = make(map[patternKey]*compiledPattern)
	}
	m.patterns[key] = p
	return p, nil
}

// regexError makes the backtracking limit an error of the program.
func (m *Machine) regexError(err error) error {
	if errors.Is(err, regex.ErrBacktrackLimit) {
		return raise("Regex failure: match-stack limit over")
	}
	return err
}

// onigError is Oniguruma's text for an error of package regex, where the
// translation has not found it before.
func onigError(text, re string) string {
	switch {
	case strings.Contains(text, "range out of order"):
		return "empty range in char class"
	case strings.Contains(text, "unknown property"):
		_, name, _ := strings.Cut(re, `\p`)
		if end := strings.IndexByte(name, '}'); end >= 0 {
			name = name[:end+1]
		}
		return "invalid character property name " + name
	case strings.Contains(text, "lookbehind"):
		return "invalid pattern in look-behind"
	}
	return text
}
