package tool

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/lines"
)

// maximumInPlace bounds how many schemas may apply to one value inside one
// another, by reference or by combination.
const maximumInPlace = 100

// checkReferences refuses a schema whose check might never end, or recurse
// until the stack does: one that comes back to itself without going into the
// value, or nearly so. References are taken inside the document only.
func checkReferences(schema any) (*references, error) {
	r := &references{nodes: make(map[string]map[string]any), anchors: make(map[string][]string), height: make(map[string]int)}
	if err := r.collect("", schema); err != nil {
		return nil, err
	}
	for at := range r.nodes {
		if _, err := r.above(at); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// references are a schema's parts and how they lead to one another.
type references struct {
	nodes   map[string]map[string]any // every object, and boolean as an empty one, by JSON pointer
	anchors map[string][]string
	height  map[string]int // of the chain of schemas from there; -1 while it is walked
	any     bool           // there is a reference at all
}

// collect takes every object for a schema: what is none has no such keywords
// that matter, or looks like one and is then held to the same rule.
func (r *references) collect(at string, v any) error {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if err := r.collect(at+"/"+strconv.Itoa(i), item); err != nil {
				return err
			}
		}
	case bool:
		r.nodes[at] = map[string]any{}
	case map[string]any:
		r.nodes[at] = v
		if _, ok := v["$id"].(string); ok && at != "" {
			return errors.New("$id below the root is not taken")
		}
		for _, keyword := range [...]string{"$anchor", "$dynamicAnchor"} {
			if name, ok := v[keyword].(string); ok {
				r.anchors[name] = append(r.anchors[name], at)
			}
		}
		for name, member := range v {
			if err := r.collect(at+"/"+escapePointer(name), member); err != nil {
				return err
			}
		}
	}
	return nil
}

// above is the longest chain of schemas for one value that starts at a node.
func (r *references) above(at string) (int, error) {
	node := r.nodes[at]
	switch known := r.height[at]; {
	case known < 0:
		return 0, fmt.Errorf("the schema at #%s applies itself to the same value without end", at)
	case known > 0:
		return known, nil
	}
	r.height[at] = -1
	longest := 0
	visit := func(next string) error {
		n, err := r.above(next)
		longest = max(longest, n)
		return err
	}
	for _, next := range r.inPlace(at, node) {
		if err := visit(next); err != nil {
			return 0, err
		}
	}
	targets, err := r.targets(node)
	if err != nil {
		return 0, err
	}
	r.any = r.any || len(targets) > 0
	for _, t := range targets {
		if err := visit(t); err != nil {
			return 0, err
		}
	}
	if longest++; longest > maximumInPlace {
		return 0, fmt.Errorf("more than %d schemas apply to one value inside one another", maximumInPlace)
	}
	r.height[at] = longest
	return longest, nil
}

// targets are what a node's references may lead to.
func (r *references) targets(node map[string]any) (targets []string, err error) {
	for _, keyword := range [...]string{"$ref", "$dynamicRef"} {
		ref, ok := node[keyword].(string)
		if !ok {
			continue
		}
		inside, ok := strings.CutPrefix(ref, "#")
		if !ok {
			return nil, fmt.Errorf("%s %q leaves the document", keyword, lines.Clip(ref, 80))
		}
		inside, err := url.PathUnescape(inside)
		found := len(targets)
		targets = append(targets, r.anchors[inside]...)
		if r.nodes[inside] != nil {
			targets = append(targets, inside)
		}
		if err != nil || len(targets) == found {
			return nil, fmt.Errorf("%s %q leads nowhere", keyword, lines.Clip(ref, 80))
		}
	}
	return targets, nil
}

// inPlace are the schemas that a node applies to the value it is given itself.
func (r *references) inPlace(at string, node map[string]any) []string {
	var next []string
	for _, keyword := range [...]string{"not", "if", "then", "else"} {
		if _, ok := node[keyword]; ok {
			next = append(next, at+"/"+keyword)
		}
	}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		list, _ := node[keyword].([]any)
		for i := range list {
			next = append(next, at+"/"+keyword+"/"+strconv.Itoa(i))
		}
	}
	for _, keyword := range [...]string{"dependentSchemas", "dependencies"} {
		members, _ := node[keyword].(map[string]any)
		for name := range members {
			next = append(next, at+"/"+keyword+"/"+escapePointer(name))
		}
	}
	return next
}

// escapePointer writes a name as a part of a JSON pointer (RFC 6901).
func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
