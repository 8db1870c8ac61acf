package jq

import (
	"fmt"
	"strings"
)

// format is what @name makes of a value.
func (m *Machine) format(in Value, name string) (Value, error) {
	switch name {
	case "text":
		return m.toString(in)
	case "json":
		return m.json(in)
	case "csv", "tsv":
		return m.row(in, name)
	case "sh":
		return m.shellWords(in)
	case "html", "uri", "base64", "base64d":
	default:
		return nil, raise("%s is not a valid format", name)
	}
	v, err := m.toString(in)
	if err != nil {
		return nil, err
	}
	s := v.(string)
	if err := m.memory.charge(3 * len(s)); err != nil {
		return nil, err
	}
	switch name {
	case "html":
		return escapeHTML(s), nil
	case "uri":
		return escapeURI(s), nil
	case "base64":
		return encodeBase64(s), nil
	}
	return decodeBase64(s)
}

func escapeHTML(s string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "'", "&apos;", `"`, "&quot;").Replace(s)
}

func escapeURI(s string) string {
	var out []byte
	for i := range len(s) {
		if c := s[i]; isAlnum(c) || strings.IndexByte("-_.!~*'()", c) >= 0 {
			out = append(out, c)
		} else {
			out = fmt.Appendf(out, "%%%02X", c)
		}
	}
	return string(out)
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func encodeBase64(s string) string {
	out := make([]byte, 0, (len(s)+2)/3*4)
	for ; len(s) > 0; s = s[min(3, len(s)):] {
		n := min(3, len(s))
		var group [3]byte
		copy(group[:], s)
		code := uint(group[0])<<16 | uint(group[1])<<8 | uint(group[2])
		for i := range 4 {
			if i <= n {
				out = append(out, base64Digits[code>>(18-6*i)&63])
			} else {
				out = append(out, '=')
			}
		}
	}
	return string(out)
}

// decodeBase64 takes digits up to a "=". Other characters are passed over
// where at least one group is left; what is not text is replaced.
func decodeBase64(s string) (Value, error) {
	var out []byte
	code, digits := uint(0), 0
	fault := false
	for i := range len(s) {
		if s[i] == '=' {
			break
		}
		d := strings.IndexByte(base64Digits, s[i])
		if d < 0 {
			fault = true
			break
		}
		code = code<<6 | uint(d)
		if digits++; digits == 4 {
			out = append(out, byte(code>>16), byte(code>>8), byte(code))
			code, digits = 0, 0
		}
	}
	if fault {
		return nil, typeError(s, "is not valid base64 data")
	}
	switch digits {
	case 1:
		return nil, typeError(s, "trailing base64 byte found")
	case 2:
		out = append(out, byte(code>>4))
	case 3:
		out = append(out, byte(code>>10), byte(code>>2))
	}
	return validText(string(out)), nil
}

// row is an array as a line of CSV or of tab-separated values.
func (m *Machine) row(in Value, name string) (Value, error) {
	a, ok := in.(*Array)
	if !ok {
		return nil, typeError(in, "cannot be "+name+"-formatted, only array")
	}
	separator, escape := byte(','), strings.NewReplacer(`"`, `""`)
	if name == "tsv" {
		separator, escape = '\t', strings.NewReplacer("\t", `\t`, "\r", `\r`, "\n", `\n`, `\`, `\\`)
	}
	var out []byte
	for i, item := range a.All() {
		if i > 0 {
			out = append(out, separator)
		}
		switch v := item.(type) {
		case nil:
		case bool:
			out = fmt.Append(out, v)
		case float64:
			if v == v {
				out = appendNumber(out, v)
			}
		case string:
			if name == "tsv" {
				out = append(out, escape.Replace(v)...)
			} else {
				out = append(append(append(out, '"'), escape.Replace(v)...), '"')
			}
			if err := m.memory.charge(2 * len(v)); err != nil {
				return nil, err
			}
		default:
			return nil, typeError(item, "is not valid in a csv row")
		}
	}
	return string(out), m.memory.charge(len(out))
}

// shellWords quotes a value, or each of an array, for a shell.
func (m *Machine) shellWords(in Value) (Value, error) {
	items := []Value{in}
	if a, ok := in.(*Array); ok {
		items = a.All()
	}
	var out []byte
	for i, item := range items {
		if i > 0 {
			out = append(out, ' ')
		}
		switch v := item.(type) {
		case string:
			if err := m.memory.charge(2 * len(v)); err != nil {
				return nil, err
			}
			out = append(append(append(out, '\''), strings.ReplaceAll(v, "'", `'\''`)...), '\'')
		case *Array, *Object:
			return nil, typeError(item, "can not be escaped for shell")
		default:
			text, err := toJSON(&m.memory, v)
			if err != nil {
				return nil, err
			}
			out = append(out, text...)
		}
	}
	return string(out), m.memory.charge(len(out))
}
