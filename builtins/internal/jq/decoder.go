package jq

import (
	"bytes"
	"errors"
	"fmt"
)

// Decoder reads JSON texts one after the other from pieces of input.
type Decoder struct {
	// stream makes it yield paths and leaves as soon as they are read.
	stream *pathDecoder
	// seq is RFC 7464: each text follows an RS.
	seq bool
	// streamErrors yields errors as values of the stream.
	streamErrors bool
	memory       *meter

	buffer []byte
	last   bool
	ended  bool
	token  []byte
	state  decoderState
	space  bool
	// next is the value just read, whose use is not known yet.
	next         Value
	hasNext      bool
	stack        []container
	line, column int
	bom          int
}

type decoderState uint8

const (
	stateNormal decoderState = iota
	stateString
	stateEscape
	// stateLost waits for an RS after an error.
	stateLost
)

// container is an array or object being read. A key waits for its value.
type container struct {
	array  bool
	items  []Value
	object objectBuilder
	key    string
	hasKey bool
}

// maxParseDepth is the deepest nesting of a text that is read.
const maxParseDepth = 256

// newDecoder draws the values it makes from memory, which may be nil.
func newDecoder(memory *meter) *Decoder { return &Decoder{line: 1, memory: memory} }

// parseError is a fault of a text, with its place.
type parseError struct{ text string }

func (e *parseError) Error() string { return e.text }

var (
	errNeedInput = errors.New("more input needed")
	errEndOfText = errors.New("end of input")
)

// feed gives the decoder a piece, the last one or one of more to come. The
// piece before must have been used up.
func (d *Decoder) feed(piece []byte, last bool) {
	mark := "\xef\xbb\xbf"
	for d.bom >= 0 && d.bom < len(mark) && len(piece) > 0 {
		if piece[0] != mark[d.bom] {
			if d.bom == 0 {
				d.bom = -1
			} else {
				d.bom = -2
			}
			break
		}
		piece = piece[1:]
		d.bom++
	}
	d.buffer, d.last = piece, last
}

// decode returns the next value, errNeedInput, errEndOfText, or a *parseError.
// The rest of the piece is dropped after a fault.
func (d *Decoder) decode() (Value, error) {
	if d.ended {
		return nil, errEndOfText
	}
	if d.bom == -2 {
		d.bom = -1
		d.reset()
		if !d.seq {
			return nil, &parseError{"Malformed BOM"}
		}
		d.state = stateLost
	}
	if d.stream != nil {
		if v, ok := d.stream.take(d); ok {
			return v, nil
		}
	}
	for len(d.buffer) > 0 {
		c := d.buffer[0]
		if d.state == stateString {
			n, err := d.plain()
			if err != nil {
				return nil, err
			}
			if n > 0 {
				continue
			}
		}
		d.buffer = d.buffer[1:]
		if d.state == stateLost {
			d.advance(c)
			if c == recordSeparator {
				d.state = stateNormal
			}
			continue
		}
		v, done, err := d.scan(c)
		if err != nil {
			return d.fail(c, err)
		}
		if done {
			return v, nil
		}
	}
	if !d.last {
		return nil, errNeedInput
	}
	return d.finish()
}

const recordSeparator = 0x1e

func (d *Decoder) fail(c byte, err error) (Value, error) {
	var fault *parseError
	if !errors.As(err, &fault) {
		return nil, err
	}
	note := ""
	if c != recordSeparator && d.seq {
		note = " (need RS to resync)"
	}
	v, err := d.fault("%s at line %d, column %d%s", fault.text, d.line, d.column, note)
	d.reset()
	switch {
	case note != "":
		d.state = stateLost
	case !d.seq:
		d.buffer = nil
	}
	return v, err
}

