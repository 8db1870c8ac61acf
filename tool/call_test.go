package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// echo is a tool whose parts a case replaces.
func echo(change func(*Definition)) *Definition {
	d := &Definition{
		Name: "echo", Description: "Says it again.",
		Parameters: Parameters(Required("text", String())),
		Output: Output{
			Schema: Object(Closed, Required("said", String())),
			Render: func(_, value Value) ([]Content, error) { return Text("rendered " + value.String()), nil },
			Meta:   func(arguments, _ Value) (any, error) { return map[string]any{"from": arguments}, nil },
		},
		Execute: func(_ context.Context, call *Call) (any, error) {
			text, _ := call.Arguments().Member("text")
			return map[string]any{"said": text}, nil
		},
	}
	if change != nil {
		change(d)
	}
	return d
}

func with(t *testing.T, d *Definition) *Registry {
	t.Helper()
	r := NewRegistry()
	_, err := r.Register(d)
	require.NoError(t, err)
	return r
}

func TestCallGivesOneValueAndItsReadings(t *testing.T) {
	r := with(t, echo(nil))
	result := r.Call(t.Context(), Request{ID: "call-1", Name: "echo", Arguments: []byte(`{ "text": "hi <>" }`)})
	require.False(t, result.IsError)
	require.Nil(t, result.Err)
	require.Equal(t, "call-1", result.ID)
	require.Equal(t, `{"said":"hi <>"}`, result.Value.String())
	require.Equal(t, Text(`rendered {"said":"hi <>"}`), result.Content)
	require.Equal(t, `{"from":{"text":"hi <>"}}`, result.Meta.String())
	require.False(t, result.Token.IsZero())
}

func TestValuesOfEveryRoot(t *testing.T) {
	for name, c := range map[string]struct {
		schema Schema
		value  any
		want   string
	}{
		"null":    {Null(), nil, "null"},
		"number":  {Number(), 1.5, "1.5"},
		"string":  {String(), "x", `"x"`},
		"boolean": {Boolean(), true, "true"},
		"array":   {Array(Integer()), []int{1, 2}, "[1,2]"},
		"one of":  {OneOf(Null(), Object(Open)), map[string]int{"a": 1}, `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := with(t, echo(func(d *Definition) {
				d.Output.Schema = c.schema
				d.Execute = func(context.Context, *Call) (any, error) { return c.value, nil }
			}))
			result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":""}`)})
			require.Nil(t, result.Err)
			require.Equal(t, c.want, result.Value.String())
		})
	}
}

// ill is an error whose text cannot be had.
type ill struct{}

func (*ill) Error() string { panic("no text") }

