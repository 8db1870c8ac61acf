package tooldir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vsh-project/vsh/tool"
)

// mappingKey is schema.json's own key, cut from what a model sees.
const mappingKey = "x-snens"

// schema is a tool's schema.json: what a model sees of its arguments, and how
// they become a command line and standard input.
type schema struct {
	model   []byte // JSON Schema without the mapping
	checker *tool.Checker
	argv    []element
	stdin   input
}

// element is one entry of argv: one of the document's {field} and {flag,
// when_field}, or ours, {flag, field} and {literal}.
type element struct {
	Field     string  `json:"field"`
	Flag      string  `json:"flag"`
	WhenField string  `json:"when_field"`
	Literal   *string `json:"literal"`
}

func (e element) check(known map[string]json.RawMessage) error {
	forms := 0
	if e.Literal != nil {
		forms++
		if e.Field+e.Flag+e.WhenField != "" {
			return errors.New("literal stands alone")
		}
	}
	if e.WhenField != "" {
		forms++
		if e.Flag == "" || e.Field != "" {
			return errors.New("when_field needs flag and nothing else")
		}
	}
	if e.Field != "" {
		forms++
	}
	if forms != 1 {
		return errors.New("none of {field}, {flag, when_field}, {flag, field}, {literal}")
	}
	for _, name := range []string{e.Field, e.WhenField} {
		if _, ok := known[name]; name != "" && !ok {
			return fmt.Errorf("no property %q", name)
		}
	}
	return nil
}

// input is how standard input is made: none, the value of one field, or an
// object of some fields.
type input struct {
	Mode   string   `json:"mode"`
	Field  string   `json:"field"`
	Fields []string `json:"fields"`
}

func (i input) check(known map[string]json.RawMessage) error {
	var named []string
	switch i.Mode {
	case "", "none":
		if i.Field != "" || len(i.Fields) > 0 {
			return errors.New("none takes no field")
		}
	case "field":
		if i.Field == "" || len(i.Fields) > 0 {
			return errors.New("field needs one field")
		}
		named = []string{i.Field}
	case "json":
		if len(i.Fields) == 0 || i.Field != "" {
			return errors.New("json needs fields")
		}
		named = i.Fields
	default:
		return fmt.Errorf("no mode %q", i.Mode)
	}
	for _, name := range named {
		if _, ok := known[name]; !ok {
			return fmt.Errorf("no property %q", name)
		}
	}
	return nil
}

func parseSchema(text []byte) (*schema, error) {
	whole, err := tool.ParseValue(text)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := whole.Decode(&members); err != nil {
		return nil, errors.New("not an object")
	}
	var kind string
	if json.Unmarshal(members["type"], &kind) != nil || kind != "object" {
		return nil, errors.New(`its type is not "object"`)
	}
	var properties map[string]json.RawMessage
	if json.Unmarshal(members["properties"], &properties) != nil || properties == nil {
		return nil, errors.New("no properties")
	}
	mapping, ok := members[mappingKey]
	if !ok {
		return nil, errors.New("no " + mappingKey)
	}
	var how struct {
		Argv  []element `json:"argv"`
		Stdin input     `json:"stdin"`
	}
	strict := json.NewDecoder(bytes.NewReader(mapping))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&how); err != nil {
		return nil, fmt.Errorf("%s: %w", mappingKey, err)
	}
	for i, e := range how.Argv {
		if err := e.check(properties); err != nil {
			return nil, fmt.Errorf("%s.argv[%d]: %w", mappingKey, i, err)
		}
	}
	if err := how.Stdin.check(properties); err != nil {
		return nil, fmt.Errorf("%s.stdin: %w", mappingKey, err)
	}
	s := &schema{argv: how.Argv, stdin: how.Stdin}
	if s.model, err = withoutMember(whole, mappingKey); err != nil {
		return nil, err
	}
	s.checker, err = tool.NewChecker(tool.Raw(s.model))
	return s, err
}

// withoutMember is an object's JSON without one member, the others in order.
func withoutMember(v tool.Value, name string) ([]byte, error) {
	text, err := v.MarshalJSON()
	if err != nil {
		return nil, err
	}
	in := json.NewDecoder(bytes.NewReader(text))
	if _, err := in.Token(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, err
		}
		if key == name {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		quoted, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		out.Write(quoted)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// bind makes a command line and standard input of a model's arguments.
func (s *schema) bind(arguments tool.Value) (argv []string, stdin []byte, err error) {
	for _, e := range s.argv {
		if e.Literal != nil {
			argv = append(argv, *e.Literal)
			continue
		}
		if e.WhenField != "" {
			v, ok := arguments.Member(e.WhenField)
			if ok && v.String() == "true" {
				argv = append(argv, e.Flag)
			}
			continue
		}
		v, ok := arguments.Member(e.Field)
		if !ok || v.IsNull() {
			continue
		}
		for _, text := range words(v) {
			if e.Flag != "" {
				argv = append(argv, e.Flag)
			}
			argv = append(argv, text)
		}
	}
	switch s.stdin.Mode {
	case "field":
		if v, ok := arguments.Member(s.stdin.Field); ok && !v.IsNull() {
			stdin = []byte(plain(v))
		}
	case "json":
		var out bytes.Buffer
		out.WriteByte('{')
		for _, name := range s.stdin.Fields {
			v, ok := arguments.Member(name)
			if !ok {
				continue
			}
			if out.Len() > 1 {
				out.WriteByte(',')
			}
			quoted, err := json.Marshal(name)
			if err != nil {
				return nil, nil, err
			}
			out.Write(quoted)
			out.WriteByte(':')
			out.WriteString(v.String())
		}
		out.WriteByte('}')
		stdin = out.Bytes()
	}
	return argv, stdin, nil
}

// words are a value's command-line words: an array repeats.
func words(v tool.Value) []string {
	var list []json.RawMessage
	if v.Decode(&list) != nil || list == nil {
		return []string{plain(v)}
	}
	texts := make([]string, 0, len(list))
	for _, item := range list {
		if one, err := tool.ParseValue(item); err == nil {
			texts = append(texts, plain(one))
		}
	}
	return texts
}

// plain is a string's text, and every other value's JSON.
func plain(v tool.Value) string {
	if text, ok := v.Text(); ok {
		return text
	}
	return v.String()
}