func (d *Decoder) finish() (Value, error) {
	d.ended = true
	fail := func(text string) (Value, error) {
		v, err := d.fault("%s at EOF at line %d, column %d", text, d.line, d.column)
		d.reset()
		return v, err
	}
	switch {
	case d.state == stateLost:
		return fail("Unfinished abandoned text")
	case d.state != stateNormal:
		return fail("Unfinished string")
	}
	if err := d.literal(); err != nil {
		return fail(err.Error())
	}
	if len(d.stack) > 0 || d.stream != nil && d.stream.depth > 0 {
		return fail("Unfinished JSON term")
	}
	if !d.hasNext {
		return nil, errEndOfText
	}
	v := d.next
	d.next, d.hasNext = nil, false
	if d.seq && !d.space && kindOf(v) == kindNumber {
		return d.fault("%s at EOF at line %d, column %d", "Potentially truncated top-level numeric value", d.line, d.column)
	}
	if d.stream != nil {
		v = newArray([]Value{&Array{}, v})
	}
	return v, nil
}

func (d *Decoder) fault(format string, args ...any) (Value, error) {
	text := fmt.Sprintf(format, args...)
	if d.stream != nil && d.streamErrors {
		return newArray([]Value{text, d.stream.pathValue()}), nil
	}
	return nil, &parseError{text}
}

func (d *Decoder) reset() {
	d.token, d.state = d.token[:0], stateNormal
	d.next, d.hasNext = nil, false
	d.stack = d.stack[:0]
	if d.stream != nil {
		*d.stream = pathDecoder{}
	}
}

func (d *Decoder) advance(c byte) {
	d.column++
	if c == '\n' {
		d.line++
		d.column = 0
	}
}

// plain takes over what needs no look inside a string.
func (d *Decoder) plain() (int, error) {
	n := 0
	for n < len(d.buffer) {
		if c := d.buffer[n]; c == '"' || c == '\\' || c == '\n' || c == recordSeparator {
			break
		}
		n++
	}
	if err := d.room(n); err != nil {
		return 0, err
	}
	d.token = append(d.token, d.buffer[:n]...)
	d.column += n
	d.buffer = d.buffer[n:]
	return n, nil
}

// room charges what the token takes when it has to move to hold n more bytes:
// an input can be one string or number without an end.
func (d *Decoder) room(n int) error {
	if len(d.token)+n <= cap(d.token) {
		return nil
	}
	return d.memory.charge(2*cap(d.token) + 2*n)
}

func (d *Decoder) scan(c byte) (Value, bool, error) {
	d.advance(c)
	if c == recordSeparator {
		return d.separator()
	}
	d.space = false
	if d.state != stateNormal {
		return d.inString(c)
	}
	structure := false
	switch c {
	case ' ', '\t', '\r', '\n':
		d.space = true
	case '"':
	case '[', '{', ':', ',', ']', '}':
		structure = true
	default:
		if err := d.room(1); err != nil {
			return nil, false, err
		}
		d.token = append(d.token, c)
		return nil, false, nil
	}
	if err := d.literal(); err != nil {
		return nil, false, err
	}
	v, done := d.take()
	switch {
	case c == '"':
		d.state = stateString
	case structure:
		var err error
		if d.stream != nil {
			err = d.stream.structure(d, c)
		} else {
			err = d.structure(c)
		}
		if err != nil {
			return nil, false, err
		}
	}
	if !done {
		v, done = d.take()
	}
	return v, done, nil
}

// separator ends a text at an RS.
func (d *Decoder) separator() (Value, bool, error) {
	unfinished := d.state != stateNormal || len(d.stack) > 0 || d.stream != nil && d.stream.depth > 0
	if !d.space && (unfinished || len(d.token) > 0) {
		if d.literal() == nil && len(d.stack) == 0 && d.hasNext && kindOf(d.next) == kindNumber {
			return nil, false, &parseError{"Potentially truncated top-level numeric value"}
		}
		return nil, false, &parseError{"Truncated value"}
	}
	if err := d.literal(); err != nil {
		return nil, false, err
	}
	if d.state == stateNormal {
		if v, ok := d.take(); ok {
			return v, true, nil
		}
	}
	d.reset()
	return nil, false, nil
}

