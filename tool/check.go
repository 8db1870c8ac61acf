package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/vsh-project/vsh/internal/lines"
)

// maximumProblems bounds a message: a model mends a few things at a time.
const maximumProblems = 8

// Checker is a schema ready to check values.
type Checker struct {
	root       *jsonschema.Schema
	draft7     bool
	otherDraft bool // one whose rules are not known here
	parts      map[*jsonschema.Schema]*part
	references *references
}

// NewChecker compiles a schema of JSON Schema 2020-12 or, by its $schema, draft
// 7. A reference to another document is an error.
func NewChecker(s Schema) (*Checker, error) {
	c, err := newChecker(s)
	if err == nil && c.otherDraft {
		return nil, fmt.Errorf("not a JSON Schema: $schema %q is neither draft 2020-12 nor draft-07", lines.Clip(c.root.Schema, 80))
	}
	return c, err
}

func newChecker(s Schema) (*Checker, error) {
	if s.err != nil {
		return nil, s.err
	}
	text, err := ValueOf(s)
	if err != nil {
		return nil, err
	}
	c := &Checker{root: new(jsonschema.Schema)}
	err = guard(func() (err error) {
		tree := text.Any()
		if c.references, err = checkReferences(tree); err != nil {
			return err
		}
		if err := text.Decode(c.root); err != nil {
			return err
		}
		if _, err := c.root.Resolve(nil); err != nil {
			return err
		}
		switch _, draft, _ := strings.Cut(strings.TrimSuffix(c.root.Schema, "#"), "://"); draft {
		case "", "json-schema.org/draft/2020-12/schema":
		case "json-schema.org/draft-07/schema":
			c.draft7 = true
		default:
			c.otherDraft = true
		}
		return c.compile(tree)
	})
	if err != nil {
		return nil, fmt.Errorf("not a JSON Schema: %w", err)
	}
	return c, nil
}

// Problem is one place where a value does not fit.
type Problem struct {
	// Path is where: "files[2].path"; empty is the value itself.
	Path string
	// Expected and Got say what the schema asks there and what it found.
	Expected, Got string
}

func (p Problem) String() string {
	at := p.Path
	if at == "" {
		at = "(value)"
	}
	return at + ": expected " + p.Expected + ", got " + p.Got
}

// Misfit says why a value does not fit its schema.
type Misfit struct {
	Problems []Problem
	more     int
}

func (m *Misfit) Error() string {
	var b strings.Builder
	for i, p := range m.Problems {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.String())
	}
	if m.more > 0 {
		fmt.Fprintf(&b, "; and %d more", m.more)
	}
	return b.String()
}

// Check is nil when v fits, a *Misfit when it does not.
func (c *Checker) Check(v Value) (err error) {
	tree := v.Any()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("checking the value: %v", r)
		}
	}()
	if err := c.references.checkCost(tree); err != nil {
		return err
	}
	unfit := c.verdict(tree, c.root, nil)
	problems := c.explain(nil, "", tree, c.root, 0)
	if unfit == "" {
		// A property that differs from a declared one only in case would
		// reach a Go struct's field and stay unseen by policy.
		problems = slices.DeleteFunc(problems, func(p Problem) bool { return !strings.HasPrefix(p.Expected, likelyMeant) })
		if len(problems) == 0 {
			return nil
		}
	}
	if len(problems) == 0 {
		problems = []Problem{{Expected: "a value that fits the schema's " + unfit, Got: show(tree)}}
	}
	m := &Misfit{Problems: problems}
	if len(problems) > maximumProblems {
		m.Problems, m.more = problems[:maximumProblems], len(problems)-maximumProblems
	}
	return m
}

const likelyMeant = "the name "