func TestFailuresAreResults(t *testing.T) {
	boom := errors.New("disk on fire")
	for name, c := range map[string]struct {
		change    func(*Definition)
		arguments string
		stage     Stage
		want      string
	}{
		"arguments that are no JSON":   {nil, `{"text":`, StageArguments, "Error: echo: the arguments cannot be read: not JSON at byte 8: unexpected end of JSON input"},
		"arguments that are no object": {nil, `["x"]`, StageArguments, "Error: echo: the arguments are no JSON object"},
		"arguments that do not fit":    {nil, `{"text":5}`, StageArguments, "Error: echo: the arguments do not fit: text: expected string, got 5"},
		"no arguments":                 {nil, ``, StageArguments, "Error: echo: the arguments do not fit: text: expected string, got nothing: it is required"},
		"an error": {func(d *Definition) {
			d.Execute = func(context.Context, *Call) (any, error) { return nil, boom }
		}, "", StageExecute, "Error: echo: disk on fire"},
		"a panic": {func(d *Definition) {
			d.Execute = func(context.Context, *Call) (any, error) { panic(boom) }
		}, "", StageExecute, "Error: echo: internal error: disk on fire"},
		"an error that panics": {func(d *Definition) {
			d.Execute = func(context.Context, *Call) (any, error) { return nil, &ill{} }
		}, "", StageExecute, "Error: internal error"},
		"an error that is no UTF-8": {func(d *Definition) {
			d.Execute = func(context.Context, *Call) (any, error) { return nil, errors.New("\xff") }
		}, "", StageExecute, "Error: echo: \uFFFD"},
		"a value that is no JSON": {func(d *Definition) {
			d.Execute = func(context.Context, *Call) (any, error) { return make(chan int), nil }
		}, "", StageOutcome, "Error: echo: the tool's value is no lossless JSON: json: unsupported type: chan int"},
		"a value that loses bytes": {func(d *Definition) {
			d.Execute = func(context.Context, *Call) (any, error) { return map[string]string{"said": "\xff"}, nil }
		}, "", StageOutcome, "Error: echo: the tool's value is no lossless JSON: a string is not valid UTF-8"},
		"a value that does not fit": {func(d *Definition) {
			d.Execute = func(context.Context, *Call) (any, error) { return map[string]int{"said": 1}, nil }
		}, "", StageOutcome, "Error: echo: the tool's value does not fit its schema: said: expected string, got 1"},
		"Render fails": {func(d *Definition) {
			d.Output.Render = func(_, _ Value) ([]Content, error) { return nil, boom }
		}, "", StageRender, "Error: echo: rendering: disk on fire"},
		"Render panics": {func(d *Definition) {
			d.Output.Render = func(_, _ Value) ([]Content, error) { panic(boom) }
		}, "", StageRender, "Error: echo: internal error: disk on fire"},
		"Meta fails": {func(d *Definition) {
			d.Output.Meta = func(_, _ Value) (any, error) { return nil, boom }
		}, "", StageMeta, "Error: echo: meta: disk on fire"},
		"Meta panics": {func(d *Definition) {
			d.Output.Meta = func(_, _ Value) (any, error) { panic(boom) }
		}, "", StageMeta, "Error: echo: internal error: disk on fire"},
		"Meta is no JSON": {func(d *Definition) {
			d.Output.Meta = func(_, _ Value) (any, error) { return func() {}, nil }
		}, "", StageMeta, "Error: echo: meta: json: unsupported type: func()"},
	} {
		t.Run(name, func(t *testing.T) {
			r := with(t, echo(c.change))
			arguments := []byte(`{"text":"x"}`)
			if c.stage == StageArguments {
				arguments = []byte(c.arguments)
			}
			result := r.Call(t.Context(), Request{Name: "echo", Arguments: arguments})
			require.True(t, result.IsError)
			require.Equal(t, Text(c.want), result.Content)
			require.Equal(t, c.stage, result.Err.Stage)
			require.True(t, result.Value.IsNull(), "a failed call has no value")
			require.True(t, result.Meta.IsNull())
			if strings.Contains(c.want, "internal error: ") {
				require.Contains(t, string(result.Err.Stack), "call_test.go")
			}
			if strings.Contains(c.want, "disk on fire") {
				require.ErrorIs(t, result.Err, boom)
			}
		})
	}
}

func TestUnknownTool(t *testing.T) {
	result := NewRegistry().Call(t.Context(), Request{Name: "ls"})
	require.Equal(t, Text("Error: ls: no such tool; there are none"), result.Content)
	result = with(t, echo(nil)).Call(t.Context(), Request{Name: "ls"})
	require.Equal(t, Text("Error: ls: no such tool; there are: echo"), result.Content)
	require.Equal(t, StageLookup, result.Err.Stage)
}

func TestCancelledCallDoesNotStart(t *testing.T) {
	r := with(t, echo(func(d *Definition) {
		d.Execute = func(context.Context, *Call) (any, error) { panic("started") }
	}))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user said stop"))
	result := r.Call(ctx, Request{Name: "echo", Arguments: []byte(`{"text":""}`)})
	require.Equal(t, StageCancelled, result.Err.Stage)
	require.Equal(t, Text("Error: echo: not started: the user said stop"), result.Content)
}

