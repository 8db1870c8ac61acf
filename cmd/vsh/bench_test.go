package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkAgainstPrograms runs vsh and another program in turn, their output
// through a pipe, and reports the medians of the ratios of the time and of the
// processor time they took (start-up included). The bound is what the project
// promises of the time; it is reported, not enforced, because a busy machine
// would make it fail.
func BenchmarkAgainstPrograms(b *testing.B) {
	source := filepath.Join(runtime.GOROOT(), "src")
	log := b.TempDir()
	binary := filepath.Join(b.TempDir(), "vsh")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(b, err, string(out))
	writeLog(b, filepath.Join(log, "log"), 80_000_000)
	for _, c := range []struct {
		claim, directory, script string
		program                  []string
		bound                    float64
	}{
		{"start-up", log, "true", []string{"bash", "-c", "true"}, 2.2},
		{"grep -rn to ripgrep", source, "grep -rn literal .", []string{"rg", "-n", "literal", "."}, 1.5},
		{"grep -rn", source, "grep -rn literal .", []string{"grep", "-rn", "literal", "."}, 1},
		{"grep -rnE to ripgrep", source, "grep -rnE 'func [A-Z][a-z]+Reader' .", []string{"rg", "-n", "func [A-Z][a-z]+Reader", "."}, 1.5},
		{"grep -rni to ripgrep", source, "grep -rni literal .", []string{"rg", "-ni", "literal", "."}, 1.5},
		{"grep -rni", source, "grep -rni literal .", []string{"grep", "-rni", "literal", "."}, 1},
		{"grep -rnw to ripgrep", source, "grep -rnw literal .", []string{"rg", "-nw", "literal", "."}, 1.5},
		{"grep -rnw", source, "grep -rnw literal .", []string{"grep", "-rnw", "literal", "."}, 1},
		{"find", source, "find . -name '*.go'", []string{"find", ".", "-name", "*.go"}, 1.5},
		{"ls -R", source, "ls -R", []string{"ls", "-R"}, 1.5},
		{"grep -c", log, "grep -c ERROR log", []string{"grep", "-c", "ERROR", "log"}, 1},
		{"grep -cE", log, "grep -cE 'ERROR.*worker-(3|7)\\]' log", []string{"grep", "-cE", `ERROR.*worker-(3|7)\]`, "log"}, 1},
		{"grep -c without a match", log, "grep -c zzqqx log", []string{"grep", "-c", "zzqqx", "log"}, 1},
		{"grep -ci", log, "grep -ci error log", []string{"grep", "-ci", "error", "log"}, 1},
		{"grep -n", log, "grep -n ERROR log", []string{"grep", "-n", "ERROR", "log"}, 1},
		{"sed s///g", log, "sed s/INFO/info/g log", []string{"sed", "s/INFO/info/g", "log"}, 1},
		{"sed -E with groups", log, `sed -E 's/^([^ ]+) ([^ ]+) ([A-Z]+)/\3 \1T\2/' log`, []string{"sed", "-E", `s/^([^ ]+) ([^ ]+) ([A-Z]+)/\3 \1T\2/`, "log"}, 0.2},
		{"wc -l", log, "wc -l log", []string{"wc", "-l", "log"}, 1},
		{"sort", log, "sort log", []string{"sort", "log"}, 1},
		{"uniq", log, "uniq log", []string{"uniq", "log"}, 1},
		{"cut -d", log, "cut -d ' ' -f3 log", []string{"cut", "-d", " ", "-f3", "log"}, 1},
		{"tail", log, "tail -n 500000 log", []string{"tail", "-n", "500000", "log"}, 1},
		{"tac", log, "tac log", []string{"tac", "log"}, 1},
	} {
		b.Run(c.claim, func(b *testing.B) {
			if _, err := exec.LookPath(c.program[0]); err != nil {
				b.Skip(err)
			}
			var wall, processor []float64
			for b.Loop() {
				ours, oursProcessor := timed(b, c.directory, binary, "--root", ".", "-c", c.script)
				theirs, theirsProcessor := timed(b, c.directory, c.program...)
				wall = append(wall, float64(ours)/float64(theirs))
				processor = append(processor, float64(oursProcessor)/float64(max(theirsProcessor, 1)))
			}
			slices.Sort(wall)
			slices.Sort(processor)
			b.ReportMetric(wall[len(wall)/2], "time-ratio")
			b.ReportMetric(processor[len(processor)/2], "processor-ratio")
			b.ReportMetric(c.bound, "bound")
		})
	}
}

// timed runs a program and says how long it took, and its processor time; a
// status of 1 is grep's for no match.
func timed(b *testing.B, directory string, command ...string) (wall, processor time.Duration) {
	program := exec.Command(command[0], command[1:]...)
	program.Dir = directory
	program.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	program.Stdout = &discarded{} // no file: output goes through a pipe
	start := time.Now()
	err := program.Run()
	wall = time.Since(start)
	if err != nil && program.ProcessState.ExitCode() != 1 {
		b.Fatalf("%q: %v", command, err)
	}
	return wall, program.ProcessState.UserTime() + program.ProcessState.SystemTime()
}

type discarded struct{}

func (*discarded) Write(p []byte) (int, error) { return len(p), nil }

// writeLog makes a log of about size bytes, the same each time.
func writeLog(b *testing.B, name string, size int) {
	var text bytes.Buffer
	levels := []string{"INFO", "INFO", "INFO", "DEBUG", "INFO", "WARN", "INFO", "DEBUG", "INFO", "ERROR"}
	for i, seed := 0, uint32(1); text.Len() < size; i++ {
		seed = seed*1664525 + 1013904223
		fmt.Fprintf(&text, "2026-01-%02d %02d:%02d:%02d %s [worker-%d] request %d from 10.0.%d.%d took %d ms\n",
			i%28+1, i%24, i%60, i*7%60, levels[seed>>16%10], i%16, i, seed>>24, seed>>8&255, seed>>20)
	}
	require.NoError(b, os.WriteFile(name, text.Bytes(), 0o644))
}
