package tool

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var everything = Parameters(
	Required("path", String().Describe("Absolute path")),
	Optional("limit", Integer()),
	Optional("ratio", Number()),
	Optional("all", Boolean()),
	Optional("mode", Enum("read", "write")),
	Optional("level", Enum(1, 2)),
	Optional("nothing", Null()),
	Optional("any", Anything()),
	Optional("lines", Array(Integer())),
	Optional("files", Array(Object(Closed, Required("name", String()), Optional("size", Integer())))),
	Optional("open", Object(Open, Required("x", Integer()))),
	Optional("either", OneOf(String(), Array(String()))),
	Optional("target", OneOf(
		Object(Closed, Required("kind", Const("file")), Required("path", String())),
		Object(Closed, Required("kind", Const("pattern")), Required("pattern", String()), Optional("depth", Integer())),
	)),
)

func TestSchemaIsWrittenInOrder(t *testing.T) {
	s := Parameters(
		Required("path", String().Describe("Where").Describe("Absolute path")),
		Optional("how", Object(Closed, Optional("z", Array(OneOf(Const(1), Null()))), Optional("a", Enum("x", "y")))),
	)
	text, err := s.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, `{"type":"object","properties":{"path":{"type":"string","description":"Absolute path"},`+
		`"how":{"type":"object","properties":{"z":{"type":"array","items":{"oneOf":[{"const":1},{"type":"null"}]}},"a":{"type":"string","enum":["x","y"]}},"additionalProperties":false}},"required":["path"]}`, string(text))
}

func TestSchemaDoesNotChange(t *testing.T) {
	plain := String()
	described := plain.Describe("words")
	first, err := plain.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, `{"type":"string"}`, string(first))
	second, err := described.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, `{"type":"string","description":"words"}`, string(second))
}

