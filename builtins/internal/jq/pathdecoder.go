package jq

// pathDecoder is the part of a Decoder that yields [path, leaf] events.
type pathDecoder struct {
	path  []Value
	depth int
	last  lastSeen
	// output are events that wait to be taken.
	output []Value
}

type lastSeen uint8

const (
	lastNone lastSeen = iota
	lastOpenArray
	lastOpenObject
	lastColon
	lastComma
	lastValue
)

func (s *pathDecoder) pathValue() Value { return newArray(append([]Value(nil), s.path...)) }

func (s *pathDecoder) take(d *Decoder) (Value, bool) {
	if s.depth == 0 && d.hasNext {
		v := newArray([]Value{s.pathValue(), d.next})
		d.next, d.hasNext = nil, false
		return v, true
	}
	if len(s.output) == 0 {
		return nil, false
	}
	v := s.output[0]
	s.output = s.output[1:]
	return v, true
}

// emit queues the leaf that next holds.
func (s *pathDecoder) emit(d *Decoder) {
	s.output = append(s.output, newArray([]Value{s.pathValue(), d.next}))
	d.next, d.hasNext = nil, false
}

func (s *pathDecoder) structure(d *Decoder, c byte) error {
	top := Value(nil)
	if s.depth > 0 {
		top = s.path[s.depth-1]
	}
	_, inArray := top.(float64)
	switch c {
	case '[', '{':
		return s.open(d, c)
	case ':':
		_, isString := d.next.(string)
		switch {
		case s.depth == 0 || inArray:
			return &parseError{"':' not as part of an object"}
		case !d.hasNext || s.last == lastNone:
			return &parseError{"Expected string key before ':'"}
		case !isString:
			return &parseError{"Object keys must be strings"}
		case s.last != lastValue:
			return &parseError{"':' should follow a key"}
		}
		s.last = lastColon
		s.path[s.depth-1] = d.next
		d.next, d.hasNext = nil, false
	case ',':
		_, isKey := top.(string)
		switch {
		case s.last != lastValue:
			return &parseError{"Expected value before ','"}
		case s.depth == 0:
			return &parseError{"',' not as part of an object or array"}
		case !inArray && !isKey:
			return &parseError{"Objects must consist of key:value pairs"}
		}
		if d.hasNext {
			s.emit(d)
		}
		if inArray {
			s.path[s.depth-1] = top.(float64) + 1
		} else {
			s.path[s.depth-1] = true
		}
		s.last = lastComma
	case ']':
		switch {
		case s.depth == 0:
			return &parseError{"Unmatched ']' at the top-level"}
		case s.last == lastComma:
			return &parseError{"Expected another array element"}
		case !inArray:
			return &parseError{"Unmatched ']' in the middle of an object"}
		}
		s.close(d, lastOpenArray, &Array{})
	case '}':
		_, isKey := top.(string)
		switch {
		case s.depth == 0:
			return &parseError{"Unmatched '}' at the top-level"}
		case s.last == lastComma:
			return &parseError{"Expected another key:value pair"}
		case inArray:
			return &parseError{"Unmatched '}' in the middle of an array"}
		case d.hasNext && !isKey:
			return &parseError{"Objects must consist of key:value pairs"}
		case !d.hasNext && s.last == lastColon:
			return &parseError{"Missing value in key:value pair"}
		}
		s.close(d, lastOpenObject, &Object{})
	}
	return nil
}

func (s *pathDecoder) open(d *Decoder, c byte) error {
	switch {
	case s.depth >= maxParseDepth:
		return &parseError{"Exceeds depth limit for parsing"}
	case c == '[' && d.hasNext || c == '{' && s.last == lastValue:
		return &parseError{"Expected a separator between values"}
	}
	if c == '[' {
		s.path, s.last = append(s.path, 0.0), lastOpenArray
	} else {
		s.path, s.last = append(s.path, nil), lastOpenObject
	}
	s.depth++
	return nil
}

// close ends an array or object; an empty one is a leaf.
func (s *pathDecoder) close(d *Decoder, opened lastSeen, empty Value) {
	if d.hasNext {
		s.emit(d)
		s.output = append(s.output, newArray([]Value{s.pathValue()}))
	} else if s.last != opened {
		s.output = append(s.output, newArray([]Value{s.pathValue()}))
	}
	s.depth--
	s.path = s.path[:s.depth]
	if s.last == opened {
		s.output = append(s.output, newArray([]Value{s.pathValue(), empty}))
	}
	s.last = lastValue
	if s.depth == 0 {
		s.last = lastNone
	}
}