// explain appends what does not fit. It knows the keywords tools use and says
// nothing about the others.
func (c *Checker) explain(problems []Problem, path string, v any, s *jsonschema.Schema, refs int) []Problem {
	p := c.parts[s]
	if p.reference != nil && refs < maximumInPlace {
		problems = c.explain(problems, path, v, p.reference, refs+1)
	}
	if !fitsType(v, s) {
		return append(problems, Problem{path, strings.Join(types(s), " or "), show(v)})
	}
	if s.Const != nil && !equal(p.constant, v) {
		return append(problems, Problem{path, show(p.constant), show(v)})
	}
	if s.Enum != nil && !slices.ContainsFunc(p.enum, func(e any) bool { return equal(e, v) }) {
		return append(problems, Problem{path, p.oneOf(400), show(v)})
	}
	switch v := v.(type) {
	case string:
		problems = p.explainString(problems, path, v, s)
	case json.Number:
		problems = p.explainNumber(problems, path, v)
	case []any:
		problems = c.explainArray(problems, path, v, s, refs)
	case map[string]any:
		problems = c.explainObject(problems, path, v, s, refs)
	}
	for _, all := range s.AllOf {
		problems = c.explain(problems, path, v, all, refs)
	}
	problems = c.explainAlternatives(problems, path, v, s.AnyOf, false, refs)
	return c.explainAlternatives(problems, path, v, s.OneOf, true, refs)
}

// oneOf names the values of an enum.
func (p *part) oneOf(limit int) string {
	words := make([]string, len(p.enum))
	for i, e := range p.enum {
		words[i] = show(e)
	}
	return "one of " + lines.Clip(strings.Join(words, ", "), limit)
}

func (p *part) explainString(problems []Problem, path, v string, s *jsonschema.Schema) []Problem {
	n := utf8.RuneCountInString(v)
	switch p.checkString(v, s) {
	case "minLength":
		return append(problems, Problem{path, fmt.Sprintf("at least %d characters", *s.MinLength), fmt.Sprintf("%d: %s", n, show(v))})
	case "maxLength":
		return append(problems, Problem{path, fmt.Sprintf("at most %d characters", *s.MaxLength), strconv.Itoa(n)})
	case "pattern":
		return append(problems, Problem{path, "a string that matches " + s.Pattern, show(v)})
	}
	return problems
}

func (p *part) explainNumber(problems []Problem, path string, v json.Number) []Problem {
	bad := p.checkNumber(v)
	if bad == "" {
		return problems
	}
	words := map[string]string{
		"minimum": "a number of at least ", "maximum": "a number of at most ",
		"exclusiveMinimum": "a number greater than ", "exclusiveMaximum": "a number less than ", "multipleOf": "a multiple of ",
	}
	return append(problems, Problem{path, words[bad] + show(p.limits[bad]), show(v)})
}

func (c *Checker) explainArray(problems []Problem, path string, v []any, s *jsonschema.Schema, refs int) []Problem {
	if s.MinItems != nil && len(v) < *s.MinItems {
		problems = append(problems, Problem{path, fmt.Sprintf("at least %d items", *s.MinItems), strconv.Itoa(len(v))})
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		problems = append(problems, Problem{path, fmt.Sprintf("at most %d items", *s.MaxItems), strconv.Itoa(len(v))})
	}
	for i, item := range v {
		if len(problems) > maximumProblems {
			return problems
		}
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case i < len(s.PrefixItems):
			problems = c.explain(problems, at, item, s.PrefixItems[i], refs)
		case s.Items != nil:
			problems = c.explain(problems, at, item, s.Items, refs)
		}
	}
	return problems
}

func (c *Checker) explainObject(problems []Problem, path string, v map[string]any, s *jsonschema.Schema, refs int) []Problem {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			problems = append(problems, Problem{join(path, name), c.describe(s.Properties[name]), "nothing: it is required"})
		}
	}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if declared := s.Properties[name]; declared != nil {
			problems = c.explain(problems, join(path, name), v[name], declared, refs)
			continue
		}
		meant := ""
		for known := range s.Properties {
			if strings.EqualFold(known, name) {
				meant = known
			}
		}
		closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil && reflect.ValueOf(*s.AdditionalProperties.Not).IsZero()
		switch {
		case meant != "":
			problems = append(problems, Problem{join(path, name), likelyMeant + strconv.Quote(meant), "another spelling"})
		case closed && len(s.PatternProperties) == 0:
			problems = append(problems, Problem{join(path, name), "no property besides " + propertyNames(s), show(v[name])})
		case s.AdditionalProperties != nil && !closed && len(s.PatternProperties) == 0:
			problems = c.explain(problems, join(path, name), v[name], s.AdditionalProperties, refs)
		}
	}
	return problems
}

