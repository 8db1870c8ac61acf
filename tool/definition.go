// Package tool is a tool as the host of an AI agent sees it: definitions whose
// arguments and results are checked against JSON Schema, a registry of them,
// and calls that end in one canonical JSON value or in an error a model can
// act on. It knows nothing of shells or of any transport.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Definition is one tool. Register borrows it: it must not be changed after.
type Definition struct {
	// Name is what a model calls: 1 to 64 of A-Z a-z 0-9 _ and -.
	Name string
	// Description is what a model reads about it.
	Description string
	// Parameters is the schema of the arguments, an object. When it is Raw,
	// Execute checks its arguments itself; else they fit when it is called.
	Parameters Schema
	// Output is what a call gives.
	Output Output
	// Execute does the work and returns the one value of the call, which must
	// fit Output.Schema. An error, or a panic, is for what kept the tool from
	// working; an outcome the caller may not like, such as a non-zero exit
	// status, is a value. It must end soon after ctx does. It is called
	// concurrently.
	Execute func(ctx context.Context, call *Call) (any, error)

	err error // what was wrong in its making
}

// Output describes the value of a call and its two readings. Render and Meta
// must depend on nothing but their arguments: they are run again at a replay.
type Output struct {
	// Schema is the value's; its root may be of any type. Required.
	Schema Schema
	// Render makes what the model reads. Required.
	Render func(arguments, value Value) ([]Content, error)
	// Meta makes the JSON a host keeps with the call, for what it shows to
	// people, since the value itself is not kept. Nil makes none. It is not
	// called for a call made inside another.
	Meta func(arguments, value Value) (any, error)
}

// Content is one block of what a model reads.
type Content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Text is content of one block of text.
func Text(text string) []Content { return []Content{{Type: "text", Text: text}} }

// Typed is a Definition whose arguments and value are Go types. A zero
// Parameters or Output is the schema of the type, by its json and jsonschema
// tags; a type that refers to itself, or a field with the json option string,
// needs one that is given.
type Typed[In, Out any] struct {
	Name, Description  string
	Parameters, Output Schema
	Execute            func(ctx context.Context, call *Call, in In) (Out, error)
	// Render makes what the model reads; nil renders the value's JSON, or its
	// text when it is a string.
	Render func(in In, out Out) ([]Content, error)
	Meta   func(in In, out Out) (any, error)
}

// Define makes a Definition of typed functions. What is wrong with it is
// reported by Register.
func Define[In, Out any](t Typed[In, Out]) *Definition {
	d := &Definition{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Output: Output{Schema: t.Output, Render: renderJSON}}
	if t.Parameters.IsZero() {
		d.Parameters = inferred[In](true)
	}
	if t.Output.IsZero() {
		d.Output.Schema = inferred[Out](false)
	}
	if t.Execute == nil {
		d.err = errors.New("Execute is required")
		return d
	}
	d.Execute = func(ctx context.Context, call *Call) (any, error) {
		var in In
		if err := decodeArguments(call.Arguments(), &in); err != nil {
			return nil, err
		}
		return t.Execute(ctx, call, in)
	}
	if t.Render != nil {
		d.Output.Render = func(arguments, value Value) ([]Content, error) {
			in, out, err := decodeBoth[In, Out](arguments, value)
			if err != nil {
				return nil, err
			}
			return t.Render(in, out)
		}
	}
	if t.Meta != nil {
		d.Output.Meta = func(arguments, value Value) (any, error) {
			in, out, err := decodeBoth[In, Out](arguments, value)
			if err != nil {
				return nil, err
			}
			return t.Meta(in, out)
		}
	}
	return d
}

func decodeBoth[In, Out any](arguments, value Value) (in In, out Out, err error) {
	return in, out, errors.Join(decodeArguments(arguments, &in), value.Decode(&out))
}

// badArguments are arguments that fit their schema and not their Go type.
type badArguments struct{ misfit *Misfit }

func (b *badArguments) Error() string { return b.misfit.Error() }

// decodeArguments reads arguments that fit their schema. There 5.0 is an
// integer, which encoding/json does not store in one of Go's.
func decodeArguments(arguments Value, into any) error {
	err := arguments.Decode(into)
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Value, "number ") {
		return err
	}
	plain := arguments
	if err := plain.writeIntegersPlain(); err != nil {
		return err
	}
	if err = plain.Decode(into); !errors.As(err, &wrong) {
		return err
	}
	number, isNumber := strings.CutPrefix(wrong.Value, "number ")
	if !isNumber {
		return err
	}
	expected := "a number that a " + wrong.Type.String() + " holds"
	switch kind := wrong.Type.Kind(); {
	case kind >= reflect.Int && kind <= reflect.Int64:
		most := uint64(1)<<(wrong.Type.Bits()-1) - 1
		expected = fmt.Sprintf("an integer from -%d to %d", most+1, most)
	case kind >= reflect.Uint && kind <= reflect.Uintptr:
		expected = fmt.Sprintf("an integer from 0 to %d", ^uint64(0)>>(64-wrong.Type.Bits()))
	}
	return &badArguments{&Misfit{Problems: []Problem{{Path: wrong.Field, Expected: expected, Got: number}}}}
}

func renderJSON(_, value Value) ([]Content, error) {
	if text, ok := value.Text(); ok {
		return Text(text), nil
	}
	return Text(value.String()), nil
}

// checkName refuses names that one of the model APIs would refuse.
func checkName(name string) error {
	if name == "" || len(name) > 64 {
		return fmt.Errorf("the name %q is not 1 to 64 characters long", name)
	}
	if at := strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}); at >= 0 {
		return fmt.Errorf("the name %q holds a character besides letters, digits, _ and -", name)
	}
	return nil
}
