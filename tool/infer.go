package tool

import (
	"encoding"
	"encoding/json"
	"math/big"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// inferred is the schema of a Go type by its json and jsonschema tags: what
// encoding/json takes for it (arguments, whose root is open) or makes of it.
func inferred[T any](arguments bool) Schema {
	types := &jsonTypes{decoding: arguments, schemas: make(map[reflect.Type]*jsonschema.Schema), seen: make(map[reflect.Type]bool)}
	types.walk(reflect.TypeFor[T]())
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types.schemas})
	if err != nil {
		return Schema{err: err}
	}
	for _, below := range subschemas(s) {
		allowNilMaps(below.schema)
	}
	if arguments {
		s.AdditionalProperties = nil
	}
	text, err := json.Marshal(s)
	if err != nil {
		return Schema{err: err}
	}
	given := Raw(text)
	given.unchecked = false
	return given
}

// allowNilMaps lets maps be null, as the library lets slices.
func allowNilMaps(s *jsonschema.Schema) {
	if s.Type == "object" && s.Properties == nil && s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil {
		s.Type, s.Types = "", []string{"null", "object"}
	}
	for _, below := range subschemas(s) {
		allowNilMaps(below.schema)
	}
}

// jsonTypes finds the types that encoding/json treats in another way than the
// schema library by itself.
type jsonTypes struct {
	decoding bool
	schemas  map[reflect.Type]*jsonschema.Schema
	seen     map[reflect.Type]bool
}

func (j *jsonTypes) walk(t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if j.seen[t] {
		return
	}
	j.seen[t] = true
	if s := j.special(t); s != nil {
		j.schemas[t] = s
		return
	}
	j.inside(t)
}

func (j *jsonTypes) inside(t reflect.Type) {
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		j.walk(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			switch {
			case field.Anonymous:
				// Its fields are the outer one's, whatever it does by itself.
				embedded := field.Type
				if embedded.Kind() == reflect.Pointer {
					embedded = embedded.Elem()
				}
				if !j.seen[embedded] {
					j.inside(embedded)
				}
			case field.IsExported():
				j.walk(field.Type)
			}
		}
	}
}

// special is the schema of a type with a JSON form of its own, nil for others
// and for those that the library knows.
func (j *jsonTypes) special(t reflect.Type) *jsonschema.Schema {
	marshaler, text := reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()
	if j.decoding {
		marshaler, text = reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()
	}
	pointer := reflect.PointerTo(t)
	// Spelled out, since the library makes null of a pointer to anything.
	anything := &jsonschema.Schema{Types: []string{"null", "boolean", "number", "string", "array", "object"}}
	switch {
	case t == reflect.TypeFor[big.Int]():
		return &jsonschema.Schema{Type: "integer"}
	case t == reflect.TypeFor[json.Number]():
		return &jsonschema.Schema{Type: "number"}
	case t.PkgPath() == "time" || t.PkgPath() == "math/big" || t.PkgPath() == "log/slog":
		return nil
	case pointer.Implements(marshaler):
		return anything
	case pointer.Implements(text) && (j.decoding || t.Implements(text)):
		return &jsonschema.Schema{Type: "string"}
	case pointer.Implements(text):
		return anything // as text only where it can be addressed
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && j.special(t.Elem()) == nil:
		return &jsonschema.Schema{Types: []string{"null", "string"}, ContentEncoding: "base64"}
	}
	return nil
}
