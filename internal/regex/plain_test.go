package regex

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Strings among many patterns take no more than a set of strings does.
func TestManyPatternsAreTaken(t *testing.T) {
	patterns := []string{"z.*9"}
	for i := range 100_000 {
		patterns = append(patterns, fmt.Sprintf("word%dx", i))
	}
	m, err := CompileAll(patterns, Options{Syntax: Basic})
	require.NoError(t, err)
	for text, want := range map[string]bool{"a word4711x b": true, "word4711": false, "az 9": true} {
		found, err := m.Match(t.Context(), []byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, found, text)
	}
}
