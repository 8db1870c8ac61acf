package tool

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vsh-project/vsh/internal/lines"
)

// Request asks for one call.
type Request struct {
	// ID names the call in the host's log; any text.
	ID string
	// Name is the tool.
	Name string
	// Arguments is the JSON a model wrote; empty is {}.
	Arguments []byte
	// Agent and Session say for whom: tools keep their state by both.
	Agent, Session string
	// Parent is the token of the call that makes this one, zero when a model does.
	Parent Token
	// Progress, if set, is told how a long call goes on. It is called by one
	// goroutine at a time, never after Call has returned, and holds up the call
	// while it blocks.
	Progress func(message string)
}

// Token is a call's identity within the process: comparable, and of no use
// but to be compared. The zero Token is nobody's.
type Token struct{ number uint64 }

var tokens atomic.Uint64

// IsZero reports that the token is nobody's.
func (t Token) IsZero() bool { return t.number == 0 }

// Call is a request whose identity and arguments are fixed.
type Call struct {
	request   Request
	arguments Value
	token     Token

	telling sync.Mutex // one at a time, and none when deaf
	deaf    bool
}

// ID, Name, Agent and Session are the request's.
func (c *Call) ID() string      { return c.request.ID }
func (c *Call) Name() string    { return c.request.Name }
func (c *Call) Agent() string   { return c.request.Agent }
func (c *Call) Session() string { return c.request.Session }

// Arguments are the request's, decoded once.
func (c *Call) Arguments() Value { return c.arguments }

// Token is this call's own; Parent that of the call around it, which it
// identifies and gives no access to.
func (c *Call) Token() Token  { return c.token }
func (c *Call) Parent() Token { return c.request.Parent }

// Nested reports that another call makes this one, so that no one shows a card.
func (c *Call) Nested() bool { return !c.request.Parent.IsZero() }

// Progress tells whoever asked how the call goes on; WantsProgress whether
// anybody did. It may be called by many goroutines, and does nothing once the
// call has ended.
func (c *Call) Progress(message string) {
	c.telling.Lock()
	defer c.telling.Unlock()
	if c.request.Progress == nil || c.deaf {
		return
	}
	defer func() {
		if recover() != nil {
			c.deaf = true // whoever watches does not end the work
		}
	}()
	c.request.Progress(strings.ToValidUTF8(message, "\uFFFD"))
}
func (c *Call) WantsProgress() bool { return c.request.Progress != nil }

// end waits for the progress that is being told; there is no more.
func (c *Call) end() {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.deaf = true
}

// Result is the end of a call.
type Result struct {
	ID, Name string
	Token    Token
	// Value is the call's one value, null when IsError.
	Value Value
	// Content is what the model reads: the rendered value, or why there is
	// none. It has at least one block, whose text may be empty.
	Content []Content
	// Meta is what the host keeps for people, null when there is none.
	Meta Value
	// IsError says that the tool did not do its work; Err says why.
	IsError bool
	Err     *Error
}

// Stage is the part of a call that failed.
type Stage string

// The stages, in their order.
const (
	StageLookup    Stage = "lookup"
	StageArguments Stage = "arguments"
	StageCancelled Stage = "cancelled"
	StageExecute   Stage = "execute"
	StageOutcome   Stage = "outcome"
	StageRender    Stage = "render"
	StageMeta      Stage = "meta"
)

// Error is why a call has no value.
type Error struct {
	Tool  string
	Stage Stage
	Cause error
	// Stack is where a panic happened, for the host's log.
	Stack []byte
}

func (e *Error) Error() string { return e.Tool + ": " + e.Cause.Error() }

func (e *Error) Unwrap() error { return e.Cause }

