package jq

import (
	"strings"
	"unicode/utf8"
)

func textLength(s string) int { return utf8.RuneCountInString(s) }

// sliceText is the characters from number from up to number to.
func sliceText(s string, from, to int) string {
	start := skipCharacters(s, from)
	return s[start : start+skipCharacters(s[start:], to-from)]
}

func skipCharacters(s string, n int) int {
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

func textBuiltin(key string) native {
	switch key {
	case "tojson/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) { return m.json(in) }
	case "tostring/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) { return m.toString(in) }
	case "fromjson/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) {
			s, ok := in.(string)
			if !ok {
				return nil, typeError(in, "only strings can be parsed")
			}
			return parseAll(&m.memory, s)
		}
	case "tonumber/0":
		return toNumber
	case "startswith/1", "endswith/1":
		return affix(key)
	case "ltrimstr/1", "rtrimstr/1":
		return func(_ *Machine, in Value, args []Value) (Value, error) {
			s, ok := in.(string)
			part, ok2 := args[0].(string)
			if !ok || !ok2 {
				return in, nil
			}
			if key == "ltrimstr/1" {
				return strings.TrimPrefix(s, part), nil
			}
			return strings.TrimSuffix(s, part), nil
		}
	case "split/1":
		return func(m *Machine, in Value, args []Value) (Value, error) {
			s, ok := in.(string)
			separator, ok2 := args[0].(string)
			if !ok || !ok2 {
				return nil, raise("split input and separator must be strings")
			}
			return m.split(s, separator)
		}
	case "join/1":
		return joinTexts
	case "explode/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) {
			s, ok := in.(string)
			if !ok {
				return nil, raise("explode input must be a string")
			}
			if err := m.memory.charge(len(s) * valueSize); err != nil {
				return nil, err
			}
			codes := make([]Value, 0, len(s))
			for _, r := range s {
				codes = append(codes, float64(r))
			}
			return newArray(codes), nil
		}
	case "implode/0":
		return implode
	case "ascii_downcase/0", "ascii_upcase/0":
		return func(m *Machine, in Value, _ []Value) (Value, error) {
			s, ok := in.(string)
			if !ok {
				return nil, raise("explode input must be a string")
			}
			return changeCase(s, key == "ascii_upcase/0"), m.memory.charge(len(s))
		}
	case "_strindices/1":
		return func(m *Machine, in Value, args []Value) (Value, error) {
			s, ok := in.(string)
			part, ok2 := args[0].(string)
			if !ok || !ok2 {
				return nil, typeError2(in, args[0], "cannot be searched, as it is not a string")
			}
			return m.indicesOfText(s, part)
		}
	case "format/1":
		return func(m *Machine, in Value, args []Value) (Value, error) {
			name, ok := args[0].(string)
			if !ok {
				return nil, typeError(args[0], "is not a valid format")
			}
			return m.format(in, name)
		}
	case "_match/3":
		return match
	}
	return nil
}

func (m *Machine) json(v Value) (Value, error) {
	s, err := toJSON(&m.memory, v)
	if err != nil {
		return nil, err
	}
	return s, m.memory.charge(len(s))
}

func (m *Machine) toString(v Value) (Value, error) {
	if _, ok := v.(string); ok {
		return v, nil
	}
	return m.json(v)
}

func toNumber(m *Machine, in Value, _ []Value) (Value, error) {
	switch v := in.(type) {
	case float64:
		return v, nil
	case string:
		n, err := parseAll(&m.memory, v)
		if err != nil {
			return nil, err
		}
		if _, ok := n.(float64); ok {
			return n, nil
		}
	}
	return nil, typeError(in, "cannot be parsed as a number")
}

func affix(key string) native {
	return func(_ *Machine, in Value, args []Value) (Value, error) {
		s, ok := in.(string)
		part, ok2 := args[0].(string)
		if !ok || !ok2 {
			return nil, raise("%s() requires string inputs", strings.TrimSuffix(key, "/1"))
		}
		if key == "startswith/1" {
			return strings.HasPrefix(s, part), nil
		}
		return strings.HasSuffix(s, part), nil
	}
}

// split cuts s at a separator, or into its characters where that is empty.
func (m *Machine) split(s, separator string) (Value, error) {
	if s == "" {
		return &Array{}, nil
	}
	n := len(s)
	if separator != "" {
		n = strings.Count(s, separator) + 1
	}
	if err := m.memory.charge(n * valueSize * 2); err != nil {
		return nil, err
	}
	parts := make([]Value, 0, n)
	if separator == "" {
		for len(s) > 0 {
			_, size := utf8.DecodeRuneInString(s)
			parts = append(parts, s[:size])
			s = s[size:]
		}
		return newArray(parts), nil
	}
	for {
		head, tail, found := strings.Cut(s, separator)
		parts = append(parts, head)
		if !found {
			return newArray(parts), nil
		}
		s = tail
	}
}

// joinTexts puts a separator between elements. It adds as + does, so its
// errors are those of +.
func joinTexts(m *Machine, in Value, args []Value) (Value, error) {
	var items []Value
	switch v := in.(type) {
	case *Array:
		items = v.All()
	case *Object:
		for _, e := range v.All() {
			items = append(items, e.value)
		}
	default:
		return nil, raise("Cannot iterate over %s (%s)", typeName(in), excerpt(in, excerptSize))
	}
	var out []byte
	charged := 0
	for i, item := range items {
		if i > 0 {
			switch separator := args[0].(type) {
			case nil:
			case string:
				out = append(out, separator...)
			default:
				return nil, typeError2(validText(string(out)), separator, "cannot be added")
			}
		}
		switch v := item.(type) {
		case nil:
		case string:
			out = append(out, v...)
		case bool, float64:
			text, err := toJSON(nil, v)
			if err != nil {
				return nil, err
			}
			out = append(out, text...)
		default:
			return nil, typeError2(string(out), item, "cannot be added")
		}
		if cap(out) != charged {
			charged = cap(out)
			if err := m.memory.charge(2 * charged); err != nil {
				return nil, err
			}
		}
	}
	return string(out), nil
}

func implode(m *Machine, in Value, _ []Value) (Value, error) {
	a, ok := in.(*Array)
	if !ok {
		return nil, typeError(in, "implode input must be an array")
	}
	if err := m.memory.charge(a.Len() * utf8.UTFMax); err != nil {
		return nil, err
	}
	out := make([]byte, 0, a.Len())
	for _, item := range a.All() {
		n, ok := item.(float64)
		if !ok {
			return nil, typeError(item, "can't be imploded, unicode codepoint needs to be numeric")
		}
		r := utf8.RuneError
		if n >= 0 && n <= utf8.MaxRune {
			r = rune(n)
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out), nil
}

func changeCase(s string, upper bool) string {
	low, high := byte('A'), byte('Z')
	if upper {
		low, high = 'a', 'z'
	}
	out := []byte(s)
	for i, c := range out {
		if c >= low && c <= high {
			out[i] = c ^ 0x20
		}
	}
	return string(out)
}

// indicesOfText is where part stands in s, in bytes as in jq 1.6, each
// occurrence behind the one before.
func (m *Machine) indicesOfText(s, part string) (Value, error) {
	var found []Value
	if part == "" {
		return newArray(nil), nil
	}
	for at := 0; ; {
		i := strings.Index(s[at:], part)
		if i < 0 {
			return newArray(found), nil
		}
		if len(found) == cap(found) {
			if err := m.memory.charge((2*cap(found) + 8) * valueSize); err != nil {
				return nil, err
			}
		}
		found = append(found, float64(at+i))
		at += i + len(part)
	}
}
