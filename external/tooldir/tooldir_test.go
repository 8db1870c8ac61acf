//go:build unix

package tooldir_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vsh-project/vsh/external/tooldir"
	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/tool"
	"github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
)

// wcLines is the contract's example, with the branch that its own --help asks for.
const wcLines = `#!/bin/sh
# wc-lines: how many lines a file has.
case "$1" in --help) echo "wc-lines: how many lines a file has."; echo "wc-lines PATH [--no-empty]"; exit 0;; esac
path=""; noempty=0
while [ $# -gt 0 ]; do case "$1" in --no-empty) noempty=1 ;; *) path="$1" ;; esac; shift; done
[ -n "$path" ] || { echo "wc-lines: a path is needed" >&2; exit 2; }
if [ "$noempty" = 1 ]; then n=$(grep -c '[^[:space:]]' "$path"); else n=$(wc -l < "$path"); fi
echo "$path: $n"
`

const wcLinesSchema = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "the file"},
    "no_empty": {"type": "boolean", "description": "leave empty lines out"}
  },
  "required": ["path"],
  "x-snens": {"argv": [{"field": "path"}, {"flag": "--no-empty", "when_field": "no_empty"}], "stdin": {"mode": "none"}}
}`

// folder writes tools, NAME or NAME/FILE to text, and returns their directory.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		mode := os.FileMode(0o644)
		if !strings.Contains(name, "/") {
			name, mode = name+"/"+name, 0o755
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
	}
	return dir
}

func open(t *testing.T, options tooldir.Options) (*tooldir.Directory, *[]string) {
	t.Helper()
	var lines []string
	options.Diagnose = func(line string) { lines = append(lines, line) }
	if options.WorkingDirectory == "" {
		options.WorkingDirectory = t.TempDir()
	}
	d, err := tooldir.Open(context.Background(), &options)
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d, &lines
}

func value(t *testing.T, text string) tool.Value {
	t.Helper()
	v, err := tool.ParseValue([]byte(text))
	require.NoError(t, err)
	return v
}

func call(t *testing.T, d *tooldir.Directory, name, arguments string) *tooldir.Output {
	t.Helper()
	require.NotNil(t, d.Tool(name), name)
	out, err := d.Tool(name).Run(context.Background(), value(t, arguments), tooldir.Session{})
	require.NoError(t, err)
	return out
}

// described is a tool that prints the lines when asked for help.
func described(summary, usage, body string) string {
	return "#!/bin/sh\n[ \"$1\" = --help ] && { printf '\\n%s\\n\\n%s\\nmore\\n' '" + summary + "' '" + usage + "'; exit; }\n" + body
}

func TestTheContractsExample(t *testing.T) {
	work := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(work, "f"), []byte("a\n\nb\n"), 0o644))
	d, lines := open(t, tooldir.Options{Directory: folder(t, map[string]string{"wc-lines": wcLines, "wc-lines/schema.json": wcLinesSchema}), WorkingDirectory: work})
	require.Empty(t, *lines)
	w := d.Tool("wc-lines")
	require.Equal(t, "wc-lines: how many lines a file has.", w.Summary)
	require.Equal(t, "wc-lines PATH [--no-empty]", w.Usage)
	require.True(t, w.Typed)
	require.False(t, w.StdinRequired)
	require.Equal(t, "f: 3\n", strings.Join(strings.Fields(call(t, d, "wc-lines", `{"path":"f"}`).Stdout), " ")+"\n")
	require.Equal(t, "f: 2\n", call(t, d, "wc-lines", `{"path":"f","no_empty":true}`).Stdout)
	schema, err := w.Schema()
	require.NoError(t, err)
	require.NotContains(t, string(schema), "x-snens", "the provider does not know of it")
	require.Contains(t, string(schema), "the file")
	for _, bad := range []string{`{}`, `{"path":1}`, `{"path":"f","no_empty":"yes"}`, `[]`} {
		_, err := w.Run(context.Background(), value(t, bad), tooldir.Session{})
		var misfit *tool.Misfit
		require.ErrorAs(t, err, &misfit, bad)
	}
	require.Equal(t, 2, call(t, d, "wc-lines", `{"path":""}`).ExitCode, "a failure is a result")
}

func TestWhichToolsAreLeftOut(t *testing.T) {
	dir := folder(t, map[string]string{
		"good": described("good tool", "good [x]", ""), "fails": "#!/bin/sh\nexit 3\n", "mute": "#!/bin/sh\n", "blank": "#!/bin/sh\necho; echo '  '\n",
		"empty/other": "x", "plain/plain": "no program", ".hidden/.hidden": "x",
		"flood": "#!/bin/sh\necho flood tool\necho flood usage\nwhile :; do echo more; done\n",
	})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stray"), nil, 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "linked"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join(dir, "good", "good"), filepath.Join(dir, "linked", "linked")))
	d, lines := open(t, tooldir.Options{Directory: dir})
	var names []string
	for _, one := range d.Tools() {
		names = append(names, one.Name)
	}
	require.Equal(t, []string{"flood", "good", "linked"}, names)
	require.Len(t, *lines, 5, "one line each: %q", *lines)
	require.Equal(t, "good tool", d.Tool("good").Summary)
	require.Equal(t, "good [x]", d.Tool("good").Usage)
}

func TestWhyAToolIsLeftOut(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a.b", described("s", "u", ""), "a.b: left out: its name is not 1 to 64 letters, digits, _ and -"},
		{"ünï", described("s", "u", ""), "ünï: left out: its name is not 1 to 64 letters, digits, _ and -"},
		{"two words", described("s", "u", ""), "two words: left out: its name is not 1 to 64 letters, digits, _ and -"},
		{"two\nlines", described("s", "u", ""), "two lines: left out: its name is not 1 to 64 letters, digits, _ and -"},
		{strings.Repeat("x", 65), described("s", "u", ""), strings.Repeat("x", 65) + ": left out: its name is not 1 to 64 letters, digits, _ and -"},
		{"plain", "echo no interpreter\n", "plain: left out: its --help ended with status 126: plain: Exec format error"},
		{"fails", "#!/bin/sh\necho 'no configuration' >&2; echo more >&2; exit 4\n", "fails: left out: its --help ended with status 4: no configuration"},
		{"mute", "#!/bin/sh\necho 'usage' >&2\n", "mute: left out: its --help says nothing"},
	} {
		d, lines := open(t, tooldir.Options{Directory: folder(t, map[string]string{test.name: test.text})})
		require.Equal(t, []string{test.want}, *lines)
		require.Empty(t, d.Tools())
	}
	noisy, lines := open(t, tooldir.Options{Directory: folder(t, map[string]string{"noisy": "#!/bin/sh\nhead -c 100000 /dev/zero >&2; echo noisy; echo usage\n"})})
	require.Empty(t, *lines)
	require.Equal(t, "noisy", noisy.Tool("noisy").Summary, "what --help writes to stderr does not count")
}

func TestASchemaThatIsNoFileIsNotWaitedFor(t *testing.T) {
	dir := folder(t, map[string]string{"x": described("s", "u", "")})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "x", "schema.json"), 0o644))
	d, lines := open(t, tooldir.Options{Directory: dir})
	require.Equal(t, []string{"x: generic: schema.json: no regular file"}, *lines)
	require.NotNil(t, d.Tool("x"))
	dir = folder(t, map[string]string{"x": described("s", "u", ""), "x/schema.json": strings.Repeat(" ", 1<<20) + "{}"})
	_, lines = open(t, tooldir.Options{Directory: dir})
	require.Equal(t, []string{"x: generic: schema.json: larger than 1048576 bytes"}, *lines)
}

func TestACallIsItsSessions(t *testing.T) {
	work := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(work, "a", "b"), 0o755))
	elsewhere := errors.New("only in the shell")
	d, _ := open(t, tooldir.Options{
		Directory: folder(t, map[string]string{"show": described("s", "u", `echo "$SNENS_SESSION $SNENS_CWD $(pwd)"`)}), WorkingDirectory: work, Session: "process",
		SessionDirectory: func(agent, session string) (string, error) {
			require.Equal(t, "agent", agent)
			if session == "lost" {
				return "", elsewhere
			}
			return filepath.Join(work, "a"), nil
		},
	})
	definition, err := d.Tool("show").Definition()
	require.NoError(t, err)
	registry := tool.NewRegistry()
	_, err = registry.Register(definition)
	require.NoError(t, err)
	answer := func(session, arguments string) string {
		result := registry.Call(context.Background(), tool.Request{Name: "show", Agent: "agent", Session: session, Arguments: []byte(arguments)})
		return result.Content[0].Text
	}
	require.Equal(t, "s1 "+work+"/a "+work+"/a\n", answer("s1", `{}`))
	require.Equal(t, "s1 "+work+"/a/b "+work+"/a/b\n", answer("s1", `{"cwd":"b"}`))
	require.Equal(t, "process "+work+"/a "+work+"/a\n", answer("", `{}`))
	require.Contains(t, answer("lost", `{}`), "only in the shell")
	nameless, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{"show": described("s", "u", `echo "${SNENS_SESSION-absent}"`)})})
	require.Equal(t, "absent\n", call(t, nameless, "show", `{}`).Stdout)
}

func TestConcurrentUse(t *testing.T) {
	d, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{"a": described("s", "u", "echo a"), "b": described("s", "u", "a")})})
	commands, err := d.Commands(shell.IsTaken, nil)
	require.NoError(t, err)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 5 {
				out, err := d.Tool("b").Run(context.Background(), value(t, `{"args":"x"}`), tooldir.Session{Name: "s"})
				require.NoError(t, err)
				require.Equal(t, "a\n", out.Stdout)
			}
		})
		wait.Go(func() { require.NoError(t, d.Reload(context.Background())) })
		wait.Go(func() {
			sh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: commands})
			require.NoError(t, err)
			result, err := sh.Run(context.Background(), "for i in 1 2 3; do a | cat & tool b & done; wait")
			require.NoError(t, err)
			require.Equal(t, strings.Repeat("a\n", 6), result.Output)
		})
	}
	wait.Wait()
}

// TestReloadLeavesCallsInFlight: the PATH that a running tool has goes on to work.
func TestReloadLeavesCallsInFlight(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "go")
	d, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{
		"slow": described("s", "u", "while ! [ -e "+mark+" ]; do sleep 0.01; done; other"), "other": described("s", "u", "echo other tool"),
	})})
	slow := d.Tool("slow")
	answer := make(chan string, 1)
	go func() {
		out, err := slow.Run(context.Background(), value(t, `{}`), tooldir.Session{})
		if err != nil {
			answer <- err.Error()
			return
		}
		answer <- out.Stdout + out.Stderr
	}()
	require.NoError(t, d.Reload(context.Background()))
	require.NoError(t, os.WriteFile(mark, nil, 0o644))
	require.Equal(t, "other tool\n", <-answer)
}

func TestHelpThatHangsIsLeftOut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the five seconds a --help has")
	}
	began := time.Now()
	d, lines := open(t, tooldir.Options{Directory: folder(t, map[string]string{"hangs": "#!/bin/sh\nsleep 60\n", "too": "#!/bin/sh\nsleep 60\n", "good": described("s", "u", "")})})
	require.Less(t, time.Since(began), 9*time.Second, "they are asked at once")
	require.Len(t, d.Tools(), 1)
	require.Len(t, *lines, 2)
}

func TestStdinIsRequiredWhereHelpSaysTheWord(t *testing.T) {
	d, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{
		"a": described("reads stdin.", "a", "cat"), "b": described("b", "b [x] < stdin", "cat"), "c": described("stdinless", "c", ""),
	})})
	require.True(t, d.Tool("a").StdinRequired)
	require.True(t, d.Tool("b").StdinRequired)
	require.False(t, d.Tool("c").StdinRequired)
	_, err := d.Tool("a").Run(context.Background(), value(t, `{}`), tooldir.Session{})
	require.ErrorContains(t, err, "stdin")
	require.Equal(t, "text", call(t, d, "a", `{"stdin":"text"}`).Stdout)
}

func TestGenericInterface(t *testing.T) {
	d, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{"show": described("s", "u", `for a; do printf '[%s]' "$a"; done; cat`)})})
	require.Equal(t, "[--limit][20][pattern]", call(t, d, "show", `{"args":["--limit","20","pattern"],"stdin":""}`).Stdout)
	require.Equal(t, "[a][b]in", call(t, d, "show", `{"args":" a  b ","stdin":"in"}`).Stdout)
	require.Equal(t, "[a b]", call(t, d, "show", `{"args":["a b"]}`).Stdout)
	_, err := d.Tool("show").Run(context.Background(), value(t, `{"args":[1]}`), tooldir.Session{})
	require.Error(t, err)
}

func TestBrokenSchemasLeaveTheToolGeneric(t *testing.T) {
	ok := `"type":"object","properties":{"f":{"type":"string"}}`
	for rule, text := range map[string]string{
		"not JSON":                  `{`,
		"no type":                   `{"properties":{},"x-snens":{}}`,
		"another type":              `{"type":"array","properties":{},"x-snens":{}}`,
		"no properties":             `{"type":"object","x-snens":{}}`,
		"no mapping":                `{` + ok + `}`,
		"an unknown entry":          `{` + ok + `,"x-snens":{"argv":[{"what":"f"}]}}`,
		"an unknown member":         `{` + ok + `,"x-snens":{"args":[]}}`,
		"an unknown field":          `{` + ok + `,"x-snens":{"argv":[{"field":"g"}]}}`,
		"a flag alone":              `{` + ok + `,"x-snens":{"argv":[{"flag":"-x"}]}}`,
		"a stdin mode":              `{` + ok + `,"x-snens":{"stdin":{"mode":"file"}}}`,
		"stdin of an unknown field": `{` + ok + `,"x-snens":{"stdin":{"mode":"field","field":"g"}}}`,
		"a schema that is none":     `{"type":"object","properties":{"f":{"type":5}},"x-snens":{}}`,
	} {
		t.Run(rule, func(t *testing.T) {
			d, lines := open(t, tooldir.Options{Directory: folder(t, map[string]string{"x": described("s", "u", `echo "$@"`), "x/schema.json": text})})
			require.False(t, d.Tool("x").Typed)
			require.Len(t, *lines, 1)
			require.Contains(t, (*lines)[0], "x: generic: schema.json: ")
			require.Equal(t, "a b\n", call(t, d, "x", `{"args":"a b"}`).Stdout)
		})
	}
}

func TestTypedArguments(t *testing.T) {
	schema := func(mapping string) string {
		return `{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"number"},"b":{"type":"boolean"},"l":{"type":"array","items":{"type":"string"}},"o":{"type":"object"}},"x-snens":` + mapping + `}`
	}
	for _, test := range []struct{ rule, mapping, arguments, want string }{
		{"fields in order", `{"argv":[{"field":"n"},{"field":"s"}]}`, `{"s":"a b","n":1.50}`, "[1.50][a b]"},
		{"an absent field yields nothing", `{"argv":[{"field":"n"},{"flag":"-s","field":"s"}]}`, `{}`, ""},
		{"a flag when a field is true", `{"argv":[{"flag":"-b","when_field":"b"}]}`, `{"b":true}`, "[-b]"},
		{"no flag when it is false", `{"argv":[{"flag":"-b","when_field":"b"}]}`, `{"b":false}`, ""},
		{"a flag with its field", `{"argv":[{"flag":"--s","field":"s"}]}`, `{"s":"-x"}`, "[--s][-x]"},
		{"an array repeats", `{"argv":[{"flag":"-l","field":"l"},{"field":"l"}]}`, `{"l":["a","b c"]}`, "[-l][a][-l][b c][a][b c]"},
		{"an empty array is nothing", `{"argv":[{"flag":"-l","field":"l"}]}`, `{"l":[]}`, ""},
		{"a literal", `{"argv":[{"literal":"run"},{"field":"s"}]}`, `{"s":""}`, "[run][]"},
		{"stdin none", `{"argv":[],"stdin":{"mode":"none"}}`, `{"s":"x"}`, ""},
		{"stdin of a field, raw", `{"stdin":{"mode":"field","field":"s"}}`, `{"s":"\"q\"\n"}`, "\"q\"\n"},
		{"stdin of an absent field", `{"stdin":{"mode":"field","field":"s"}}`, `{}`, ""},
		{"stdin of fields as JSON", `{"stdin":{"mode":"json","fields":["n","s","o"]}}`, `{"o":{"k":[1]},"s":"x","n":2.0}`, `{"n":2.0,"s":"x","o":{"k":[1]}}`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			d, lines := open(t, tooldir.Options{Directory: folder(t, map[string]string{
				"x": described("s", "u", `for a; do printf '[%s]' "$a"; done; cat`), "x/schema.json": schema(test.mapping)})})
			require.Empty(t, *lines)
			require.Equal(t, test.want, call(t, d, "x", test.arguments).Stdout)
		})
	}
}

func TestEnvironmentIsTheContracts(t *testing.T) {
	t.Setenv("VSH_CANARY", "leak")
	work := t.TempDir()
	d, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{
		"show": described("s", "u", "env | sort"), "other": described("s", "u", "echo other tool"), "ls": described("s", "u", "echo not ls"),
		"finds": described("s", "u", "other; command -v ls"),
	}), WorkingDirectory: work, Session: "s1", Environment: []string{"SNENS_PARENT=p", "PATH=/usr/bin:/bin"}})
	out := call(t, d, "show", `{}`).Stdout
	require.Contains(t, out, "SNENS_SESSION=s1\n")
	require.Contains(t, out, "SNENS_CWD="+work+"\n")
	require.Contains(t, out, "SNENS_PARENT=p\n")
	require.NotContains(t, out, "SNENS_CONFIG", "no variable: the tool does not know that context")
	require.NotContains(t, out, "leak")
	require.Regexp(t, `(?m)^PATH=[^:]*vsh-tools-[^:]*:/usr/bin:/bin$`, out)
	out = call(t, d, "finds", `{}`).Stdout
	require.True(t, strings.HasPrefix(out, "other tool\n"), out)
	require.NotContains(t, out, "vsh-tools", "a tool of a system command's name is not put in PATH")
}

func TestCwdAndTimeout(t *testing.T) {
	work := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(work, "sub"), 0o755))
	d, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{"here": described("s", "u", `pwd; [ -z "$1" ] || sleep "$1"`)}), WorkingDirectory: work})
	require.Contains(t, call(t, d, "here", `{"cwd":"sub"}`).Stdout, "/sub\n")
	for _, cwd := range []string{"..", "/etc", "nosuch"} {
		_, err := d.Tool("here").Run(context.Background(), value(t, `{"cwd":"`+cwd+`"}`), tooldir.Session{})
		require.ErrorContains(t, err, "cwd: ", cwd)
	}
	began := time.Now()
	out := call(t, d, "here", `{"args":"30","timeout_seconds":0.2}`)
	require.Equal(t, 124, out.ExitCode)
	require.True(t, out.TimedOut)
	require.Less(t, time.Since(began), 25*time.Second)
}

func TestReloadFindsNewTools(t *testing.T) {
	dir := folder(t, map[string]string{"a": described("s", "u", "")})
	d, _ := open(t, tooldir.Options{Directory: dir})
	require.Nil(t, d.Tool("b"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "b"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b", "b"), []byte(described("b tool", "u", "a; echo b")), 0o755))
	require.NoError(t, d.Reload(context.Background()))
	require.Equal(t, "b tool", d.Tool("b").Summary)
	require.Equal(t, "b\n", call(t, d, "b", `{}`).Stdout)
}

func TestTheCommandToolKnowsToolsOfTheLastReload(t *testing.T) {
	dir := folder(t, map[string]string{"a": described("s", "u", "")})
	d, _ := open(t, tooldir.Options{Directory: dir})
	commands, err := d.Commands(shell.IsReserved, nil)
	require.NoError(t, err)
	sh, err := shell.New(&shell.Options{Storage: memory.New(memory.Options{}), Commands: commands})
	require.NoError(t, err)
	output := func() string {
		result, err := sh.Run(context.Background(), "tool b x")
		require.NoError(t, err)
		return result.Output
	}
	require.Equal(t, "tool: b: no such tool\n", output())
	require.NoError(t, os.Mkdir(filepath.Join(dir, "b"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b", "b"), []byte(described("b tool", "u", "echo b $1")), 0o755))
	require.NoError(t, d.Reload(context.Background()))
	require.Equal(t, "b x\n", output())
	require.NoError(t, os.Remove(filepath.Join(dir, "b", "b")))
	require.Equal(t, "tool: b: its program has gone\n", output())
}

func TestSelfTest(t *testing.T) {
	d, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{
		"good": described("s", "u", "echo ok"), "good/selftest.sh": "./good | grep -q ok", "bad": described("s", "u", ""), "bad/selftest.sh": "echo broken; exit 1", "none": described("s", "u", ""),
	})})
	out, ran, err := d.Tool("good").SelfTest(context.Background())
	require.NoError(t, err)
	require.True(t, ran)
	require.Zero(t, out.ExitCode)
	out, _, err = d.Tool("bad").SelfTest(context.Background())
	require.NoError(t, err)
	require.Equal(t, "broken\n", out.Stdout)
	require.Equal(t, 1, out.ExitCode)
	_, ran, err = d.Tool("none").SelfTest(context.Background())
	require.NoError(t, err)
	require.False(t, ran)
}

func TestAsCommandsOfAShell(t *testing.T) {
	work := t.TempDir()
	d, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{
		"show": described("shows", "u", `echo "$# $1"; cat; exit 4`), "grep": described("not grep", "u", "echo mine"),
	}), WorkingDirectory: work})
	taken := func(name string) bool { return name == "grep" }
	commands, err := d.Commands(taken, nil)
	require.NoError(t, err)
	require.Len(t, commands, 2)
	require.Equal(t, "shows", commands[0].Summary)
	require.Equal(t, "tool", commands[1].Name)
	require.Contains(t, commands[1].Summary, "only so: grep")
	storage, err := host.New(host.Options{Directory: work})
	require.NoError(t, err)
	sh, err := shell.New(&shell.Options{Storage: storage, Commands: commands})
	require.NoError(t, err)
	result, err := sh.Run(context.Background(), `echo in | show 'a b' c; echo $?`)
	require.NoError(t, err)
	require.Equal(t, "2 a b\nin\n4\n", result.Output)
	commands, err = d.Commands(taken, taken)
	require.NoError(t, err)
	require.Len(t, commands, 3)
	require.NotContains(t, commands[2].Summary, "only so")
}

func TestAsTools(t *testing.T) {
	d, _ := open(t, tooldir.Options{Directory: folder(t, map[string]string{"wc-lines": wcLines, "wc-lines/schema.json": wcLinesSchema})})
	definition, err := d.Tool("wc-lines").Definition()
	require.NoError(t, err)
	registry := tool.NewRegistry()
	_, err = registry.Register(definition)
	require.NoError(t, err)
	result := registry.Call(context.Background(), tool.Request{Name: "wc-lines", Arguments: []byte(`{"path":""}`)})
	require.False(t, result.IsError, "a program's failure is a value")
	require.Contains(t, result.Content[0].Text, "[exit code: ")
	result = registry.Call(context.Background(), tool.Request{Name: "wc-lines", Arguments: []byte(`{}`)})
	require.True(t, result.IsError)
	require.Contains(t, result.Content[0].Text, "path")
}

func TestToolsInOtherLanguages(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go")
	}
	dir := folder(t, map[string]string{
		"pytool":             "#!" + python + "\nimport sys, json\nif sys.argv[1:] == ['--help']:\n    print('pytool: sums stdin JSON'); print('pytool'); sys.exit()\nprint(sum(json.load(sys.stdin)['numbers']))\n",
		"pytool/schema.json": `{"type":"object","properties":{"numbers":{"type":"array","items":{"type":"number"}}},"required":["numbers"],"x-snens":{"argv":[],"stdin":{"mode":"json","fields":["numbers"]}}}`,
		"gotool/main.go":     "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc main() {\n\tif len(os.Args) > 1 && os.Args[1] == \"--help\" {\n\t\tfmt.Println(\"gotool: greets\")\n\t\tfmt.Println(\"gotool [name]\")\n\t\treturn\n\t}\n\tfmt.Println(\"hello\", os.Args[1:])\n}\n",
	})
	build := exec.Command(goTool, "build", "-o", filepath.Join(dir, "gotool", "gotool"), filepath.Join(dir, "gotool", "main.go"))
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	d, lines := open(t, tooldir.Options{Directory: dir})
	require.Empty(t, *lines)
	require.Equal(t, "6\n", call(t, d, "pytool", `{"numbers":[1,2,3]}`).Stdout)
	require.Equal(t, "hello [a b]\n", call(t, d, "gotool", `{"args":["a","b"]}`).Stdout)
}
