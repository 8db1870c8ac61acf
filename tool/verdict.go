package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/vsh-project/vsh/internal/lines"
)

// The schema library reads numbers as float64, here as there in a schema, so
// that 9007199254740993 equals ...992 and 0.07 is no multiple of 0.01. It makes
// the schema, and the rules of JSON Schema 2020-12 and draft 7 are applied here,
// on numbers as they are written.

// part is what a schema says that the library's form of it does not keep.
type part struct {
	constant  any // of the tree that Value.Any makes
	enum      []any
	numbers   map[string]decimal     // by keyword
	limits    map[string]json.Number // the same as they are written
	pattern   *regexp.Regexp
	patterns  map[string]*regexp.Regexp
	reference *jsonschema.Schema
	dynamic   *jsonschema.Schema
}

// numberKeywords bound a number.
var numberKeywords = [...]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}

// compile notes what the text says of every schema in it.
func (c *Checker) compile(text any) error {
	c.parts = make(map[*jsonschema.Schema]*part)
	at := make(map[string]*jsonschema.Schema)
	var walk func(s *jsonschema.Schema, raw any, pointer string) error
	walk = func(s *jsonschema.Schema, raw any, pointer string) error {
		if s == nil || c.parts[s] != nil {
			return nil
		}
		p := &part{}
		c.parts[s], at[pointer] = p, s
		members, _ := raw.(map[string]any)
		p.constant = members["const"]
		p.enum, _ = members["enum"].([]any)
		for _, keyword := range numberKeywords {
			if n, ok := members[keyword].(json.Number); ok {
				if p.numbers == nil {
					p.numbers, p.limits = make(map[string]decimal), make(map[string]json.Number)
				}
				p.numbers[keyword], p.limits[keyword] = readDecimal(n.String()), n
			}
		}
		var err error
		if s.Pattern != "" {
			if p.pattern, err = regexp.Compile(s.Pattern); err != nil {
				return err
			}
		}
		for pattern := range s.PatternProperties {
			if p.patterns == nil {
				p.patterns = make(map[string]*regexp.Regexp)
			}
			if p.patterns[pattern], err = regexp.Compile(pattern); err != nil {
				return err
			}
		}
		for _, below := range subschemas(s) {
			raw := members[below.keyword]
			switch inner := raw.(type) {
			case map[string]any:
				if below.named {
					raw = inner[below.name]
				}
			case []any:
				if i, err := strconv.Atoi(below.name); err == nil && i < len(inner) {
					raw = inner[i]
				}
			}
			next := pointer + "/" + below.keyword
			if below.named {
				next += "/" + escapePointer(below.name)
			}
			if err := walk(below.schema, raw, next); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(c.root, text, ""); err != nil {
		return err
	}
	for s, p := range c.parts {
		for _, r := range [...]struct {
			reference string
			into      **jsonschema.Schema
		}{{s.Ref, &p.reference}, {s.DynamicRef, &p.dynamic}} {
			if r.reference == "" {
				continue
			}
			targets, err := c.references.targets(map[string]any{"$ref": r.reference})
			if err != nil {
				return err
			}
			for _, t := range targets {
				if *r.into == nil {
					*r.into = at[t]
				}
			}
			if *r.into == nil {
				return fmt.Errorf("the reference %q leads to no schema", lines.Clip(r.reference, 80))
			}
		}
	}
	return nil
}

// subschema is a schema inside another.
type subschema struct {
	keyword, name string // name is the member's or the index, where named
	named         bool
	schema        *jsonschema.Schema
}

// subschemas are the schemas just inside s.
func subschemas(s *jsonschema.Schema) (list []subschema) {
	one := func(keyword string, schema *jsonschema.Schema) {
		if schema != nil {
			list = append(list, subschema{keyword: keyword, schema: schema})
		}
	}
	many := func(keyword string, schemas []*jsonschema.Schema) {
		for i, schema := range schemas {
			list = append(list, subschema{keyword, strconv.Itoa(i), true, schema})
		}
	}
	members := func(keyword string, schemas map[string]*jsonschema.Schema) {
		for name, schema := range schemas {
			list = append(list, subschema{keyword, name, true, schema})
		}
	}
	members("$defs", s.Defs)
	members("definitions", s.Definitions)
	members("properties", s.Properties)
	members("patternProperties", s.PatternProperties)
	members("dependentSchemas", s.DependentSchemas)
	members("dependencies", s.DependencySchemas)
	many("prefixItems", s.PrefixItems)
	many("items", s.ItemsArray)
	many("allOf", s.AllOf)
	many("anyOf", s.AnyOf)
	many("oneOf", s.OneOf)
	one("items", s.Items)
	one("additionalItems", s.AdditionalItems)
	one("unevaluatedItems", s.UnevaluatedItems)
	one("contains", s.Contains)
	one("additionalProperties", s.AdditionalProperties)
	one("unevaluatedProperties", s.UnevaluatedProperties)
	one("propertyNames", s.PropertyNames)
	one("not", s.Not)
	one("if", s.If)
	one("then", s.Then)
	one("else", s.Else)
	return list
}

// evaluated is which items and properties of one value a schema has looked at:
// unevaluatedItems and unevaluatedProperties are about the others.
type evaluated struct {
	everyItem, everyProperty bool
	items                    int // so many from the start
	index                    map[int]bool
	property                 map[string]bool
}

func (e *evaluated) merge(other *evaluated) {
	e.everyItem = e.everyItem || other.everyItem
	e.everyProperty = e.everyProperty || other.everyProperty
	e.items = max(e.items, other.items)
	if e.index == nil {
		e.index = other.index
	} else {
		maps.Copy(e.index, other.index)
	}
	e.markProperties(other.property)
}

func (e *evaluated) markProperties(names map[string]bool) {
	if e.property == nil {
		e.property = maps.Clone(names)
		return
	}
	maps.Copy(e.property, names)
}

// verdict is the keyword of s that v does not fit, "" when it fits; into, which
// may be nil, learns what was looked at.
func (c *Checker) verdict(v any, s *jsonschema.Schema, into *evaluated) string {
	p := c.parts[s]
	var seen evaluated
	if p.reference != nil {
		if bad := c.verdict(v, p.reference, &seen); bad != "" {
			return bad
		}
		if c.draft7 {
			// There the other members of a reference are ignored.
			if into != nil {
				into.merge(&seen)
			}
			return ""
		}
	}
	if !fitsType(v, s) {
		return "type"
	}
	if s.Enum != nil && !slices.ContainsFunc(p.enum, func(e any) bool { return equal(e, v) }) {
		return "enum"
	}
	if s.Const != nil && !equal(p.constant, v) {
		return "const"
	}
	switch v := v.(type) {
	case json.Number:
		if bad := p.checkNumber(v); bad != "" {
			return bad
		}
	case string:
		if bad := p.checkString(v, s); bad != "" {
			return bad
		}
	}
	if p.dynamic != nil {
		if bad := c.verdict(v, p.dynamic, &seen); bad != "" {
			return bad
		}
	}
	if bad := c.checkCombination(v, s, &seen); bad != "" {
		return bad
	}
	switch v := v.(type) {
	case []any:
		if bad := c.checkArray(v, s, &seen); bad != "" {
			return bad
		}
	case map[string]any:
		if bad := c.checkObject(v, s, p, &seen); bad != "" {
			return bad
		}
	}
	if into != nil {
		into.merge(&seen)
	}
	return ""
}

func (p *part) checkNumber(v json.Number) string {
	if len(p.numbers) == 0 {
		return ""
	}
	n := readDecimal(v.String())
	for _, keyword := range numberKeywords {
		limit, ok := p.numbers[keyword]
		if !ok {
			continue
		}
		fits := true
		switch order := n.compare(limit); keyword {
		case "minimum":
			fits = order >= 0
		case "maximum":
			fits = order <= 0
		case "exclusiveMinimum":
			fits = order > 0
		case "exclusiveMaximum":
			fits = order < 0
		case "multipleOf":
			fits = n.isMultipleOf(limit)
		}
		if !fits {
			return keyword
		}
	}
	return ""
}

func (p *part) checkString(v string, s *jsonschema.Schema) string {
	switch {
	case s.MinLength != nil && utf8.RuneCountInString(v) < *s.MinLength:
		return "minLength"
	case s.MaxLength != nil && utf8.RuneCountInString(v) > *s.MaxLength:
		return "maxLength"
	case p.pattern != nil && !p.pattern.MatchString(v):
		return "pattern"
	}
	return ""
}

// checkCombination applies the schemas that are about the same value.
func (c *Checker) checkCombination(v any, s *jsonschema.Schema, seen *evaluated) string {
	for _, all := range s.AllOf {
		if bad := c.verdict(v, all, seen); bad != "" {
			return bad
		}
	}
	for _, list := range [...]struct {
		keyword string
		schemas []*jsonschema.Schema
	}{{"anyOf", s.AnyOf}, {"oneOf", s.OneOf}} {
		if list.schemas == nil {
			continue
		}
		fit := 0
		for _, alternative := range list.schemas {
			if c.verdict(v, alternative, seen) == "" {
				fit++
			}
		}
		if fit == 0 || fit > 1 && list.keyword == "oneOf" {
			return list.keyword
		}
	}
	if s.Not != nil && c.verdict(v, s.Not, nil) == "" {
		return "not"
	}
	if s.If != nil {
		next := s.Then
		if c.verdict(v, s.If, seen) != "" {
			next = s.Else
		}
		if next != nil {
			return c.verdict(v, next, seen)
		}
	}
	return ""
}

func (c *Checker) checkArray(v []any, s *jsonschema.Schema, seen *evaluated) string {
	each := func(items []any, schema *jsonschema.Schema) string {
		if schema == nil {
			return ""
		}
		for _, item := range items {
			if bad := c.verdict(item, schema, nil); bad != "" {
				return bad
			}
		}
		seen.everyItem = true
		return ""
	}
	first, rest := s.PrefixItems, s.Items
	if c.draft7 {
		first = s.ItemsArray
		if first != nil {
			rest = s.AdditionalItems
		}
	}
	first = first[:min(len(first), len(v))]
	for i, schema := range first {
		if bad := c.verdict(v[i], schema, nil); bad != "" {
			return bad
		}
	}
	seen.items = max(seen.items, len(first))
	if bad := each(v[len(first):], rest); bad != "" {
		return bad
	}
	if s.Contains != nil {
		found := 0
		for i, item := range v {
			if c.verdict(item, s.Contains, nil) != "" {
				continue
			}
			found++
			if seen.index == nil {
				seen.index = make(map[int]bool)
			}
			seen.index[i] = true
		}
		least := 1
		if s.MinContains != nil {
			least = *s.MinContains
		}
		if found < least || s.MaxContains != nil && found > *s.MaxContains {
			return "contains"
		}
	}
	switch {
	case s.MinItems != nil && len(v) < *s.MinItems:
		return "minItems"
	case s.MaxItems != nil && len(v) > *s.MaxItems:
		return "maxItems"
	case s.UniqueItems && !unique(v):
		return "uniqueItems"
	}
	if s.UnevaluatedItems != nil && !seen.everyItem {
		for i := seen.items; i < len(v); i++ {
			if !seen.index[i] && c.verdict(v[i], s.UnevaluatedItems, nil) != "" {
				return "unevaluatedItems"
			}
		}
		seen.everyItem = true
	}
	return ""
}

func (c *Checker) checkObject(v map[string]any, s *jsonschema.Schema, p *part, seen *evaluated) string {
	here := make(map[string]bool)
	for name, schema := range s.Properties {
		if member, ok := v[name]; ok {
			if bad := c.verdict(member, schema, nil); bad != "" {
				return bad
			}
			here[name] = true
		}
	}
	for pattern, schema := range s.PatternProperties {
		for name, member := range v {
			if p.patterns[pattern].MatchString(name) {
				if bad := c.verdict(member, schema, nil); bad != "" {
					return bad
				}
				here[name] = true
			}
		}
	}
	if s.AdditionalProperties != nil {
		for name, member := range v {
			if !here[name] && c.verdict(member, s.AdditionalProperties, nil) != "" {
				return "additionalProperties"
			}
			here[name] = true
		}
	}
	seen.markProperties(here)
	if s.PropertyNames != nil {
		for name := range v {
			if c.verdict(name, s.PropertyNames, nil) != "" {
				return "propertyNames"
			}
		}
	}
	switch {
	case s.MinProperties != nil && len(v) < *s.MinProperties:
		return "minProperties"
	case s.MaxProperties != nil && len(v) > *s.MaxProperties:
		return "maxProperties"
	case !hasAll(v, s.Required):
		return "required"
	}
	lists, schemas := s.DependentRequired, s.DependentSchemas
	if c.draft7 {
		lists, schemas = s.DependencyStrings, s.DependencySchemas
	}
	for name, names := range lists {
		if _, ok := v[name]; ok && !hasAll(v, names) {
			return "dependentRequired"
		}
	}
	for name, schema := range schemas {
		if _, ok := v[name]; ok {
			if bad := c.verdict(v, schema, seen); bad != "" {
				return bad
			}
		}
	}
	if s.UnevaluatedProperties != nil && !seen.everyProperty {
		for name, member := range v {
			if !seen.property[name] && c.verdict(member, s.UnevaluatedProperties, nil) != "" {
				return "unevaluatedProperties"
			}
		}
		seen.everyProperty = true
	}
	return ""
}

func hasAll(v map[string]any, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, ok := v[name]; return !ok })
}