func (d *Decoder) inString(c byte) (Value, bool, error) {
	if c == '"' && d.state == stateString {
		err := d.memory.charge(len(d.token) + valueSize)
		s := ""
		if err == nil {
			s, err = unescape(d.token)
		}
		if err == nil {
			err = d.value(s)
		}
		if err != nil {
			return nil, false, err
		}
		d.token, d.state = d.token[:0], stateNormal
		v, done := d.take()
		return v, done, nil
	}
	if err := d.room(1); err != nil {
		return nil, false, err
	}
	d.token = append(d.token, c)
	if c == '\\' && d.state == stateString {
		d.state = stateEscape
	} else {
		d.state = stateString
	}
	return nil, false, nil
}

// take returns a finished value.
func (d *Decoder) take() (Value, bool) {
	if d.stream != nil {
		return d.stream.take(d)
	}
	if len(d.stack) > 0 || !d.hasNext {
		return nil, false
	}
	v := d.next
	d.next, d.hasNext = nil, false
	return v, true
}

func (d *Decoder) value(v Value) error {
	if d.hasNext || d.stream != nil && d.stream.last == lastValue {
		return &parseError{"Expected separator between values"}
	}
	if d.stream != nil {
		d.stream.last = lastNone
		if d.stream.depth > 0 {
			d.stream.last = lastValue
		}
	}
	d.next, d.hasNext = v, true
	return nil
}

// literal ends a number or name.
func (d *Decoder) literal() error {
	if len(d.token) == 0 || d.state != stateNormal {
		return nil
	}
	var v Value
	name := ""
	switch d.token[0] {
	case 't':
		name, v = "true", true
	case 'f':
		name, v = "false", false
	case 'n':
		// It may be "nan".
		if len(d.token) != 3 {
			name = "null"
		}
	}
	if name != "" && string(d.token) != name {
		return &parseError{"Invalid literal"}
	}
	if name == "" {
		n, ok := parseNumber(d.token)
		if !ok {
			return &parseError{"Invalid numeric literal"}
		}
		v = n
	}
	if err := d.memory.charge(valueSize); err != nil {
		return err
	}
	if err := d.value(v); err != nil {
		return err
	}
	d.token = d.token[:0]
	return nil
}

func (d *Decoder) structure(c byte) error {
	var top *container
	if n := len(d.stack); n > 0 {
		top = &d.stack[n-1]
	}
	switch c {
	case '[', '{':
		if len(d.stack) >= maxParseDepth {
			return &parseError{"Exceeds depth limit for parsing"}
		}
		if d.hasNext {
			return &parseError{"Expected separator between values"}
		}
		d.stack = append(d.stack, container{array: c == '['})
	case ':':
		key, isString := d.next.(string)
		switch {
		case !d.hasNext:
			return &parseError{"Expected string key before ':'"}
		case top == nil || top.array || top.hasKey:
			return &parseError{"':' not as part of an object"}
		case !isString:
			return &parseError{"Object keys must be strings"}
		}
		top.key, top.hasKey = key, true
		d.next, d.hasNext = nil, false
	case ',':
		switch {
		case !d.hasNext:
			return &parseError{"Expected value before ','"}
		case top == nil:
			return &parseError{"',' not as part of an object or array"}
		case !top.array && !top.hasKey:
			return &parseError{"Objects must consist of key:value pairs"}
		}
		return d.store(top)
	default:
		return d.close(top, c)
	}
	return nil
}

func (d *Decoder) store(top *container) error {
	size := valueSize
	if top.array {
		top.items = append(top.items, d.next)
	} else {
		top.object.set(top.key, d.next)
		top.hasKey = false
		size = entrySize
	}
	d.next, d.hasNext = nil, false
	return d.memory.charge(size)
}

func (d *Decoder) close(top *container, c byte) error {
	switch {
	case c == '}' && top != nil && d.hasNext && !top.hasKey:
		return &parseError{"Objects must consist of key:value pairs"}
	case top == nil || top.array != (c == ']'):
		return &parseError{"Unmatched '" + string(c) + "'"}
	}
	switch {
	case d.hasNext:
		if err := d.store(top); err != nil {
			return err
		}
	case top.hasKey:
		return &parseError{"Unmatched '}'"}
	case top.array && len(top.items) > 0:
		return &parseError{"Expected another array element"}
	case !top.array && top.object.object != nil:
		return &parseError{"Expected another key-value pair"}
	}
	if top.array {
		d.next = newArray(top.items)
	} else {
		d.next = top.object.done()
	}
	d.hasNext = true
	*top = container{}
	d.stack = d.stack[:len(d.stack)-1]
	return nil
}

