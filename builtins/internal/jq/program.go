package jq

import (
	"fmt"
	"strings"
)

// Program is a compiled program.
type Program struct {
	main   *function
	loader *loader
}

// CompileError is what is wrong with a program: each error, and the line that
// counts them.
type CompileError struct{ Lines []string }

func (e *CompileError) Error() string { return strings.Join(e.Lines, "\n") }

// Library finds modules.
type Library struct {
	// Search are the folders to look in, as get_search_list shows them; Expand
	// makes a path of one.
	Search []string
	Expand func(folder string) string
	Read   func(path string) (string, error)
	// Strerror is the text of an error of Read, and whether there is no file.
	Strerror func(error) (text string, missing bool)
}

// Compile compiles a program. The variables of globals are known to it.
func Compile(text string, globals []Global, library *Library) (p *Program, err error) {
	l := &loader{library: library, modules: map[string]*module{}, compiled: map[string][]bindings{}}
	src := &source{name: "<top-level>", text: text}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooDeep); !ok {
				panic(r)
			}
			err = failed([]string{"jq: error: program nested too deep"})
		}
	}()
	m, err := parse("<top-level>", text)
	src = m.source
	if err != nil {
		return nil, failed(src.errors)
	}
	l.functions = map[string]*function{}
	c := &compiler{source: src, library: l.functions, loader: l, fn: &function{}}
	for _, g := range globals {
		c.bind(bindings{kind: bindConstant, name: g.Name, value: g.Value})
	}
	if len(src.errors) == 0 {
		c.imports(m)
	}
	if len(src.errors) > 0 {
		return nil, failed(src.errors)
	}
	body := m.body
	if body == nil {
		body = identity{}
	}
	main := c.fn
	c.query(body)
	main.emit(instruction{op: opReturn})
	if len(src.errors) > 0 {
		return nil, failed(src.errors)
	}
	return &Program{main: main, loader: l}, nil
}

// Global is a variable that the caller sets.
type Global struct {
	Name  string
	Value Value
}

func failed(errors []string) error {
	word := "errors"
	if len(errors) == 1 {
		word = "error"
	}
	return &CompileError{append(errors, fmt.Sprintf("jq: %d compile %s", len(errors), word))}
}