func TestSchemaReportsItsMaking(t *testing.T) {
	for name, c := range map[string]struct {
		schema Schema
		want   string
	}{
		"an empty enum":           {Parameters(Optional("e", Enum())), "Enum lists no value"},
		"no alternative":          {Array(OneOf()), "OneOf lists no alternative"},
		"an alternative's fault":  {OneOf(String(), Enum()), "Enum lists no value"},
		"a property twice":        {Parameters(Optional("e", String()), Required("e", String())), `the property "e" is declared twice`},
		"raw text that is broken": {Raw([]byte(`{`)), "raw schema: not JSON"},
		"raw text, no schema":     {Raw([]byte(`{"type":5}`)), "not a JSON Schema"},
		"a reference elsewhere":   {Raw([]byte(`{"$ref":"https://example.com/x"}`)), "not a JSON Schema"},
		"raw and described":       {Raw([]byte(`{}`)).Describe("x"), "carries its own"},
		"a constant of no JSON":   {Const(func() {}), "unsupported type"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewChecker(c.schema)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestMessagesSayPathExpectedAndGot(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"missing":                  {`{}`, `path: expected string, got nothing: it is required`},
		"another type":             {`{"path":5}`, `path: expected string, got 5`},
		"a number as text":         {`{"path":"","limit":"20"}`, `limit: expected integer, got string "20"`},
		"a fraction":               {`{"path":"","limit":1.5}`, `limit: expected integer, got 1.5`},
		"null":                     {`{"path":null}`, `path: expected string, got null`},
		"boolean as text":          {`{"path":"","all":"true"}`, `all: expected boolean, got string "true"`},
		"not in the list":          {`{"path":"","mode":"append"}`, `mode: expected one of string "read", string "write", got string "append"`},
		"not in a list of numbers": {`{"path":"","level":3}`, `level: expected one of 1, 2, got 3`},
		"an item":                  {`{"path":"","lines":[1,"x",3]}`, `lines[1]: expected integer, got string "x"`},
		"a member of an item":      {`{"path":"","files":[{"name":"a"},{"size":1}]}`, `files[1].name: expected string, got nothing: it is required`},
		"closed":                   {`{"path":"","files":[{"name":"a","mtime":1}]}`, `files[0].mtime: expected no property besides name, size, got 1`},
		"an open object":           {`{"path":"","open":{"y":1}}`, `open.x: expected integer, got nothing: it is required`},
		"an array for an object":   {`{"path":"","open":[1]}`, `open: expected object, got array [1]`},
		"no alternative":           {`{"path":"","either":5}`, `either: expected one of: string | array, got 5`},
		"inside an alternative":    {`{"path":"","either":["a",5]}`, `either[1]: expected string, got 5`},
		"the kind that was meant":  {`{"path":"","target":{"kind":"pattern","depth":1}}`, `target.pattern: expected string, got nothing: it is required`},
		"the other kind":           {`{"path":"","target":{"kind":"file","path":"a","depth":1}}`, `target.depth: expected no property besides kind, path, got 1`},
		"two at once":              {`{"limit":"x"}`, `path: expected string, got nothing: it is required; limit: expected integer, got string "x"`},
		"another spelling":         {`{"path":"a","Path":"b"}`, `Path: expected the name "path", got another spelling`},
		"a spelling Go would fold": {`{"path":"a","fileſ":[]}`, `["fileſ"]: expected the name "files", got another spelling`},
		"a long value is cut":      {`{"path":["` + strings.Repeat("é", 100) + `"]}`, `path: expected string, got array ["` + strings.Repeat("é", 29) + `…`},
		"an odd name is quoted":    {`{"path":"","target":{"kind":"file","path":"","a b":1}}`, `target["a b"]: expected no property besides kind, path, got 1`},
	} {
		t.Run(name, func(t *testing.T) {
			checker, err := NewChecker(everything)
			require.NoError(t, err)
			v, err := ParseValue([]byte(c.in))
			require.NoError(t, err)
			err = checker.Check(v)
			require.EqualError(t, err, c.want)
			var misfit *Misfit
			require.ErrorAs(t, err, &misfit)
			require.NotEmpty(t, misfit.Problems[0].Path)
		})
	}
}

func TestFits(t *testing.T) {
	checker, err := NewChecker(everything)
	require.NoError(t, err)
	for _, text := range []string{
		`{"path":"x"}`,
		`{"path":"x","more":"is welcome"}`,
		`{"path":"x","limit":20,"ratio":1e2,"all":false,"mode":"read","level":2,"nothing":null,"any":{"a":[]},"lines":[],"files":[{"name":"a","size":18446744073709551615}]}`,
		`{"path":"x","limit":20.0,"ratio":3,"open":{"x":1,"y":2},"either":[]}`,
		`{"path":"x","limit":123456789012345678901234567890,"target":{"kind":"pattern","pattern":"*","depth":3}}`,
	} {
		v, err := ParseValue([]byte(text))
		require.NoError(t, err)
		require.NoError(t, checker.Check(v), text)
	}
}

func TestRawSchemasHaveWordsToo(t *testing.T) {
	for name, c := range map[string]struct{ schema, in, want string }{
		"minimum":            {`{"minimum":1}`, `0`, `(value): expected a number of at least 1, got 0`},
		"maximum":            {`{"maximum":9}`, `10`, `(value): expected a number of at most 9, got 10`},
		"exclusive minimum":  {`{"exclusiveMinimum":1}`, `1`, `(value): expected a number greater than 1, got 1`},
		"exclusive maximum":  {`{"exclusiveMaximum":1}`, `1`, `(value): expected a number less than 1, got 1`},
		"too short":          {`{"minLength":2}`, `"é"`, `(value): expected at least 2 characters, got 1: string "é"`},
		"too long":           {`{"maxLength":1}`, `"éé"`, `(value): expected at most 1 characters, got 2`},
		"pattern":            {`{"pattern":"^a"}`, `"b"`, `(value): expected a string that matches ^a, got string "b"`},
		"few items":          {`{"minItems":1}`, `[]`, `(value): expected at least 1 items, got 0`},
		"many items":         {`{"maxItems":1}`, `[1,2]`, `(value): expected at most 1 items, got 2`},
		"tuple":              {`{"prefixItems":[{"type":"string"},{"type":"null"}]}`, `["a",1]`, `[1]: expected null, got 1`},
		"two types":          {`{"type":["string","null"]}`, `1`, `(value): expected string or null, got 1`},
		"reference":          {`{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`, `"x"`, `(value): expected integer, got string "x"`},
		"recursive":          {`{"type":"object","properties":{"next":{"$ref":"#"},"v":{"type":"integer"}}}`, `{"next":{"next":{"v":"x"}}}`, `next.next.v: expected integer, got string "x"`},
		"all of":             {`{"allOf":[{"type":"integer"},{"minimum":3}]}`, `1`, `(value): expected a number of at least 3, got 1`},
		"any of":             {`{"anyOf":[{"type":"integer"},{"const":"auto"}]}`, `"x"`, `(value): expected one of: integer | string "auto", got string "x"`},
		"more than one":      {`{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, `(value): expected exactly one of: integer | number, got what fits 2 of them: 1`},
		"a map":              {`{"additionalProperties":{"type":"integer"}}`, `{"b":"x"}`, `b: expected integer, got string "x"`},
		"multiple of":        {`{"multipleOf":5}`, `7`, `(value): expected a multiple of 5, got 7`},
		"another keyword":    {`{"not":{"type":"integer"}}`, `7`, `(value): expected a value that fits the schema's not, got 7`},
		"a number beyond":    {`{"type":"string"}`, `1e400`, `(value): expected string, got 1e400`},
		"many problems":      {`{"items":{"type":"null"}}`, `[1,2,3,4,5,6,7,8,9,10]`, `[0]: expected null, got 1; [1]: expected null, got 2; [2]: expected null, got 3; [3]: expected null, got 4; [4]: expected null, got 5; [5]: expected null, got 6; [6]: expected null, got 7; [7]: expected null, got 8; and 1 more`},
		"nothing may be set": {`{"additionalProperties":false}`, `{"a":1}`, `a: expected no property besides none, got 1`},
	} {
		t.Run(name, func(t *testing.T) {
			checker, err := NewChecker(Raw([]byte(c.schema)))
			require.NoError(t, err)
			v, err := ParseValue([]byte(c.in))
			require.NoError(t, err)
			require.EqualError(t, checker.Check(v), c.want)
		})
	}
}

func TestSchemasThatNeverEndAreRefused(t *testing.T) {
	chain := func(n int) string {
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
		for i := range n {
			fmt.Fprintf(&b, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
		}
		fmt.Fprintf(&b, `"d%d":{"type":"null"}}}`, n)
		return b.String()
	}
	for name, c := range map[string]struct{ schema, want string }{
		"itself":                   {`{"$ref":"#"}`, "applies itself"},
		"by all of":                {`{"allOf":[{"$ref":"#"}]}`, "applies itself"},
		"by not":                   {`{"not":{"$ref":"#"}}`, "applies itself"},
		"by a condition":           {`{"if":true,"then":{"anyOf":[true,{"$ref":"#"}]}}`, "applies itself"},
		"two definitions":          {`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"oneOf":[{"$ref":"#/$defs/a"}]}}}`, "applies itself"},
		"by an anchor":             {`{"$anchor":"top","anyOf":[{"$ref":"#top"}]}`, "applies itself"},
		"by a dynamic anchor":      {`{"$dynamicAnchor":"top","anyOf":[{"$dynamicRef":"#top"}]}`, "applies itself"},
		"by dependent schemas":     {`{"dependentSchemas":{"a/b":{"$ref":"#"}}}`, "applies itself"},
		"by an escaped pointer":    {`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"$ref":"#/$defs/a~1b"}}}`, "applies itself"},
		"by an encoded pointer":    {`{"$ref":"#%2Fallo%66","allof":{"$ref":"#/allof"}}`, "applies itself"},
		"by an odd index":          {`{"allOf":[{"$ref":"#/allOf/00"}]}`, "leads nowhere"},
		"no such anchor":           {`{"$ref":"#nowhere"}`, "leads nowhere"},
		"a long chain":             {chain(200), "more than 100 schemas"},
		"another document":         {`{"$ref":"other.json"}`, "leaves the document"},
		"another document's parts": {`{"properties":{"x":{"$id":"other","$ref":"#"}}}`, "$id below the root"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewChecker(Raw([]byte(c.schema)))
			require.ErrorContains(t, err, c.want)
		})
	}
	for name, schema := range map[string]string{
		"a list of itself":       `{"type":"object","properties":{"next":{"$ref":"#"}}}`,
		"a tree":                 `{"items":{"$ref":"#"},"anyOf":[{"type":"array"},{"type":"null"}]}`,
		"a chain that ends":      chain(50),
		"the same twice":         `{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":["array","object","null"]}}}`,
		"an identity of its own": `{"$id":"https://example.com/mine","items":{"$ref":"#"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c, err := NewChecker(Raw([]byte(schema)))
			require.NoError(t, err)
			var deep Value
			require.NoError(t, deep.UnmarshalJSON([]byte(strings.Repeat("[", 400)+strings.Repeat("]", 400))))
			if name != "a list of itself" && name != "a chain that ends" {
				require.NoError(t, c.Check(deep))
			} else {
				require.Error(t, c.Check(deep))
			}
		})
	}
}

func TestChecksThatWouldTakeTooLongAreRefused(t *testing.T) {
	// Both alternatives look at the child, whatever the kind is.
	c, err := NewChecker(Raw([]byte(`{"oneOf":[
		{"properties":{"kind":{"const":"a"},"child":{"$ref":"#"}},"required":["kind"]},
		{"properties":{"kind":{"const":"b"},"child":{"$ref":"#"}},"required":["kind"]}]}`)))
	require.NoError(t, err)
	nested := func(depth int) (v Value) {
		text := strings.Repeat(`{"kind":"a","child":`, depth) + `{"kind":"b"}` + strings.Repeat("}", depth)
		require.NoError(t, v.UnmarshalJSON([]byte(text)))
		return v
	}
	require.NoError(t, c.Check(nested(5)))
	require.ErrorContains(t, c.Check(nested(100)), "nested too deep for its schema")

	c, err = NewChecker(Raw([]byte(`{"items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"integer"}}}`)))
	require.NoError(t, err)
	var long Value
	require.NoError(t, long.UnmarshalJSON([]byte("[0"+strings.Repeat(",1", 30_000)+"]")))
	require.NoError(t, c.Check(long), "a long list is no deep one")
}

func TestChecksRunAtOnce(t *testing.T) {
	c, err := NewChecker(Raw([]byte(`{"type":"object","properties":{"next":{"$ref":"#"},"n":{"type":"integer"}}}`)))
	require.NoError(t, err)
	var fits, not Value
	require.NoError(t, fits.UnmarshalJSON([]byte(`{"next":{"next":{"n":1}}}`)))
	require.NoError(t, not.UnmarshalJSON([]byte(`{"next":{"next":{"n":"1"}}}`)))
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if c.Check(fits) != nil || c.Check(not) == nil {
				t.Error("a wrong verdict")
			}
		})
	}
	wait.Wait()
}

func FuzzChecker(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"items":{"$ref":"#"}}}}`, `{"a":[{"a":[]}]}`)
	f.Add(`{"oneOf":[{"const":1},{"type":["integer","null"],"minimum":3}],"$anchor":"z"}`, `2`)
	f.Add(`{"patternProperties":{"^a":{"enum":[1,"x",null]}},"additionalProperties":false,"required":["b"]}`, `{"a":1.5,"c":{}}`)
	f.Add(`{"prefixItems":[{"contains":{"const":[1]}}],"dependentSchemas":{"a":{"not":{}}}}`, `[[[1]]]`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		if len(schema) > 2000 || len(value) > 2000 {
			return
		}
		c, err := NewChecker(Raw([]byte(schema)))
		if err != nil {
			return
		}
		v, err := ParseValue([]byte(value))
		if err != nil {
			return
		}
		if err := c.Check(v); err != nil {
			require.NotEmpty(t, err.Error())
			require.LessOrEqual(t, len(err.Error()), 20_000)
		}
	})
}
