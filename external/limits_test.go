//go:build unix

package external

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramsOfAllShellsAreBounded(t *testing.T) {
	var out, errs bytes.Buffer
	p := &Process{Path: "/bin/sh", Name: "sh", Arguments: []string{"-c", "echo ran"}, Directory: "/", Grace: DefaultGrace, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs}
	live.Add(maximumLive)
	status, err := p.Run(context.Background())
	live.Add(-maximumLive)
	require.NoError(t, err)
	require.Equal(t, 126, status)
	require.Equal(t, "sh: Resource temporarily unavailable\n", errs.String())
	require.Empty(t, out.String())
	status, err = p.Run(context.Background())
	require.NoError(t, err)
	require.Zero(t, status)
	require.Zero(t, live.Load())
}