func TestExecuteSeesCancellationAndDeadline(t *testing.T) {
	r := with(t, echo(func(d *Definition) {
		d.Execute = func(ctx context.Context, _ *Call) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	result := r.Call(ctx, Request{Name: "echo", Arguments: []byte(`{"text":""}`)})
	require.ErrorIs(t, result.Err, context.DeadlineExceeded)
}

func TestIdentityIsFixed(t *testing.T) {
	var seen *Call
	r := with(t, echo(func(d *Definition) {
		execute := d.Execute
		d.Execute = func(ctx context.Context, call *Call) (any, error) {
			seen = call
			return execute(ctx, call)
		}
	}))
	arguments := []byte(`{"text":"one"}`)
	request := Request{ID: "7", Name: "echo", Arguments: arguments, Agent: "a", Session: "s"}
	first := r.Call(t.Context(), request)
	copy(arguments, `{"text":"two"}`)
	require.Equal(t, []string{"7", "echo", "a", "s", `{"text":"one"}`}, []string{seen.ID(), seen.Name(), seen.Agent(), seen.Session(), seen.Arguments().String()})
	require.Equal(t, first.Token, seen.Token())
	require.True(t, seen.Parent().IsZero())
	require.False(t, seen.Nested())
	require.False(t, seen.WantsProgress())
	seen.Progress("to nobody")

	request.Parent = first.Token
	second := r.Call(t.Context(), request)
	require.NotEqual(t, first.Token, second.Token)
	require.Equal(t, first.Token, seen.Parent())
	require.True(t, seen.Nested())
}

func TestValueIsFrozen(t *testing.T) {
	said := []byte(`"x"`)
	made := map[string]any{"said": json.RawMessage(said)}
	var seen Value
	r := with(t, echo(func(d *Definition) {
		d.Execute = func(context.Context, *Call) (any, error) { return made, nil }
		d.Output.Render = func(_, value Value) ([]Content, error) {
			seen = value
			value.Any().(map[string]any)["said"] = "changed"
			made["said"] = json.RawMessage(`"changed"`)
			copy(said, `"y"`)
			return Text(value.String()), nil
		}
		d.Output.Meta = func(_, value Value) (any, error) { return value, nil }
	}))
	result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":""}`)})
	require.Equal(t, `{"said":"x"}`, result.Value.String())
	require.Equal(t, []Value{result.Value, result.Value}, []Value{seen, result.Meta}, "one value for all of its readings")
	require.Equal(t, Text(`{"said":"x"}`), result.Content)
}

func TestExecuteGetsOnlyWhatFits(t *testing.T) {
	r := with(t, echo(func(d *Definition) {
		d.Execute = func(context.Context, *Call) (any, error) { panic("called") }
	}))
	for _, arguments := range []string{`{`, `[]`, `{}`, `{"text":1}`, `{"text":"a","text":"b"}`, "{\"text\":\"\xff\"}"} {
		require.Equal(t, StageArguments, r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(arguments)}).Err.Stage, arguments)
	}
}

func TestMetaIsSkippedForNestedCalls(t *testing.T) {
	r := with(t, echo(func(d *Definition) {
		d.Output.Meta = func(_, _ Value) (any, error) { panic("asked for a card") }
	}))
	result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":""}`), Parent: Token{1}})
	require.False(t, result.IsError)
	require.True(t, result.Meta.IsNull())
}

func TestProgress(t *testing.T) {
	r := with(t, echo(func(d *Definition) {
		d.Execute = func(_ context.Context, call *Call) (any, error) {
			call.Progress("half")
			return map[string]bool{"asked": call.WantsProgress()}, nil
		}
		d.Output.Schema = Object(Open)
	}))
	var said []string
	result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":""}`), Progress: func(m string) { said = append(said, m) }})
	require.Equal(t, []string{"half"}, said)
	require.Equal(t, `{"asked":true}`, result.Value.String())
}

func TestRawParametersAreTheToolsOwnMatter(t *testing.T) {
	r := with(t, echo(func(d *Definition) {
		d.Parameters = Raw([]byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"x-more":[1]}`))
		d.Execute = func(_ context.Context, call *Call) (any, error) {
			return map[string]string{"said": call.Arguments().String()}, nil
		}
	}))
	result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":5}`)})
	require.Equal(t, `{"said":"{\"text\":5}"}`, result.Value.String())
	require.Equal(t, `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"x-more":[1]}`, r.Definitions()[0].Parameters.String())
}

func TestRawParametersMayBeOfAnyDraft(t *testing.T) {
	with(t, echo(func(d *Definition) {
		d.Parameters = Raw([]byte(`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}`))
	}))
}

func TestRegisterRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Definition)
		want   string
	}{
		"no name":           {func(d *Definition) { d.Name = "" }, "not 1 to 64"},
		"a long name":       {func(d *Definition) { d.Name = strings.Repeat("x", 65) }, "not 1 to 64"},
		"a name of words":   {func(d *Definition) { d.Name = "two words" }, "besides letters"},
		"no Execute":        {func(d *Definition) { d.Execute = nil }, "Execute is required"},
		"no Render":         {func(d *Definition) { d.Output.Render = nil }, "Output.Render is required"},
		"no Parameters":     {func(d *Definition) { d.Parameters = Schema{} }, "Parameters is required"},
		"no output schema":  {func(d *Definition) { d.Output.Schema = Schema{} }, "Output.Schema is required"},
		"not an object":     {func(d *Definition) { d.Parameters = String() }, "the root is no object"},
		"broken parameters": {func(d *Definition) { d.Parameters = Parameters(Required("x", Enum())) }, "Enum lists no value"},
		"another draft": {func(d *Definition) {
			d.Output.Schema = Raw([]byte(`{"$schema":"http://json-schema.org/draft-04/schema#"}`))
		}, "neither draft 2020-12 nor draft-07"},
		"broken output": {func(d *Definition) { d.Output.Schema = Raw([]byte(`[`)) }, "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewRegistry().Register(echo(c.change))
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := NewRegistry().Register(nil)
	require.Error(t, err)
}

func TestDefinitionsShowOnlyWhatAModelMaySee(t *testing.T) {
	r := with(t, echo(func(d *Definition) { d.Name = "b" }))
	d := echo(func(d *Definition) { d.Name = "a" })
	_, err := r.Register(d)
	require.NoError(t, err)
	d.Description, d.Parameters = "changed after", Parameters()
	list := r.Definitions()
	require.Equal(t, []string{"a", "b"}, []string{list[0].Name, list[1].Name})
	text, err := ValueOf(list[0])
	require.NoError(t, err)
	require.Equal(t, `{"name":"a","description":"Says it again.","parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},`+
		`"output":{"type":"object","properties":{"said":{"type":"string"}},"required":["said"],"additionalProperties":false}}`, text.String())
	list[0].Name = "mine"
	require.Equal(t, "a", r.Definitions()[0].Name)
}

func TestHotSwap(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	r := NewRegistry()
	old, err := r.Register(echo(func(d *Definition) {
		d.Execute = func(context.Context, *Call) (any, error) {
			close(entered)
			<-release
			return map[string]string{"said": "old"}, nil
		}
	}))
	require.NoError(t, err)
	renewed := echo(func(d *Definition) { d.Output.Schema = Null() })
	renewed.Execute = func(context.Context, *Call) (any, error) { return nil, nil }
	_, err = r.Register(renewed)
	require.ErrorContains(t, err, "the name is taken")

	var wait sync.WaitGroup
	var inFlight *Result
	wait.Go(func() {
		inFlight = r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":""}`)})
	})
	<-entered
	old.Remove()
	require.Empty(t, r.Definitions())
	_, err = r.Register(renewed)
	require.NoError(t, err)
	old.Remove()
	require.Len(t, r.Definitions(), 1, "a registration removes only itself")
	require.Equal(t, "null", r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":""}`)}).Value.String())
	close(release)
	wait.Wait()
	require.Equal(t, `{"said":"old"}`, inFlight.Value.String(), "a call in flight keeps its definition")
}

type addIn struct {
	A int `json:"a" jsonschema:"First addend"`
	B int `json:"b,omitempty"`
}

type addOut struct {
	Sum int `json:"sum"`
}

func add() Typed[addIn, addOut] {
	return Typed[addIn, addOut]{
		Name: "add", Description: "Adds.",
		Execute: func(_ context.Context, _ *Call, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil },
	}
}

func TestDefine(t *testing.T) {
	r := with(t, Define(add()))
	d := r.Definitions()[0]
	require.Equal(t, `{"type":"object","properties":{"a":{"type":"integer","description":"First addend"},"b":{"type":"integer"}},"required":["a"]}`, d.Parameters.String())
	require.Equal(t, `{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"],"additionalProperties":false}`, d.Output.String())
	result := r.Call(t.Context(), Request{Name: "add", Arguments: []byte(`{"a":9007199254740993,"b":2,"note":"root is open"}`)})
	require.Equal(t, Text(`{"sum":9007199254740995}`), result.Content)
	result = r.Call(t.Context(), Request{Name: "add", Arguments: []byte(`{"a":"1"}`)})
	require.Equal(t, Text(`Error: add: the arguments do not fit: a: expected integer, got string "1"`), result.Content)
	result = r.Call(t.Context(), Request{Name: "add", Arguments: []byte(`{"a":1,"B":2}`)})
	require.Equal(t, StageArguments, result.Err.Stage, "encoding/json would take B for b, which policy does not see")
}

func TestDefineRendersTyped(t *testing.T) {
	typed := add()
	typed.Parameters = Parameters(Required("a", Integer()), Optional("b", Integer()))
	typed.Output = Object(Closed, Required("sum", Integer()))
	typed.Render = func(in addIn, out addOut) ([]Content, error) {
		return Text(fmt.Sprintf("%d+%d=%d", in.A, in.B, out.Sum)), nil
	}
	typed.Meta = func(in addIn, out addOut) (any, error) { return []int{in.A, out.Sum}, nil }
	result := with(t, Define(typed)).Call(t.Context(), Request{Name: "add", Arguments: []byte(`{"a":1,"b":2}`)})
	require.Equal(t, Text("1+2=3"), result.Content)
	require.Equal(t, "[1,3]", result.Meta.String())
}

func TestDefineRendersAStringAsItself(t *testing.T) {
	r := with(t, Define(Typed[struct{}, string]{Name: "hi", Execute: func(context.Context, *Call, struct{}) (string, error) { return "a \"b\"\n", nil }}))
	require.Equal(t, Text("a \"b\"\n"), r.Call(t.Context(), Request{Name: "hi"}).Content)
}

func TestDefineReportsItsFaults(t *testing.T) {
	_, err := NewRegistry().Register(Define(Typed[struct{}, string]{Name: "x"}))
	require.ErrorContains(t, err, "Execute is required")
	_, err = NewRegistry().Register(Define(Typed[struct{}, chan int]{Name: "x", Execute: func(context.Context, *Call, struct{}) (chan int, error) { return nil, nil }}))
	require.ErrorContains(t, err, "Output.Schema")
}

func TestCallsRunAtOnce(t *testing.T) {
	r := with(t, Define(add()))
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Go(func() {
			g, err := r.Register(echo(func(d *Definition) { d.Name = fmt.Sprintf("t%d", i) }))
			if err == nil {
				runtime.Gosched()
				g.Remove()
			}
			if got := r.Call(t.Context(), Request{Name: "add", Arguments: fmt.Appendf(nil, `{"a":%d}`, i)}).Value.String(); got != fmt.Sprintf(`{"sum":%d}`, i) {
				t.Errorf("call %d: %s", i, got)
			}
			r.Definitions()
		})
	}
	wait.Wait()
	require.Len(t, r.Definitions(), 1)
}

func ExampleDefine() {
	type in struct {
		Name string `json:"name" jsonschema:"Whom to greet"`
	}
	registry := NewRegistry()
	_, err := registry.Register(Define(Typed[in, string]{
		Name: "greet", Description: "Greets somebody.",
		Execute: func(_ context.Context, _ *Call, in in) (string, error) { return "Hello, " + in.Name, nil },
	}))
	if err != nil {
		fmt.Println(err)
	}
	for _, arguments := range []string{`{"name":"Ada"}`, `{"nom":"Ada"}`} {
		result := registry.Call(context.Background(), Request{Name: "greet", Arguments: []byte(arguments)})
		fmt.Println(result.IsError, result.Content[0].Text)
	}
	// Output:
	// false Hello, Ada
	// true Error: greet: the arguments do not fit: name: expected string, got nothing: it is required
}