// Call runs a tool. Whatever goes wrong in it, panics of its functions
// included, is in the Result.
func (r *Registry) Call(ctx context.Context, request Request) *Result {
	call := &Call{request: request, token: Token{tokens.Add(1)}}
	call.request.Arguments = nil
	result := &Result{ID: request.ID, Name: request.Name, Token: call.token}
	g := r.lookup(request.Name)
	if g == nil {
		return result.fail(StageLookup, r.unknown())
	}
	if len(request.Arguments) == 0 {
		request.Arguments = []byte("{}")
	}
	var err error
	if call.arguments, err = ParseValue(request.Arguments); err != nil {
		return result.fail(StageArguments, fmt.Errorf("the arguments cannot be read: %w", err))
	}
	if !strings.HasPrefix(call.arguments.String(), "{") {
		return result.fail(StageArguments, errors.New("the arguments are no JSON object"))
	}
	if g.parameters != nil {
		if err := g.parameters.Check(call.arguments); err != nil {
			return result.fail(StageArguments, fmt.Errorf("the arguments do not fit: %w", err))
		}
	}
	if ctx.Err() != nil {
		return result.fail(StageCancelled, fmt.Errorf("not started: %w", context.Cause(ctx)))
	}
	return g.run(ctx, call, result)
}

// run makes the value and its readings; nothing of them is in the result
// before all of them stand.
func (g *Registration) run(ctx context.Context, call *Call, result *Result) *Result {
	stage := StageExecute
	var value, meta Value
	var content []Content
	err := guard(func() error {
		defer call.end()
		returned, err := g.definition.Execute(ctx, call)
		if err != nil {
			if bad, ok := err.(*badArguments); ok {
				stage, err = StageArguments, fmt.Errorf("the arguments do not fit: %w", bad.misfit)
			}
			return err
		}
		stage = StageOutcome
		if value, err = ValueOf(returned); err != nil {
			return fmt.Errorf("the tool's value is no lossless JSON: %w", err)
		}
		if err := g.output.Check(value); err != nil {
			return fmt.Errorf("the tool's value does not fit its schema: %w", err)
		}
		stage = StageRender
		if content, err = g.definition.Output.Render(call.arguments, value); err != nil {
			return fmt.Errorf("rendering: %w", err)
		}
		if content, err = detach(content); err != nil {
			return fmt.Errorf("rendering: %w", err)
		}
		if g.definition.Output.Meta == nil || call.Nested() {
			return nil
		}
		stage = StageMeta
		made, err := g.definition.Output.Meta(call.arguments, value)
		if err == nil {
			meta, err = ValueOf(made)
		}
		if err != nil {
			return fmt.Errorf("meta: %w", err)
		}
		return nil
	})
	if err != nil {
		return result.fail(stage, err)
	}
	result.Value, result.Content, result.Meta = value, content, meta
	return result
}

// panicked is a panic as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("internal error: %v", p.value) }

func (p *panicked) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// errExited is a function that ended its goroutine, as testing's FailNow does.
var errExited = errors.New("internal error: a function of the tool has ended its goroutine")

// guard runs f in a goroutine of its own, so that nothing f does to it reaches
// the caller.
func guard(f func() error) (err error) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err = errExited
		defer func() {
			if r := recover(); r != nil {
				err = &panicked{r, debug.Stack()}
			}
		}()
		err = f()
	}()
	<-ended
	return err
}

func (r *Result) fail(stage Stage, cause error) *Result {
	r.IsError = true
	r.Err = &Error{Tool: r.Name, Stage: stage, Cause: cause}
	// An error's or a panic value's own methods may panic in their turn, and
	// must not do so in the hands of the host.
	text := "internal error"
	if guard(func() error {
		var p *panicked
		if errors.As(cause, &p) {
			r.Err.Stack = p.stack
		}
		text = strings.ToValidUTF8(r.Err.Error(), "\uFFFD")
		return nil
	}) != nil {
		r.Err.Cause = errors.New(text)
	}
	r.Content = Text("Error: " + text)
	return r
}

// detach copies content into the form that results have.
func detach(made []Content) ([]Content, error) {
	if len(made) == 0 {
		return Text(""), nil
	}
	content := make([]Content, len(made))
	for i, c := range made {
		if c.Type != "" && c.Type != "text" {
			return nil, fmt.Errorf("content of type %q, where there is text only", lines.Clip(c.Type, 40))
		}
		content[i] = Content{Type: "text", Text: strings.ToValidUTF8(c.Text, "\uFFFD")}
	}
	return content, nil
}

// unknown names the tools there are.
func (r *Registry) unknown() error {
	definitions := r.Definitions()
	names := make([]string, len(definitions))
	for i, d := range definitions {
		names[i] = d.Name
	}
	if len(names) == 0 {
		return errors.New("no such tool; there are none")
	}
	return fmt.Errorf("no such tool; there are: %s", lines.Clip(strings.Join(names, ", "), 500))
}
