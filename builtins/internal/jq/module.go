package jq

import (
	"fmt"
	"path"
	"strings"
)

// loader finds and compiles modules, each once.
type loader struct {
	library   *Library
	modules   map[string]*module
	compiled  map[string][]bindings
	functions map[string]*function
	loading   []string
}

func (l *loader) searchList() Value {
	var list []Value
	if l.library != nil {
		for _, s := range l.library.Search {
			list = append(list, s)
		}
	}
	return newArray(list)
}

// imports binds what a module's import lines bring in.
func (c *compiler) imports(m *module) {
	for _, i := range m.imports {
		if err := c.importOne(i); err != nil {
			c.source.errors = append(c.source.errors, "jq: error: "+err.Error())
			return
		}
	}
}

func (c *compiler) importOne(i *importing) error {
	if i.data {
		file, err := c.loader.find(i, ".json")
		if err != nil {
			return err
		}
		v, err := c.loader.data(file)
		if err != nil {
			return err
		}
		c.bind(bindings{kind: bindConstant, name: i.as, value: v})
		c.bind(bindings{kind: bindConstant, name: i.as + "::" + i.as, value: v})
		return nil
	}
	file, err := c.loader.find(i, ".jq")
	if err != nil {
		return err
	}
	exported, err := c.loader.load(file, c.source)
	if err != nil {
		return err
	}
	for _, b := range exported {
		if i.as != "" {
			b.name = i.as + "::" + b.name
		}
		c.bind(b)
	}
	return nil
}

// find looks for NAME.ext and NAME/BASE.ext in the search path.
func (l *loader) find(i *importing, extension string) (string, error) {
	name := path.Clean(i.path)
	if l.library == nil || i.path == "" || strings.HasPrefix(i.path, "/") || name == ".." || strings.HasPrefix(name, "../") {
		return "", fmt.Errorf("module not found: %s\n", i.path)
	}
	search := l.library.Search
	if meta, ok := i.meta.(*Object); ok {
		if v, has := meta.get("search"); has {
			search = append(stringsOf(v), search...)
		}
	}
	for _, folder := range search {
		base := path.Join(l.library.Expand(folder), name)
		for _, try := range []string{base + extension, path.Join(base, path.Base(name)) + extension} {
			_, err := l.library.Read(try)
			if err == nil {
				return try, nil
			}
			if _, missing := l.library.Strerror(err); !missing {
				return try, nil
			}
		}
	}
	return "", fmt.Errorf("module not found: %s\n", i.path)
}

func stringsOf(v Value) (list []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case *Array:
		for _, item := range v.All() {
			if s, ok := item.(string); ok {
				list = append(list, s)
			}
		}
	}
	return list
}

func (l *loader) data(file string) (Value, error) {
	text, err := l.read(file)
	if err != nil {
		return nil, err
	}
	values, err := ParseMany(text)
	if err != nil {
		return nil, err
	}
	return newArray(values), nil
}

func (l *loader) read(file string) (string, error) {
	text, err := l.library.Read(file)
	if err != nil {
		words, _ := l.library.Strerror(err)
		return "", fmt.Errorf("Could not open %s: %s", file, words)
	}
	return text, nil
}

// load compiles a module and returns what it defines.
func (l *loader) load(file string, errors *source) ([]bindings, error) {
	if exported, ok := l.compiled[file]; ok {
		return exported, nil
	}
	for _, f := range l.loading {
		if f == file {
			return nil, fmt.Errorf("module %s imports itself", file)
		}
	}
	l.loading = append(l.loading, file)
	defer func() { l.loading = l.loading[:len(l.loading)-1] }()
	text, err := l.read(file)
	if err != nil {
		return nil, err
	}
	m, err := parse(file, text)
	if err != nil || m.body != nil || len(m.source.errors) > 0 {
		errors.errors = append(errors.errors, m.source.errors...)
		if m.body != nil {
			return nil, fmt.Errorf("jq: error: library should only have function definitions, not a main expression\n<unknown location>")
		}
		return nil, nil
	}
	c := &compiler{source: m.source, library: l.functions, loader: l}
	c.imports(m)
	var exported []bindings
	for _, d := range m.definitions {
		c.definition(d)
		exported = append(exported, *c.scope)
	}
	errors.errors = append(errors.errors, m.source.errors...)
	l.compiled[file] = exported
	return exported, nil
}

func (l *loader) meta(name string) (Value, error) {
	file, err := l.find(&importing{path: name}, ".jq")
	if err != nil {
		return nil, raise("%s", strings.TrimSuffix(err.Error(), "\n"))
	}
	text, err := l.read(file)
	if err != nil {
		return nil, raise("%s", err)
	}
	m, err := parse(file, text)
	if err != nil {
		return nil, raise("%s", strings.Join(m.source.errors, "\n"))
	}
	meta, _ := m.meta.(*Object)
	if meta == nil {
		meta = &Object{}
	}
	var deps []Value
	for _, i := range m.imports {
		d := &Object{}
		if o, ok := i.meta.(*Object); ok {
			d = o
		}
		if i.as != "" {
			d = d.set("as", i.as)
		}
		d = d.set("is_data", i.data).set("relpath", i.path)
		deps = append(deps, d)
	}
	return meta.set("deps", newArray(deps)), nil
}