// equal compares two trees of Value.Any, numbers by what they are worth.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || readDecimal(string(a)) == readDecimal(string(b)))
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	}
	switch b.(type) {
	case json.Number, []any, map[string]any:
		return false
	}
	return a == b
}

// unique reports whether no two items are equal.
func unique(items []any) bool {
	known := make(map[string]bool, len(items))
	var b strings.Builder
	for _, item := range items {
		b.Reset()
		writeKey(&b, item)
		if known[b.String()] {
			return false
		}
		known[b.String()] = true
	}
	return true
}

// writeKey writes equal values alike and others not.
func writeKey(b *strings.Builder, v any) {
	switch v := v.(type) {
	case json.Number:
		d := readDecimal(v.String())
		b.WriteString(strconv.FormatBool(d.negative) + d.digits + "e" + strconv.Itoa(d.exponent))
	case []any:
		b.WriteByte('[')
		for _, item := range v {
			writeKey(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case map[string]any:
		names := slices.Collect(maps.Keys(v))
		sort.Strings(names)
		b.WriteByte('{')
		for _, name := range names {
			b.WriteString(strconv.Quote(name))
			b.WriteByte(':')
			writeKey(b, v[name])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case string:
		b.WriteString(strconv.Quote(v))
	case bool:
		b.WriteString("is " + strconv.FormatBool(v))
	case nil:
		b.WriteString("null")
	}
}
