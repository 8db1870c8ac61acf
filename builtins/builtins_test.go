package builtins

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCommandStandsOnceByName(t *testing.T) {
	for i := range entries {
		e := &entries[i]
		require.NotEmpty(t, e.summary, e.name)
		if i > 0 {
			require.Less(t, entries[i-1].name, e.name)
		}
		p := e.build(e.name)
		require.NotNil(t, p.run, e.name)
		require.NotEmpty(t, p.usage, e.name)
	}
}