// parseText reads one JSON text that is the whole of s.
func parseText(s string) (Value, error) { return parseAll(nil, s) }

func parseAll(memory *meter, s string) (Value, error) {
	d := newDecoder(memory)
	defer memory.addRoot(d.measure)()
	d.feed([]byte(s), true)
	fail := func(text string) (Value, error) {
		return nil, raise("%s (while parsing '%s')", text, s)
	}
	v, err := d.decode()
	var fault *parseError
	switch {
	case err == errEndOfText:
		return fail("Expected JSON value")
	case errors.As(err, &fault):
		return fail(fault.text)
	case err != nil:
		return nil, err
	}
	_, err = d.decode()
	switch {
	case err == errEndOfText:
		return v, nil
	case err == nil:
		return fail("Unexpected extra JSON values")
	case errors.As(err, &fault):
		return fail(fault.text)
	}
	return nil, err
}

// measure adds what is being read.
func (d *Decoder) measure(c *measurement) {
	c.total += int64(cap(d.token))
	c.add(d.next)
	for i := range d.stack {
		top := &d.stack[i]
		c.total += int64(cap(top.items)) * valueSize
		for _, v := range top.items {
			c.add(v)
		}
		if top.object.object != nil {
			c.add(top.object.object)
		}
	}
}

// unescape resolves a JSON string's escapes.
func unescape(raw []byte) (string, error) {
	var out []byte
	for i := 0; i < len(raw); {
		c := raw[i]
		if c < 0x20 {
			return "", &parseError{"Invalid string: control characters from U+0000 through U+001F must be escaped"}
		}
		if c != '\\' {
			end := i + 1
			for end < len(raw) && raw[end] >= 0x20 && raw[end] != '\\' {
				end++
			}
			if i == 0 && end == len(raw) {
				return validText(string(raw)), nil
			}
			out = append(out, raw[i:end]...)
			i = end
			continue
		}
		if i+1 == len(raw) {
			return "", &parseError{"Expected escape character at end of string"}
		}
		i += 2
		at := bytes.IndexByte([]byte(`\"/bfntr`), raw[i-1])
		switch {
		case at >= 0:
			out = append(out, "\\\"/\b\f\n\t\r"[at])
		case raw[i-1] == 'u':
			r, n, err := unescapeCode(raw[i:])
			if err != nil {
				return "", err
			}
			out = append(out, string(r)...)
			i += n
		default:
			return "", &parseError{"Invalid escape"}
		}
	}
	return validText(string(out)), nil
}

// unescapeCode reads XXXX or XXXX\uXXXX and tells their length.
func unescapeCode(raw []byte) (rune, int, error) {
	if len(raw) < 4 {
		return 0, 0, &parseError{`Invalid \uXXXX escape`}
	}
	r, ok := hex4(raw)
	if !ok {
		return 0, 0, &parseError{`Invalid characters in \uXXXX escape`}
	}
	if r < 0xd800 || r > 0xdbff {
		return r, 4, nil
	}
	low, ok := rune(0), false
	if len(raw) >= 10 && raw[4] == '\\' && raw[5] == 'u' {
		low, ok = hex4(raw[6:])
	}
	if !ok || low < 0xdc00 || low > 0xdfff {
		return 0, 0, &parseError{`Invalid \uXXXX\uXXXX surrogate pair escape`}
	}
	return 0x10000 + (r-0xd800)<<10 + low - 0xdc00, 10, nil
}

func hex4(raw []byte) (r rune, ok bool) {
	for _, c := range raw[:4] {
		switch {
		case isDigit(c):
			r = r<<4 + rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 + rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 + rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
