package tool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Schema is a JSON Schema made by the constructors of this package or given
// raw. It cannot be changed: methods return a new one. What was wrong in its
// making is reported when a definition that uses it is registered.
type Schema struct {
	members   []member // nil for the zero Schema, which says nothing
	raw       Value
	isRaw     bool
	unchecked bool
	err       error
}

// member is one keyword of a schema, in the order it is written.
type member struct {
	keyword string
	value   any
}

// Additional says whether an object may have properties that its schema does
// not name.
type Additional bool

// Every object that is not the root of parameters says which.
const (
	Open   Additional = true
	Closed Additional = false
)

// Field is one property of an object.
type Field struct {
	name     string
	schema   Schema
	required bool
}

// Required is a property that must be there.
func Required(name string, schema Schema) Field { return Field{name, schema, true} }

// Optional is a property that may be missing.
func Optional(name string, schema Schema) Field { return Field{name, schema, false} }

// String, Number, Integer, Boolean and Null accept every value of their type.
func String() Schema  { return ofType("string") }
func Number() Schema  { return ofType("number") }
func Integer() Schema { return ofType("integer") }
func Boolean() Schema { return ofType("boolean") }
func Null() Schema    { return ofType("null") }

// Anything accepts every value.
func Anything() Schema { return Schema{members: []member{}} }

func ofType(name string) Schema { return Schema{members: []member{{"type", name}}} }

// Const accepts one value only.
func Const(value any) Schema { return Schema{members: []member{{"const", value}}} }

// Enum accepts the values listed.
func Enum(values ...any) Schema {
	s := Schema{members: []member{{"enum", values}}}
	if len(values) == 0 {
		s.err = errors.New("Enum lists no value")
	}
	words := len(values) > 0
	for _, v := range values {
		_, isString := v.(string)
		words = words && isString
	}
	if words {
		s.members = append([]member{{"type", "string"}}, s.members...)
	}
	return s
}

// Array accepts lists whose every item fits.
func Array(item Schema) Schema {
	return Schema{members: []member{{"type", "array"}, {"items", item}}, err: item.err}
}

// OneOf accepts what fits exactly one of the alternatives.
func OneOf(alternatives ...Schema) Schema {
	s := Schema{members: []member{{"oneOf", alternatives}}}
	if len(alternatives) == 0 {
		s.err = errors.New("OneOf lists no alternative")
	}
	for _, a := range alternatives {
		s.err = errors.Join(s.err, a.err)
	}
	return s
}

// Object accepts objects with these properties.
func Object(additional Additional, fields ...Field) Schema {
	s := properties(fields)
	s.members = append(s.members, member{"additionalProperties", bool(additional)})
	return s
}

// Parameters is the root of a tool's arguments: an object that stays open, so a
// model that adds a member it likes is not refused.
func Parameters(fields ...Field) Schema { return properties(fields) }

func properties(fields []Field) Schema {
	var s Schema
	var named []member
	required := []string{}
	for _, f := range fields {
		for _, other := range named {
			if other.keyword == f.name {
				s.err = errors.Join(s.err, fmt.Errorf("the property %q is declared twice", f.name))
			}
		}
		if f.schema.err != nil {
			s.err = errors.Join(s.err, fmt.Errorf("property %q: %w", f.name, f.schema.err))
		}
		named = append(named, member{f.name, f.schema})
		if f.required {
			required = append(required, f.name)
		}
	}
	s.members = []member{{"type", "object"}, {"properties", Schema{members: append([]member{}, named...)}}}
	if len(required) > 0 {
		s.members = append(s.members, member{"required", required})
	}
	return s
}

// Describe adds the words a model reads.
func (s Schema) Describe(text string) Schema {
	if s.isRaw {
		s.err = errors.Join(s.err, errors.New("a raw schema carries its own description"))
		return s
	}
	kept := slices.DeleteFunc(slices.Clone(s.members), func(m member) bool { return m.keyword == "description" })
	s.members = append(kept, member{"description", text})
	return s
}

// Raw is JSON Schema as text. A tool whose parameters are raw checks its
// arguments itself; a raw output schema is checked like any other.
func Raw(text []byte) Schema {
	v, err := ParseValue(text)
	if err != nil {
		err = fmt.Errorf("raw schema: %w", err)
	}
	return Schema{raw: v, isRaw: true, unchecked: true, err: err}
}

// IsZero reports that nothing was said, not even that anything fits.
func (s Schema) IsZero() bool { return s.members == nil && !s.isRaw && s.err == nil }

// MarshalJSON writes keywords and properties in the order they were given.
func (s Schema) MarshalJSON() ([]byte, error) {
	if s.isRaw {
		return s.raw.MarshalJSON()
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range s.members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := marshal(m.keyword)
		if err != nil {
			return nil, err
		}
		value, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}
