package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pipelines are run over the Go installation's source tree by bash and by vsh.
// Those whose order is the directory's on disk are compared as sets of lines.
var pipelines = []struct {
	script string
	set    bool
}{
	{script: `find . -name '*_test.go' | wc -l`},
	{script: `find . -type f -name '*.go' -size +100k | sort`},
	{script: `find net -maxdepth 2 -type d | sort | head -20`},
	{script: `find . -name testdata -prune -o -name '*.s' -print | sort | tail -5`},
	{script: `find encoding -type f`, set: true},
	{script: `find . -type d -empty | sort`},
	{script: `find strings bytes -newer strings/strings.go -name '*.go' | sort`},
	{script: `find . -iname '*readme*' | sort`},
	{script: `find runtime -name '*.go' ! -name '*_test.go' | sort | head -40 | xargs wc -l`},
	{script: `find . -regex '.*/z[a-z]*_linux_amd64\.go' | sort`},
	{script: `find sort -type f -printf '%f %s\n' | sort`},
	{script: `find . -path '*/internal/*' -name 'doc.go' | sort | xargs grep -h '^package' | sort | uniq -c | sort -k1,1nr -k2 | head`},
	{script: `grep -rn 'func Errorf' --include='*.go' . | sort`},
	{script: `grep -rl 'sync.Pool' . | sort | head -30`},
	{script: `grep -rc TODO fmt | sort`},
	{script: `grep -rE '^func \(.*\) String\(\) string' net | sort | wc -l`},
	{script: `grep -rhoE '"[a-z]+/[a-z]+"' net/http/*.go | sort | uniq -c | sort -k1,1nr -k2 | head -20`},
	{script: `grep -rniw 'deprecated' strings bytes | sort`},
	{script: `grep -rvc . errors | sort`},
	{script: `grep -L 'import' sort/*.go`},
	{script: `grep -A2 -B1 -n 'type Reader struct' bufio/bufio.go`},
	{script: `grep -rZl 'unsafe' os | tr '\0' '\n' | sort`},
	{script: `grep -c '' unicode/tables.go`},
	{script: `grep -rFx '}' --include='*.go' sort | sort | uniq -c`},
	{script: `ls`},
	{script: `ls -R text`},
	{script: `ls -1p | grep / | head -12`},
	{script: `ls -S bytes | head -5`},
	{script: `ls -ld unicode | cut -c1-10`},
	{script: `cat sort/*.go | wc`},
	{script: `wc -c fmt/*.go | tail -1`},
	{script: `wc -lwmcL strconv/atof.go`},
	{script: `head -n 3 io/*.go | head -40`},
	{script: `head -c 100 go/build/build.go`},
	{script: `sort -u fmt/print.go | head -50`},
	{script: `cat strings/*.go | tr -cs A-Za-z '\n' | sort | uniq -c | sort -k1,1nr -k2 | head -25`},
	{script: `find . -name '*.go' | xargs -n 50 grep -l 'runtime/debug' | sort`},
	{script: `find . -name '*.txt' -print0 | xargs -0 ls -1 | sort | head`},
	{script: `find archive -type f | while read -r f; do echo "${f##*/} $(head -1 "$f" | cut -c1-30)"; done | sort | head -20`},
	{script: `for d in fmt io os; do printf '%s %s\n' "$d" "$(cat $d/*.go | wc -l)"; done`},
}

func TestPipelinesOverTheGoTree(t *testing.T) {
	src := filepath.Join(runtime.GOROOT(), "src")
	if _, err := os.Stat(filepath.Join(src, "fmt", "print.go")); err != nil {
		t.Skip("no Go source tree: ", err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to compare with")
	}
	require.GreaterOrEqual(t, len(pipelines), 30)
	for _, p := range pipelines {
		t.Run(p.script, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(bash, "-c", p.script)
			cmd.Dir = src
			cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=/"}
			want, err := cmd.Output()
			wantStatus := 0
			if err != nil {
				exit, ok := err.(*exec.ExitError)
				require.True(t, ok, err)
				wantStatus = exit.ExitCode()
			}
			var stdout, stderr bytes.Buffer
			status := run(context.Background(), []string{"--root", src, "--user", "root:0:0", "-c", p.script}, strings.NewReader(""), &stdout, &stderr)
			got := stdout.String()
			if p.set {
				require.Equal(t, sorted(string(want)), sorted(got), stderr.String())
			} else {
				require.Equal(t, string(want), got, stderr.String())
			}
			require.Equal(t, wantStatus, status)
		})
	}
}

func sorted(s string) []string {
	lines := strings.Split(s, "\n")
	sort.Strings(lines)
	return lines
}
