package tool

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValueIsLossless(t *testing.T) {
	for name, c := range map[string]struct{ in, out string }{
		"blanks go":                              {" { \"a\" : [ 1 , 2 ] }\n", `{"a":[1,2]}`},
		"members keep their order":               {`{"z":1,"a":2}`, `{"z":1,"a":2}`},
		"a number keeps its digits":              {`[12345678901234567890123, 1.10, 1E2, -0]`, `[12345678901234567890123,1.10,1E2,-0]`},
		"a string is written in one way":         {`"\u0061\/\u00e9<"`, `"a/é<"`},
		"a surrogate pair is one character":      {`"\ud83d\ude00"`, `"😀"`},
		"an escaped backslash begins no escape":  {`"\\ud800"`, `"\\ud800"`},
		"U+FFFD may stand itself":                {`"\ufffd"`, `"` + "\uFFFD" + `"`},
		"empty composites":                       {`[{},[ ],{ }]`, `[{},[],{}]`},
		"every scalar":                           {`[true,false,null,"",0]`, `[true,false,null,"",0]`},
		"closing brackets in strings are text":   {`{"]}":"]}\"{"}`, `{"]}":"]}\"{"}`},
		"the same name in two objects is no dup": {`[{"a":{"a":1}},{"a":1}]`, `[{"a":{"a":1}},{"a":1}]`},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := ParseValue([]byte(c.in))
			require.NoError(t, err)
			require.Equal(t, c.out, v.String())
			again, err := ParseValue([]byte(v.String()))
			require.NoError(t, err)
			require.Equal(t, v, again)
		})
	}
}

func TestValueRefusesWhatWouldChange(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"nothing":                       {" \n", "no JSON value"},
		"no JSON":                       {`{"a":}`, "not JSON at byte 6"},
		"two values":                    {`1 2`, "not JSON at byte 3"},
		"a member twice":                {`{"a":1,"\u0061":2}`, `the object names "a" twice`},
		"invalid UTF-8":                 {"\"\xff\"", "not valid UTF-8"},
		"high surrogate alone":          {`"\ud83d"`, "half of a surrogate pair"},
		"low surrogate alone":           {`"x\ude00"`, "half of a surrogate pair"},
		"high surrogate before a plain": {`"\ud83d\u0041"`, "half of a surrogate pair"},
		"nested too deep":               {strings.Repeat("[", 600) + strings.Repeat("]", 600), "nested deeper than 500"},
		"nested beyond the decoder":     {strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000), "not JSON"},
		"a number nobody can spell":     {`1e999999999`, "out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseValue([]byte(c.in))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestValueOf(t *testing.T) {
	v, err := ValueOf(map[string]any{"n": int64(math.MaxInt64), "s": "<&>", "r": json.Number("0.10")})
	require.NoError(t, err)
	require.Equal(t, `{"n":9223372036854775807,"r":0.10,"s":"<&>"}`, v.String())

	same, err := ValueOf(v)
	require.NoError(t, err)
	require.Equal(t, v, same)

	for name, bad := range map[string]any{
		"not a number":                 math.NaN(),
		"infinite":                     math.Inf(1),
		"a string that is no UTF-8":    "ok\xff",
		"a backslash before such":      "\\\xff",
		"a name that is no UTF-8":      map[string]int{"\xff": 1},
		"a function":                   func() {},
		"such a string after a decoy":  []string{`\ufffd`, "\xff"},
		"an unpaired surrogate inside": json.RawMessage(`"\ud800"`),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ValueOf(bad)
			require.Error(t, err)
		})
	}
	for _, good := range []string{"\uFFFD", `\ufffd`, `\\ufffd`} {
		v, err := ValueOf(good)
		require.NoError(t, err)
		text, ok := v.Text()
		require.True(t, ok)
		require.Equal(t, good, text)
	}
}

func TestValueIsDetached(t *testing.T) {
	in := []byte(`{"a":[1],"b":"x"}`)
	v, err := ParseValue(in)
	require.NoError(t, err)
	copy(in, `{"c"`)
	tree := v.Any().(map[string]any)
	require.Equal(t, json.Number("1"), tree["a"].([]any)[0])
	tree["a"].([]any)[0] = "changed"
	delete(tree, "b")
	require.Equal(t, `{"a":[1],"b":"x"}`, v.String())

	b, ok := v.Member("b")
	require.True(t, ok)
	text, ok := b.Text()
	require.True(t, ok)
	require.Equal(t, "x", text)
	_, ok = v.Member("c")
	require.False(t, ok)
	_, ok = b.Member("x")
	require.False(t, ok)
	_, ok = v.Text()
	require.False(t, ok)

	var zero Value
	require.True(t, zero.IsNull())
	require.Equal(t, "null", zero.String())
	require.Nil(t, zero.Any())
	var holder struct{ V Value }
	require.NoError(t, json.Unmarshal([]byte(`{"V":{"x": 1.50}}`), &holder))
	out, err := json.Marshal(holder)
	require.NoError(t, err)
	require.Equal(t, `{"V":{"x":1.50}}`, string(out))
}

func FuzzParseValue(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.0,"\u00e9\\"]}`, `"\ud83d\ude00"`, `[[],{}]`, `-1e-5`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ParseValue([]byte(text))
		if err != nil {
			return
		}
		require.True(t, json.Valid([]byte(v.String())))
		var before, after any
		require.NoError(t, json.Unmarshal([]byte(text), &before))
		require.NoError(t, json.Unmarshal([]byte(v.String()), &after))
		require.Equal(t, before, after)
		again, err := ParseValue([]byte(v.String()))
		require.NoError(t, err)
		require.Equal(t, v, again)
	})
}
