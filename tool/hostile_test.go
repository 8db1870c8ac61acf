package tool

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// illUnwrap, illAs and illValue panic where errors and values are looked at.
type illUnwrap struct{}

func (illUnwrap) Error() string { return "ill" }
func (illUnwrap) Unwrap() error { panic("no cause") }

type illAs struct{}

func (illAs) Error() string { return "ill" }
func (illAs) As(any) bool   { panic("no type") }

type illValue struct{}

func (illValue) MarshalJSON() ([]byte, error) { panic("no text") }
func (illValue) String() string               { panic("no text") }
func (illValue) Error() string                { runtime.Goexit(); return "" }

// Each function of a tool, at its worst, ends its own call and nothing else.
func TestHostileFunctionsEndTheirCallAlone(t *testing.T) {
	worst := map[string]func() error{
		"an error":                 func() error { return errors.New("no") },
		"a panic":                  func() error { panic("no") },
		"a panic with nil":         func() error { panic(nil) },
		"a panic with an ill one":  func() error { panic(illValue{}) },
		"the end of the goroutine": func() error { runtime.Goexit(); return nil },
		"an error without a text":  func() error { return &ill{} },
		"an error that ends it":    func() error { return illValue{} },
		"an error's ill Unwrap":    func() error { return illUnwrap{} },
		"an error's ill As":        func() error { return illAs{} },
		"a wrapped ill error":      func() error { return fmt.Errorf("outer: %w", illUnwrap{}) },
		"a nil dereference":        func() error { var d *Definition; return errors.New(d.Name) },
	}
	for part, change := range map[string]func(*Definition, func() error){
		"Execute": func(d *Definition, f func() error) {
			d.Execute = func(context.Context, *Call) (any, error) { return nil, f() }
		},
		"Render": func(d *Definition, f func() error) {
			d.Output.Render = func(_, _ Value) ([]Content, error) { return nil, f() }
		},
		"Meta": func(d *Definition, f func() error) {
			d.Output.Meta = func(_, _ Value) (any, error) { return nil, f() }
		},
	} {
		for name, f := range worst {
			t.Run(part+": "+name, func(t *testing.T) {
				r := with(t, echo(func(d *Definition) { change(d, f) }))
				done := make(chan *Result, 1)
				go func() { done <- r.Call(context.Background(), Request{Name: "echo", Arguments: []byte(`{"text":"x"}`)}) }()
				select {
				case result := <-done:
					require.True(t, result.IsError)
					require.Equal(t, map[string]Stage{"Execute": StageExecute, "Render": StageRender, "Meta": StageMeta}[part], result.Err.Stage)
					require.True(t, strings.HasPrefix(result.Content[0].Text, "Error: "), result.Content[0].Text)
					require.NotEmpty(t, result.Err.Error())
				case <-time.After(20 * time.Second):
					t.Fatal("the call does not end")
				}
			})
		}
	}
	for name, value := range map[string]any{"an ill value": illValue{}, "one inside": map[string]any{"said": illValue{}}} {
		t.Run(name, func(t *testing.T) {
			r := with(t, echo(func(d *Definition) {
				d.Execute = func(context.Context, *Call) (any, error) { return value, nil }
			}))
			require.Equal(t, StageOutcome, r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":"x"}`)}).Err.Stage)
		})
	}
}

func TestProgressThatPanicsIsNotAsked(t *testing.T) {
	r := with(t, echo(func(d *Definition) {
		execute := d.Execute
		d.Execute = func(ctx context.Context, call *Call) (any, error) {
			// Tools report from goroutines of their own, where nobody recovers.
			var wait sync.WaitGroup
			wait.Go(func() { call.Progress("half") })
			wait.Wait()
			return execute(ctx, call)
		}
	}))
	asked := 0
	result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":"x"}`), Progress: func(string) { asked++; panic("gone") }})
	require.False(t, result.IsError, "whoever watches does not end the work")
	require.Equal(t, 1, asked)
}

func TestProgressIsToldByOneAtATimeAndNotAfter(t *testing.T) {
	var kept *Call
	r := with(t, echo(func(d *Definition) {
		execute := d.Execute
		d.Execute = func(ctx context.Context, call *Call) (any, error) {
			kept = call
			var wait sync.WaitGroup
			for range 50 {
				wait.Go(func() { call.Progress("half") })
			}
			wait.Wait()
			return execute(ctx, call)
		}
	}))
	told := 0 // the race detector sees two at a time
	r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":"x"}`), Progress: func(string) { told++ }})
	require.Equal(t, 50, told)
	kept.Progress("too late")
	require.Equal(t, 50, told, "a call that has ended has no progress")
}

func TestContentIsText(t *testing.T) {
	kept := []Content{{Text: "a\xffb"}}
	for name, c := range map[string]struct{ made, want []Content }{
		"nothing":            {nil, Text("")},
		"no blocks":          {[]Content{}, Text("")},
		"no type, no UTF-8":  {kept, Text("a\uFFFDb")},
		"two blocks":         {append(Text("a"), Text("b")...), append(Text("a"), Text("b")...)},
		"a block of nothing": {Text(""), Text("")},
	} {
		t.Run(name, func(t *testing.T) {
			r := with(t, echo(func(d *Definition) {
				d.Output.Render = func(_, _ Value) ([]Content, error) { return c.made, nil }
			}))
			result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":"x"}`)})
			require.Equal(t, c.want, result.Content)
		})
	}
	require.Equal(t, "a\xffb", kept[0].Text, "what the tool holds is its own")
	r := with(t, echo(func(d *Definition) {
		d.Output.Render = func(_, _ Value) ([]Content, error) { return []Content{{Type: "image", Text: "x"}}, nil }
	}))
	result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":"x"}`)})
	require.Equal(t, StageRender, result.Err.Stage)
}

func TestZeroRegistryIsEmpty(t *testing.T) {
	var r Registry
	require.Empty(t, r.Definitions())
	_, err := r.Register(echo(nil))
	require.NoError(t, err)
	require.Len(t, r.Definitions(), 1)
}

func TestRegisterRefusesIllText(t *testing.T) {
	_, err := NewRegistry().Register(echo(func(d *Definition) { d.Description = "a\xff" }))
	require.ErrorContains(t, err, "not valid UTF-8")
	_, err = NewRegistry().Register(echo(func(d *Definition) { d.Parameters = Parameters(Required("a\xff", String())) }))
	require.ErrorContains(t, err, "not valid UTF-8")
	_, err = NewRegistry().Register(echo(func(d *Definition) { d.Output.Schema = Const(illValue{}) }))
	require.Error(t, err)
}

// Models write 5.0 and 5e0 for 5, and schemas take both for integers.
func TestIntegersInEverySpelling(t *testing.T) {
	type in struct {
		N     int8    `json:"n"`
		U     *uint64 `json:"u,omitempty"`
		Inner struct {
			List []int `json:"list"`
		} `json:"inner"`
		Exact Value `json:"exact"`
	}
	r := with(t, Define(Typed[in, string]{
		Name: "echo", Parameters: Parameters(Required("n", Integer()), Optional("u", Integer()), Optional("inner", Object(Open, Optional("list", Array(Integer())))), Optional("exact", Anything())),
		Execute: func(_ context.Context, _ *Call, in in) (string, error) {
			u := uint64(0)
			if in.U != nil {
				u = *in.U
			}
			return fmt.Sprint(in.N, u, in.Inner.List, in.Exact), nil
		},
	}))
	for arguments, want := range map[string]string{
		`{"n":5}`:                            "5 0 [] null",
		`{"n":5,"exact":5.0}`:                "5 0 [] 5.0",
		`{"n":5e0}`:                          "5 0 [] null",
		`{"n":1.2e2,"inner":{"list":[1e1]}}`: "120 0 [10] null",
		`{"n":-0.0,"u":1.8446744073709551615e19,"exact":{"a":1e0}}`: `0 18446744073709551615 [] {"a":1}`,
		`{"n":128}`:                       "Error: echo: the arguments do not fit: n: expected an integer from -128 to 127, got 128",
		`{"n":1.28e2}`:                    "Error: echo: the arguments do not fit: n: expected an integer from -128 to 127, got 128",
		`{"n":1e400}`:                     "Error: echo: the arguments do not fit: n: expected an integer from -128 to 127, got 1e400",
		`{"n":1,"u":-1}`:                  "Error: echo: the arguments do not fit: u: expected an integer from 0 to 18446744073709551615, got -1",
		`{"n":1,"inner":{"list":[1e30]}}`: "Error: echo: the arguments do not fit: inner.list: expected an integer from -9223372036854775808 to 9223372036854775807, got 1e30",
	} {
		t.Run(arguments, func(t *testing.T) {
			result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(arguments)})
			require.Equal(t, Text(want), result.Content)
			if result.IsError {
				require.Equal(t, StageArguments, result.Err.Stage)
			}
		})
	}
}
