package grep

import "strings"

// Colors are the SGR sequences of GREP_COLORS.
type Colors struct {
	SelectedMatch string // ms
	ContextMatch  string // mc
	SelectedLine  string // sl
	ContextLine   string // cx
	Reverse       bool   // rv: with -v the lines' colours change places
	Name          string // fn
	LineNumber    string // ln
	ByteOffset    string // bn
	Separator     string // se
	NoErase       bool   // ne: no erase to the line's end
}

var noColors Colors

// ParseColors reads GREP_COLORS over the defaults; what follows a faulty
// capability is ignored, as GNU grep does. mt is GREP_COLOR's value, or "".
func ParseColors(text, mt string) *Colors {
	c := &Colors{SelectedMatch: "01;31", ContextMatch: "01;31", Name: "35", LineNumber: "32", ByteOffset: "32", Separator: "36"}
	if mt != "" {
		c.SelectedMatch, c.ContextMatch = mt, mt
	}
	for _, part := range strings.Split(text, ":") {
		name, value, hasValue := strings.Cut(part, "=")
		if strings.Trim(value, "0123456789;") != "" {
			return c
		}
		if !hasValue {
			switch name {
			case "rv":
				c.Reverse = true
			case "ne":
				c.NoErase = true
			}
			continue
		}
		switch name {
		case "mt":
			c.SelectedMatch, c.ContextMatch = value, value
		case "ms":
			c.SelectedMatch = value
		case "mc":
			c.ContextMatch = value
		case "sl":
			c.SelectedLine = value
		case "cx":
			c.ContextLine = value
		case "fn":
			c.Name = value
		case "ln":
			c.LineNumber = value
		case "bn":
			c.ByteOffset = value
		case "se":
			c.Separator = value
		}
	}
	return c
}

func (c *Colors) erase() string {
	if c.NoErase {
		return ""
	}
	return "\x1b[K"
}

// line gives the colours of a line and of the matches in it.
func (c *Colors) line(selected, invert bool) (line, match string) {
	if c == nil {
		return "", ""
	}
	line, match = c.ContextLine, c.ContextMatch
	if selected != (invert && c.Reverse) {
		line = c.SelectedLine
	}
	if selected {
		match = c.SelectedMatch
	}
	return line, match
}
