package tool

import (
	"errors"
	"fmt"
	"sort"
	"sync"
	"unicode/utf8"
)

// Registry holds the tools a model may call. The zero one is empty. It is safe
// for concurrent use.
type Registry struct {
	mu    sync.RWMutex
	tools map[string]*Registration
}

// NewRegistry is an empty registry.
func NewRegistry() *Registry { return &Registry{tools: make(map[string]*Registration)} }

// Registration is a tool's place in a registry.
type Registration struct {
	registry   *Registry
	definition Definition
	model      ModelDefinition
	parameters *Checker // nil when the tool checks by itself
	output     *Checker
}

// ModelDefinition is all that a model may see of a tool.
type ModelDefinition struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Parameters and Output are JSON Schemas.
	Parameters Value `json:"parameters"`
	Output     Value `json:"output"`
}

// Register adds a tool. A name that is taken is an error: to replace a tool,
// remove it first; calls that are running end with the tool they began with.
func (r *Registry) Register(d *Definition) (*Registration, error) {
	if d == nil {
		return nil, errors.New("tool: Register: the definition is nil")
	}
	var g *Registration
	err := guard(func() (err error) {
		g, err = register(d)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tool: Register %q: %w", d.Name, err)
	}
	g.registry = r
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tools[d.Name] != nil {
		return nil, fmt.Errorf("tool: Register %q: the name is taken", d.Name)
	}
	if r.tools == nil {
		r.tools = make(map[string]*Registration)
	}
	r.tools[d.Name] = g
	return g, nil
}

func register(d *Definition) (*Registration, error) {
	g := &Registration{definition: *d}
	switch {
	case d.err != nil:
		return nil, d.err
	case checkName(d.Name) != nil:
		return nil, checkName(d.Name)
	case !utf8.ValidString(d.Description):
		return nil, errors.New("Description is not valid UTF-8")
	case d.Execute == nil:
		return nil, errors.New("Execute is required")
	case d.Output.Render == nil:
		return nil, errors.New("Output.Render is required")
	case d.Parameters.IsZero():
		return nil, errors.New("Parameters is required")
	case d.Output.Schema.IsZero():
		return nil, errors.New("Output.Schema is required")
	}
	var err error
	compile := NewChecker
	if d.Parameters.unchecked {
		compile = newChecker
	}
	if g.parameters, err = compile(d.Parameters); err != nil {
		return nil, fmt.Errorf("Parameters: %w", err)
	}
	if g.parameters.root.Type != "object" {
		return nil, errors.New("Parameters: the root is no object")
	}
	if d.Parameters.unchecked {
		g.parameters = nil
	}
	if g.output, err = NewChecker(d.Output.Schema); err != nil {
		return nil, fmt.Errorf("Output.Schema: %w", err)
	}
	g.model = ModelDefinition{Name: d.Name, Description: d.Description}
	if g.model.Parameters, err = ValueOf(d.Parameters); err != nil {
		return nil, fmt.Errorf("Parameters: %w", err)
	}
	if g.model.Output, err = ValueOf(d.Output.Schema); err != nil {
		return nil, fmt.Errorf("Output.Schema: %w", err)
	}
	return g, nil
}

// Remove takes the tool out of its registry, once; calls that are running go on.
func (g *Registration) Remove() {
	g.registry.mu.Lock()
	defer g.registry.mu.Unlock()
	if g.registry.tools[g.definition.Name] == g {
		delete(g.registry.tools, g.definition.Name)
	}
}

// Definition is what a model may see of the tool.
func (g *Registration) Definition() ModelDefinition { return g.model }

// Definitions are the tools by name, as a model may see them.
func (r *Registry) Definitions() []ModelDefinition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	list := make([]ModelDefinition, 0, len(r.tools))
	for _, g := range r.tools {
		list = append(list, g.model)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

func (r *Registry) lookup(name string) *Registration {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.tools[name]
}
