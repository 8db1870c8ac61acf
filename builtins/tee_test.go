package builtins

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTee(t *testing.T) {
	s := newTestShell(t).files("a=old\n", "d/")
	s.stdin = "x\n"
	require.Equal(t, "x\n", s.output("tee", "a", "b"))
	require.Equal(t, "x\n", s.read("a"), "a file is written anew")
	require.Equal(t, "x\n", s.read("b"))
	require.Equal(t, "x\n", s.output("tee", "-a", "a"))
	require.Equal(t, "x\nx\n", s.read("a"), "-a adds")
	require.Equal(t, "x\ntee: d: Is a directory\n[exit status 1]\n", s.output("tee", "d", "c"))
	require.Equal(t, "x\n", s.read("c"), "an output that cannot be opened does not stop the others")
	require.Equal(t, "x\ntee: /dev/full: No space left on device\n[exit status 1]\n", s.output("tee", "/dev/full", "c"))
	require.Equal(t, "tee: /dev/full: No space left on device\n[exit status 1]\n", s.output("tee", "--output-error=exit", "/dev/full")[len("x\n"):], "exit ends the run at the first error")
}
