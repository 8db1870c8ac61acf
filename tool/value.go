package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maximumDepth bounds how deep arrays and objects of a Value may nest: deeper
// ones would be a recursion of that depth in everyone who reads them.
const maximumDepth = 500

// Value is one JSON value of any kind, null when zero. It holds text, so it
// cannot be changed and shares no memory with what it was made from.
type Value struct {
	text string
}

// ParseValue reads one JSON value without loss: numbers keep their digits and
// members their order. It refuses what could not come back as it was, or what
// two readers could read differently: invalid UTF-8, unpaired surrogates, and
// an object that names a member twice.
func ParseValue(text []byte) (Value, error) {
	if !json.Valid(text) {
		var ignored any
		err := json.Unmarshal(text, &ignored)
		var syntax *json.SyntaxError
		switch {
		case len(bytes.TrimSpace(text)) == 0:
			return Value{}, errors.New("no JSON value")
		case errors.As(err, &syntax):
			return Value{}, fmt.Errorf("not JSON at byte %d: %s", syntax.Offset, strings.TrimPrefix(syntax.Error(), "json: "))
		}
		return Value{}, fmt.Errorf("not JSON: %v", err)
	}
	c := canonical{in: text}
	c.out.Grow(len(text))
	if err := c.value(0); err != nil {
		return Value{}, err
	}
	return Value{c.out.String()}, nil
}

// ValueOf is the JSON of a Go value, as json.Marshal makes it; a string that is
// not UTF-8 is an error, not replaced.
func ValueOf(v any) (Value, error) {
	if known, ok := v.(Value); ok {
		return known, nil
	}
	text, err := marshal(v)
	if err != nil {
		return Value{}, err
	}
	// The encoder writes a byte that is no UTF-8 as this escape, a real U+FFFD
	// as itself.
	for rest := text; ; {
		at := bytes.Index(rest, []byte(`\ufffd`))
		if at < 0 {
			break
		}
		slashes := len(rest[:at]) - len(bytes.TrimRight(rest[:at], `\`))
		if slashes%2 == 0 {
			return Value{}, errors.New("a string is not valid UTF-8")
		}
		rest = rest[at+1:]
	}
	return ParseValue(text)
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// String is the JSON text, without blanks.
func (v Value) String() string {
	if v.text == "" {
		return "null"
	}
	return v.text
}

// IsNull reports whether the value is null, as the zero Value is.
func (v Value) IsNull() bool { return v.String() == "null" }

// MarshalJSON is the text itself.
func (v Value) MarshalJSON() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalJSON is ParseValue.
func (v *Value) UnmarshalJSON(text []byte) (err error) {
	*v, err = ParseValue(text)
	return err
}

// Decode stores the value in what into points to, as json.Unmarshal does; a
// number in an interface is a json.Number.
func (v Value) Decode(into any) error {
	d := json.NewDecoder(strings.NewReader(v.String()))
	d.UseNumber()
	return d.Decode(into)
}

// Any is a fresh tree of map[string]any, []any, string, json.Number, bool and nil.
func (v Value) Any() any {
	var tree any
	if err := v.Decode(&tree); err != nil {
		panic(fmt.Sprintf("tool: a Value that is no JSON: %v", err))
	}
	return tree
}

// writeIntegersPlain writes the numbers that are integers of 64 bits without
// fraction and exponent.
func (v *Value) writeIntegersPlain() error {
	c := canonical{in: []byte(v.String()), plain: true}
	err := c.value(0)
	v.text = c.out.String()
	return err
}

// Member is an object's member; false when there is none or v is no object.
func (v Value) Member(name string) (Value, bool) {
	if !strings.HasPrefix(v.text, "{") {
		return Value{}, false
	}
	var members map[string]json.RawMessage
	if err := v.Decode(&members); err != nil {
		return Value{}, false
	}
	text, ok := members[name]
	return Value{string(text)}, ok
}

// Text is a string's content; false when v is no string.
func (v Value) Text() (string, bool) {
	var s string
	if !strings.HasPrefix(v.text, `"`) || v.Decode(&s) != nil {
		return "", false
	}
	return s, true
}

// canonical copies JSON text that is known to be valid, leaving out blanks and
// writing each string in one way.
type canonical struct {
	in    []byte
	at    int
	out   strings.Builder
	plain bool // write integers without fraction and exponent
}

func (c *canonical) blanks() {
	for c.at < len(c.in) && strings.IndexByte(" \t\r\n", c.in[c.at]) >= 0 {
		c.at++
	}
}

func (c *canonical) value(depth int) error {
	if depth > maximumDepth {
		return fmt.Errorf("nested deeper than %d", maximumDepth)
	}
	c.blanks()
	switch first := c.in[c.at]; first {
	case '{', '[':
		return c.composite(first, depth)
	case '"':
		_, err := c.str()
		return err
	}
	start := c.at
	for c.at < len(c.in) && strings.IndexByte(" \t\r\n,]}", c.in[c.at]) < 0 {
		c.at++
	}
	return c.scalar(string(c.in[start:c.at]))
}

// scalar copies a number or a word. An exponent of five digits is refused: it
// names a number that readers would spend memory to spell out.
func (c *canonical) scalar(text string) error {
	if e := strings.IndexAny(text, "eE"); e > 0 && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') {
		if len(strings.TrimLeft(text[e+1:], "+-0")) > 4 {
			return fmt.Errorf("the number %.40s is out of range", text)
		}
	}
	if c.plain && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') {
		if integer, ok := readDecimal(text).plain(20); ok {
			text = integer
		}
	}
	c.out.WriteString(text)
	return nil
}

func (c *canonical) composite(open byte, depth int) error {
	closing := open + 2 // in ASCII, for both
	c.out.WriteByte(open)
	c.at++
	var names map[string]struct{}
	for first := true; ; first = false {
		c.blanks()
		if c.in[c.at] == closing {
			c.at++
			c.out.WriteByte(closing)
			return nil
		}
		if !first {
			c.at++ // the comma
			c.out.WriteByte(',')
			c.blanks()
		}
		if open == '{' {
			name, err := c.str()
			if err != nil {
				return err
			}
			if _, twice := names[name]; twice {
				return fmt.Errorf("the object names %q twice", name)
			}
			if names == nil {
				names = make(map[string]struct{})
			}
			names[name] = struct{}{}
			c.blanks()
			c.at++ // the colon
			c.out.WriteByte(':')
		}
		if err := c.value(depth + 1); err != nil {
			return err
		}
	}
}

// str copies a string and returns what it says.
func (c *canonical) str() (string, error) {
	start := c.at
	for c.at++; c.in[c.at] != '"'; c.at++ {
		if c.in[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
	raw := c.in[start:c.at]
	if !utf8.Valid(raw) {
		return "", errors.New("a string is not valid UTF-8")
	}
	if err := checkSurrogates(raw); err != nil {
		return "", err
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", err
	}
	text, err := marshal(s)
	c.out.Write(text)
	return s, err
}

// checkSurrogates refuses half of a pair, which Go would replace in silence.
func checkSurrogates(raw []byte) error {
	unit := func(at int) rune {
		if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if r := unit(i); r >= 0 && utf16.IsSurrogate(r) {
			if next := unit(i + 6); next < 0 || utf16.DecodeRune(r, next) == utf8.RuneError {
				return fmt.Errorf("a string holds half of a surrogate pair (%s)", raw[i:i+6])
			}
			i += 6
		}
		i++ // an escaped backslash begins no escape; the rest of \uXXXX is no backslash
	}
	return nil
}
