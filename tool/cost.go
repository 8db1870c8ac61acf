package tool

import (
	"errors"
	"strconv"
)

// A check visits each value once for every schema that applies to it. With
// references that can double at each level of the value, so it is counted
// before it is done: visits are allowed up to a constant and so many a node.
const (
	allowedVisits        = 20_000
	allowedVisitsPerNode = 20
)

// checkCost refuses a value whose check would take too long.
func (r *references) checkCost(value any) error {
	if !r.any {
		return nil
	}
	c := &cost{references: r, known: make(map[visit]int)}
	root := c.number(value)
	c.limit = allowedVisits + allowedVisitsPerNode*c.nodes
	if c.of("", root) > c.limit {
		return errors.New("the value is nested too deep for its schema, which refers to itself")
	}
	return nil
}

type cost struct {
	*references
	nodes, limit int
	known        map[visit]int
}

// visit is one schema applied to one node of the value.
type visit struct {
	schema string
	node   int
}

// numbered is a value whose every node has a number.
type numbered struct {
	number  int
	items   []*numbered
	members map[string]*numbered
}

func (c *cost) number(value any) *numbered {
	n := &numbered{number: c.nodes}
	c.nodes++
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			n.items = append(n.items, c.number(item))
		}
	case map[string]any:
		n.members = make(map[string]*numbered, len(value))
		for name, member := range value {
			n.members[name] = c.number(member)
		}
	}
	return n
}

// of counts the visits of a schema and all below it, at most limit+1. It errs
// to more: what the check may skip is counted.
func (c *cost) of(schema string, value *numbered) int {
	node, ok := c.references.nodes[schema]
	if !ok {
		return 0
	}
	key := visit{schema, value.number}
	if known, ok := c.known[key]; ok {
		return known
	}
	if len(c.known) > c.limit {
		return c.limit + 1
	}
	total := 1
	add := func(schema string, value *numbered) {
		if total <= c.limit {
			total = min(total+c.of(schema, value), c.limit+1)
		}
	}
	for _, next := range c.inPlace(schema, node) {
		add(next, value)
	}
	// Their faults were found when the schema was made.
	targets, _ := c.targets(node)
	for _, next := range targets {
		add(next, value)
	}
	for i, item := range value.items {
		for _, keyword := range [...]string{"items", "additionalItems", "unevaluatedItems", "contains"} {
			add(schema+"/"+keyword, item)
		}
		for _, keyword := range [...]string{"prefixItems", "items"} {
			add(schema+"/"+keyword+"/"+strconv.Itoa(i), item)
		}
	}
	patterns, _ := node["patternProperties"].(map[string]any)
	for name, member := range value.members {
		add(schema+"/properties/"+escapePointer(name), member)
		for pattern := range patterns {
			add(schema+"/patternProperties/"+escapePointer(pattern), member)
		}
		for _, keyword := range [...]string{"additionalProperties", "unevaluatedProperties"} {
			add(schema+"/"+keyword, member)
		}
	}
	c.known[key] = total
	return total
}
