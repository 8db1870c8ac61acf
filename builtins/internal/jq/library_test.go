package jq

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryDefinitionCompiles(t *testing.T) {
	for _, key := range libraryNames() {
		name, arity := splitKey(key)
		t.Run(key, func(t *testing.T) {
			text := name
			for i := range arity {
				if i == 0 {
					text += "("
				} else {
					text += ";"
				}
				text += "."
			}
			if arity > 0 {
				text += ")"
			}
			_, err := Compile(text, nil, nil)
			require.NoError(t, err)
		})
	}
}
