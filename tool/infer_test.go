package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// level has a text of its own, hex one by pointer only, box any JSON.
type level int

func (l level) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "level %d", int(l)), nil }
func (l *level) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "level %d", (*int)(l))
	return err
}

type hex struct{ n int }

func (h *hex) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%x", h.n), nil }
func (h *hex) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%x", &h.n)
	return err
}

type outside struct {
	Value
	X int
}

type embeds struct {
	Base
	Own []level `json:"own"`
}

type Base struct {
	When time.Time `json:"when"`
	Data []byte    `json:"data,omitempty"`
}

// roundTrip gives a Go value to a tool and takes it back, both by schemas made
// of its type.
func roundTrip[T any](t *testing.T, name string, value T, want string) {
	t.Run(name, func(t *testing.T) {
		type in struct {
			V T `json:"v"`
		}
		r := with(t, Define(Typed[in, in]{Name: "same", Execute: func(_ context.Context, _ *Call, in in) (in, error) { return in, nil }}))
		text, err := ValueOf(in{value})
		require.NoError(t, err)
		require.Equal(t, `{"v":`+want+`}`, text.String())
		result := r.Call(t.Context(), Request{Name: "same", Arguments: []byte(text.String())})
		require.Nil(t, result.Err)
		require.Equal(t, text, result.Value)
	})
}

func TestInferredSchemasFitWhatJSONMakes(t *testing.T) {
	roundTrip(t, "bytes", []byte("hi"), `"aGk="`)
	roundTrip(t, "no bytes", []byte(nil), `null`)
	roundTrip(t, "a nil slice", []string(nil), `null`)
	roundTrip(t, "a nil map", map[string]int(nil), `null`)
	roundTrip(t, "nil maps deep inside", []map[string]map[string]int{{"a": nil}, nil}, `[{"a":null},null]`)
	roundTrip(t, "a nil pointer", (*int)(nil), `null`)
	roundTrip(t, "a time", time.Unix(0, 0).UTC(), `"1970-01-01T00:00:00Z"`)
	roundTrip(t, "raw JSON", json.RawMessage(`{"a":[1]}`), `{"a":[1]}`)
	roundTrip(t, "a pointer to raw JSON", func() *json.RawMessage { m := json.RawMessage(`[1.50]`); return &m }(), `[1.50]`)
	roundTrip(t, "a Value", mustParse(`[9007199254740993]`), `[9007199254740993]`)
	roundTrip(t, "a json.Number", json.Number("9007199254740993.50"), `9007199254740993.50`)
	roundTrip(t, "anything", any("x"), `"x"`)
	roundTrip(t, "a text", level(3), `"level 3"`)
	roundTrip(t, "a map of texts", map[string]level{"a": 1}, `{"a":"level 1"}`)
	roundTrip(t, "a text by pointer", &hex{255}, `"ff"`)
	roundTrip(t, "an address", netip.MustParseAddr("10.0.0.1"), `"10.0.0.1"`)
	roundTrip(t, "a big integer", big.NewInt(1<<62), `4611686018427387904`)
	roundTrip(t, "an embedded marshaler", outside{Value: mustParse(`{"a":1}`)}, `{"a":1}`)
	roundTrip(t, "an embedded struct", embeds{Base{time.Unix(0, 0).UTC(), []byte{1}}, []level{1}}, `{"when":"1970-01-01T00:00:00Z","data":"AQ==","own":["level 1"]}`)
	roundTrip(t, "an array", [2]int8{-128, 127}, `[-128,127]`)
	roundTrip(t, "the largest integer", ^uint64(0), `18446744073709551615`)
}

func mustParse(text string) Value {
	v, err := ParseValue([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

func TestTypesWithoutSchemaAreRefused(t *testing.T) {
	type list struct {
		Next *list `json:"next,omitempty"`
	}
	_, err := NewRegistry().Register(Define(Typed[list, string]{Name: "x", Execute: func(context.Context, *Call, list) (string, error) { return "", nil }}))
	require.ErrorContains(t, err, "Parameters: For[tool.list](): cycle detected")
	_, err = NewRegistry().Register(Define(Typed[struct{}, map[int]string]{Name: "x", Execute: func(context.Context, *Call, struct{}) (map[int]string, error) { return nil, nil }}))
	require.ErrorContains(t, err, "Output.Schema: For[map[int]string](): unsupported map key type")
}