// explainAlternatives names the alternative that comes nearest: the one whose
// constants fit, else the one with fewest problems.
func (c *Checker) explainAlternatives(problems []Problem, path string, v any, alternatives []*jsonschema.Schema, exactlyOne bool, refs int) []Problem {
	if len(alternatives) == 0 {
		return problems
	}
	var fit []string
	var nearest []Problem
	meant := false
	words := make([]string, len(alternatives))
	for i, a := range alternatives {
		words[i] = c.describe(a)
		found := c.explain(nil, path, v, a, refs)
		constant := c.hasConstant(v, a)
		switch {
		case len(found) == 0:
			fit = append(fit, words[i])
		case len(found) == 1 && found[0].Path == path: // another kind of value
		case constant && !meant:
			nearest, meant = found, true
		case constant == meant && (nearest == nil || len(found) < len(nearest)):
			nearest = found
		}
	}
	switch {
	case len(fit) == 0 && len(nearest) > 0:
		return append(problems, nearest...)
	case len(fit) == 0:
		return append(problems, Problem{path, "one of: " + lines.Clip(strings.Join(words, " | "), 400), show(v)})
	case len(fit) > 1 && exactlyOne:
		return append(problems, Problem{path, "exactly one of: " + lines.Clip(strings.Join(words, " | "), 400), "what fits " + strconv.Itoa(len(fit)) + " of them: " + show(v)})
	}
	return problems
}

// hasConstant reports whether v has a member that an alternative fixes to that
// very constant: the kind a model meant.
func (c *Checker) hasConstant(v any, s *jsonschema.Schema) bool {
	object, ok := v.(map[string]any)
	if !ok {
		return false
	}
	for name, p := range s.Properties {
		if member, has := object[name]; has && p.Const != nil && equal(c.parts[p].constant, member) {
			return true
		}
	}
	return false
}

// describe says what a schema accepts in a few words.
func (c *Checker) describe(s *jsonschema.Schema) string {
	if s == nil {
		return "a value"
	}
	p := c.parts[s]
	switch {
	case p.reference != nil:
		if p.reference.Ref == "" {
			return c.describe(p.reference)
		}
	case s.Const != nil:
		return show(p.constant)
	case s.Enum != nil:
		return p.oneOf(200)
	case s.Type == "object" && len(s.Properties) > 0:
		return "object with " + propertyNames(s)
	case len(types(s)) > 0:
		return strings.Join(types(s), " or ")
	}
	return "a value"
}

func propertyNames(s *jsonschema.Schema) string {
	if len(s.Properties) == 0 {
		return "none"
	}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	return lines.Clip(strings.Join(names, ", "), 300)
}

func types(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

func fitsType(v any, s *jsonschema.Schema) bool {
	if s.Type != "" {
		return isType(v, s.Type)
	}
	return s.Types == nil || slices.ContainsFunc(s.Types, func(t string) bool { return isType(v, t) })
}

// isType says it of a tree of Value.Any; a name that is no type of JSON fits none.
func isType(v any, name string) bool {
	var ok bool
	switch name {
	case "null":
		ok = v == nil
	case "number":
		_, ok = v.(json.Number)
	case "integer":
		n, isNumber := v.(json.Number)
		ok = isNumber && (!strings.ContainsAny(string(n), ".eE") || readDecimal(string(n)).isInteger())
	case "string":
		_, ok = v.(string)
	case "boolean":
		_, ok = v.(bool)
	case "array":
		_, ok = v.([]any)
	case "object":
		_, ok = v.(map[string]any)
	}
	return ok
}

func join(path, name string) string {
	plain := name != ""
	for i := 0; i < len(name); i++ {
		b := name[i]
		plain = plain && (b == '_' || b == '-' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z')
	}
	switch {
	case !plain:
		return path + "[" + strconv.Quote(lines.Clip(name, 80)) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// show is a value as a message quotes it: short, with its type where the text
// alone leaves it open.
func show(v any) string {
	short := "a value"
	if text, err := marshal(v); err == nil {
		short = lines.Clip(string(text), 60)
	}
	switch v.(type) {
	case []any:
		return "array " + short
	case map[string]any:
		return "object " + short
	case string:
		return "string " + short
	}
	return short
}
