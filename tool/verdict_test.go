package tool

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbersAreExact(t *testing.T) {
	for name, c := range map[string]struct {
		schema    string
		fit, does string // values that fit and that do not, in one array each
	}{
		"a constant above 2^53":     {`{"const":9007199254740993}`, `[9007199254740993,9007199254740993.0,9.007199254740993e15]`, `[9007199254740992,9007199254740994,"9007199254740993"]`},
		"a constant above 2^64":     {`{"const":18446744073709551617}`, `[18446744073709551617]`, `[18446744073709551616,18446744073709551618]`},
		"a constant inside":         {`{"const":{"a":[9007199254740993,{"b":1e0}]}}`, `[{"a":[9007199254740993,{"b":1}]}]`, `[{"a":[9007199254740992,{"b":1}]}]`},
		"a constant with fractions": {`{"const":0.1}`, `[0.1,0.10,1e-1]`, `[0.10000000000000001,0.1000000000000000055511151231257827]`},
		"a listed integer":          {`{"enum":[9007199254740993,-9007199254740993,"x"]}`, `[9007199254740993,-9007199254740993,"x"]`, `[9007199254740992,-9007199254740992,-9007199254740994]`},
		"minus zero is zero":        {`{"const":0}`, `[0,-0,0.0,-0e5]`, `[1e-400]`},
		"an integer by type":        {`{"type":"integer"}`, `[1.0,1e2,1.50e1,123456789012345678901234567890,1e400,0.0]`, `[1.5,1e-1,1.00000000000000000000000001,15e-1]`},
		"a minimum":                 {`{"minimum":9007199254740993}`, `[9007199254740993,9007199254740994,1e16]`, `[9007199254740992,9007199254740992.9,-9007199254740994]`},
		"a maximum":                 {`{"maximum":0.1}`, `[0.1,0.09999999999999999999,-5]`, `[0.10000000000000000001,1e9999]`},
		"exclusive bounds":          {`{"exclusiveMinimum":-9007199254740993,"exclusiveMaximum":9007199254740993}`, `[9007199254740992,-9007199254740992,0]`, `[9007199254740993,-9007199254740993]`},
		"a multiple of a hundredth": {`{"multipleOf":0.01}`, `[0.07,1.1,4.35,19.99,0,1e300]`, `[0.075,0.0001]`},
		"a multiple of an integer":  {`{"multipleOf":3}`, `[9007199254740993,-3,3e300]`, `[9007199254740994,1e300,0.3]`},
		"unique items":              {`{"uniqueItems":true}`, `[[9007199254740992,9007199254740993,"1",1,[1],{"a":1},null,"null"]]`, `[[1,1.0],[9007199254740993,9007199254740993],[{"a":1,"b":2},{"b":2e0,"a":1}]]`},
		"one of two integers":       {`{"oneOf":[{"const":9007199254740992},{"const":9007199254740993}]}`, `[9007199254740992,9007199254740993]`, `[9007199254740994]`},
		"not a constant":            {`{"not":{"const":9007199254740993}}`, `[9007199254740992]`, `[9007199254740993]`},
		"by reference":              {`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"const":9007199254740993}}}`, `[9007199254740993]`, `[9007199254740992]`},
	} {
		t.Run(name, func(t *testing.T) {
			checker, err := NewChecker(Raw([]byte(c.schema)))
			require.NoError(t, err)
			for list, fits := range map[string]bool{c.fit: true, c.does: false} {
				var values []json.RawMessage
				require.NoError(t, json.Unmarshal([]byte(list), &values))
				for _, text := range values {
					v, err := ParseValue(text)
					require.NoError(t, err)
					require.Equal(t, fits, checker.Check(v) == nil, "%s", text)
				}
			}
		})
	}
}

func TestNumbersOfGoInSchemas(t *testing.T) {
	r := with(t, echo(func(d *Definition) {
		d.Parameters = Parameters(Required("text", Enum(int64(9007199254740993), uint64(18446744073709551615))))
		d.Output.Schema = Const(int64(9007199254740993))
		d.Execute = func(_ context.Context, call *Call) (any, error) {
			v, _ := call.Arguments().Member("text")
			return v, nil
		}
	}))
	require.False(t, r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":9007199254740993}`)}).IsError)
	result := r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":9007199254740992}`)})
	require.Equal(t, Text("Error: echo: the arguments do not fit: text: expected one of 9007199254740993, 18446744073709551615, got 9007199254740992"), result.Content)
	result = r.Call(t.Context(), Request{Name: "echo", Arguments: []byte(`{"text":18446744073709551615}`)})
	require.Equal(t, Text("Error: echo: the tool's value does not fit its schema: (value): expected 9007199254740993, got 18446744073709551615"), result.Content)
}

// suites are the cases of JSON Schema's own test suite that come with the
// schema library.
func suites(t *testing.T, draft string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Skip("the go command is not here: ", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "jsonschema", "testdata", draft, "*.json"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the schema library came without its tests")
	}
	return files
}

func TestSchemaSuite(t *testing.T) {
	for _, draft := range []string{"draft2020-12", "draft7"} {
		ran, refused := 0, 0
		for _, file := range suites(t, draft) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct {
					Description string
					Data        json.RawMessage
					Valid       bool
				}
			}
			require.NoError(t, json.Unmarshal(text, &groups))
			for _, g := range groups {
				schema := g.Schema
				if draft == "draft7" && strings.HasPrefix(string(schema), "{") && !strings.Contains(string(schema), `"$schema"`) {
					schema = append([]byte(`{"$schema":"http://json-schema.org/draft-07/schema#",`), schema[1:]...)
				}
				checker, err := NewChecker(Raw(schema))
				if err != nil {
					t.Logf("%s: %s: %v", filepath.Base(file), g.Description, err)
					refused++
					continue
				}
				for _, c := range g.Tests {
					v, err := ParseValue(c.Data)
					require.NoError(t, err)
					ran++
					if unfit := checker.verdict(v.Any(), checker.root, nil); (unfit == "") != c.Valid {
						t.Errorf("%s: %s: %s: %q, should fit: %v\n%s\n%s", filepath.Base(file), g.Description, c.Description, unfit, c.Valid, schema, c.Data)
					}
				}
			}
		}
		t.Logf("%s: %d cases ran, %d schemas were refused", draft, ran, refused)
		require.Greater(t, ran, 500)
	}
}
