package shell

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/external"
	"github.com/vsh-project/vsh/vfs"
	hostfs "github.com/vsh-project/vsh/vfs/host"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
)

func made(t *testing.T, options Options) *Shell {
	t.Helper()
	if options.Storage == nil {
		options.Storage = memory.New(memory.Options{})
	}
	sh, err := New(&options)
	require.NoError(t, err)
	return sh
}

func ran(t *testing.T, sh *Shell, script string) *Result {
	t.Helper()
	r, err := sh.Run(t.Context(), script)
	require.NoError(t, err)
	return r
}

func TestMounts(t *testing.T) {
	lazy, err := vfs.NewLazy([]vfs.LazyFile{{Path: "/made", Produce: func(context.Context) ([]byte, error) { return []byte("late\n"), nil }}})
	require.NoError(t, err)
	fixed := afero.NewMemMapFs()
	require.NoError(t, afero.WriteFile(fixed, "/f", []byte("fixed\n"), 0o644))
	denied, err := vfs.WorkspacePolicy(vfs.Workspace{Writable: []string{"/guarded"}, Deny: []string{"/guarded/secret"}})
	require.NoError(t, err)
	sh := made(t, Options{MountPoint: "/w", Mounts: []Mount{
		{Path: "/ro", Storage: fixed, ReadOnly: true},
		{Path: "/w/inner", Storage: memory.New(memory.Options{})},
		{Path: "/lazy", Storage: vfs.NewFace(lazy)},
		{Path: "/guarded/", Storage: memory.New(memory.Options{}), Policy: denied},
	}})
	for _, c := range []struct{ rule, script, want string }{
		{"reading", "cat /ro/f", "fixed\n"},
		{"read-only", "echo x > /ro/g; echo $?", "bash: line 1: /ro/g: Read-only file system\n1\n"},
		{"nested and listed", "ls", "inner\n"},
		{"mv across mounts copies", "echo a > a; mv a inner/b; cat inner/b; ls; rm inner/b", "a\ninner\n"},
		{"a mount point stays", "rmdir inner; echo $?", "rmdir: failed to remove 'inner': Device or resource busy\n1\n"},
		{"lazy content", "cat /lazy/made", "late\n"},
		{"a mount's policy", "echo x > /guarded/secret; echo y > /guarded/open; cat /guarded/open", "bash: line 1: /guarded/secret: Permission denied (workspace/denied: the rules of this workspace deny this path)\ny\n"},
	} {
		t.Run(c.rule, func(t *testing.T) { require.Equal(t, c.want, ran(t, sh, c.script).Output) })
	}
	for _, c := range []struct {
		mount Mount
		want  string
	}{
		{Mount{Path: "x", Storage: fixed}, `Options.Mounts[0].Path "x" is not absolute`},
		{Mount{Path: "/w/.", Storage: fixed}, `Options.Mounts[0].Path "/w/." is mounted already`},
		{Mount{Path: "/dev/x", Storage: fixed}, `Options.Mounts[0].Path "/dev/x" is the shell's own`},
		{Mount{Path: "/tmp", Storage: fixed}, `Options.Mounts[0].Path "/tmp" is the shell's own`},
		{Mount{Path: "/x"}, `Options.Mounts[0].Storage is required`},
	} {
		_, err := New(&Options{Storage: fixed, MountPoint: "/w", Mounts: []Mount{c.mount}})
		require.EqualError(t, err, "shell: "+c.want)
	}
}

func TestPolicyOfTheWorkspace(t *testing.T) {
	policy, err := vfs.WorkspacePolicy(vfs.Workspace{Writable: []string{"/w"}})
	require.NoError(t, err)
	sh := made(t, Options{MountPoint: "/w", Policy: policy})
	r := ran(t, sh, "echo x > .git; echo ok > f; cat f")
	require.Equal(t, "ok\n", r.Stdout)
	require.Equal(t, "bash: line 1: .git: Permission denied (workspace/protected: .git of a workspace can be read but not changed)\n", r.Stderr)
	err = vfs.NewFiles(sh.View(), vfs.FilesOptions{}).WriteFile(t.Context(), ".git/config", nil)
	require.Equal(t, vfs.CodeProtected, vfs.RefusalCode(err), "Go tools meet the same policy")
}

func TestChangesOfOneRun(t *testing.T) {
	disk, err := hostfs.New(hostfs.Options{Directory: t.TempDir()})
	require.NoError(t, err)
	over, err := overlay.New(overlay.Options{Lower: memory.New(memory.Options{})})
	require.NoError(t, err)
	for name, storage := range map[string]vfs.Storage{
		"memory": memory.New(memory.Options{}), "host": disk, "overlay": over, "afero": afero.NewMemMapFs(),
	} {
		t.Run(name, func(t *testing.T) {
			sh := made(t, Options{Storage: storage, MountPoint: "/w", RecordChanges: true, Mounts: []Mount{{Path: "/data", Storage: memory.New(memory.Options{})}}})
			r := ran(t, sh, "mkdir d; echo a > d/f; echo b > gone; rm gone; echo c > /tmp/t; echo old > keep; echo x > /data/x")
			require.Equal(t, []string{"A /data/x", "A /w/d", "A /w/d/f", "A /w/keep"}, rows(r))
			r = ran(t, sh, "cat keep > /dev/null")
			require.Empty(t, rows(r), "a run tells only its own")
			r = ran(t, sh, "mv d e; echo new >> keep; rm /data/x; chmod 600 e/f; false")
			require.Equal(t, []string{"D /data/x", "R /w/d -> /w/e", "m /w/e/f (0644 -> 0600)", "M /w/keep"}, rows(r))
			require.False(t, r.ChangesIncomplete)
			text, err := json.Marshal(r)
			require.NoError(t, err)
			require.Contains(t, string(text), `{"kind":"modified","path":"/w/keep","type":"file","mode":"644","size":8,"old_type":"file","old_mode":"644","old_size":4}`)
			var back Result
			require.NoError(t, json.Unmarshal(text, &back))
			require.Equal(t, r.Changes, back.Changes)
		})
	}
	require.Empty(t, rows(ran(t, made(t, Options{}), "echo x > f")), "only when asked for")
}

func rows(r *Result) (list []string) {
	for _, c := range r.Changes {
		list = append(list, c.String())
	}
	return list
}

func TestChangesDrawFromTheBudget(t *testing.T) {
	sh := made(t, Options{RecordChanges: true, Limits: Limits{Memory: 2 << 20}, Timeout: time.Minute})
	r := ran(t, sh, "for ((i = 0; i < 9000; i++)); do : > f$i; done")
	require.True(t, r.ChangesIncomplete)
	r = ran(t, sh, "echo x > one")
	require.Equal(t, []string{"A /one"}, rows(r))
	require.False(t, r.ChangesIncomplete, "the next run starts with all of it")
}

func TestFork(t *testing.T) {
	disk, err := hostfs.New(hostfs.Options{Directory: t.TempDir()})
	require.NoError(t, err)
	over, err := overlay.New(overlay.Options{Lower: memory.New(memory.Options{})})
	require.NoError(t, err)
	for name, storage := range map[string]vfs.Storage{
		"memory": memory.New(memory.Options{}), "host": disk, "overlay": over, "afero": afero.NewMemMapFs(),
	} {
		t.Run(name, func(t *testing.T) {
			sh := made(t, Options{Storage: storage, MountPoint: "/w", RecordChanges: true})
			ran(t, sh, `mkdir d; cd d; x=1 list=(a b c); declare -A map=([k]=v); shopt -s expand_aliases; alias hi='echo hi'; say() { echo "said $1 $x"; }; echo base > f; echo t > /tmp/t`)
			fork, err := sh.Fork(t.Context())
			require.NoError(t, err)
			show := "pwd; hi; say it; echo ${list[*]} ${map[k]}; cat f /tmp/t"
			same := "/w/d\nhi\nsaid it 1\na b c v\nbase\nt\n"
			require.Equal(t, same, ran(t, fork, show).Output)
			r := ran(t, fork, `x=2; list[1]=B; map[k]=V; say() { echo "forked $x"; }; unalias hi; echo more >> f; echo T > /tmp/t; rm -r ../d; cd /w; echo > new`)
			require.Equal(t, 0, r.ExitCode)
			require.Contains(t, rows(r), "D /w/d")
			require.Equal(t, "forked 2 a B c V", trimmed(ran(t, fork, "echo $(say) ${list[*]} ${map[k]}").Output))
			require.Equal(t, same, ran(t, sh, show).Output, "the original sees nothing of it")
			ran(t, sh, `x=3; list+=(d); echo orig > f`)
			require.Equal(t, "2 a B c", trimmed(ran(t, fork, "echo $x ${list[*]}").Output))
			require.NoError(t, fork.Reset())
			require.Equal(t, "/w new", trimmed(ran(t, fork, `echo $PWD$x $(ls)`).Output), "a reset fork keeps its workspace")
			again, err := fork.Fork(t.Context())
			require.NoError(t, err)
			require.Equal(t, "new\n", ran(t, again, "ls").Output)
			o, ok := fork.Storage().(*overlay.Storage)
			if !ok || name == "overlay" {
				return
			}
			_, err = o.Commit(t.Context())
			require.ErrorAs(t, err, new(*overlay.Conflict), "both have changed d/f")
			fork, err = sh.Fork(t.Context())
			require.NoError(t, err)
			ran(t, fork, "echo good > idea; rm f")
			_, err = fork.Storage().(*overlay.Storage).Commit(t.Context())
			require.NoError(t, err)
			require.Equal(t, "idea\n", ran(t, sh, "ls").Output, "a commit keeps what the fork did")
		})
	}
}

func trimmed(s string) string {
	if n := len(s); n > 0 && s[n-1] == '\n' {
		return s[:n-1]
	}
	return s
}

func TestForkRunsBesideItsOriginal(t *testing.T) {
	sh := made(t, Options{})
	ran(t, sh, "declare -A m; for ((i = 0; i < 500; i++)); do m[$i]=$i a[$i]=$i; done; f() { m[$1]=$2; a[$1]=$2; }; g=0")
	fork, err := sh.Fork(t.Context())
	require.NoError(t, err)
	done := make(chan *Result)
	for _, one := range []*Shell{sh, fork} {
		go func() {
			r, _ := one.Run(context.WithoutCancel(t.Context()), "for ((i = 0; i < 500; i++)); do f $i $((i + 1)); echo $i > file$i; done; n=0; for v in ${m[@]} ${a[@]}; do n=$((n + v)); done; echo $n")
			done <- r
		}()
	}
	for range 2 {
		require.Equal(t, "250500\n", (<-done).Output)
	}
}

func TestForkIsChargedForWhatItChanges(t *testing.T) {
	big := memory.New(memory.Options{Quota: 64 << 20})
	sh := made(t, Options{Storage: big, Limits: Limits{Memory: 8 << 20}})
	ran(t, sh, "head -c 20M /dev/zero > big")
	for range 3 {
		fork, err := sh.Fork(t.Context())
		require.NoError(t, err, "what is there already is not charged")
		r := ran(t, fork, "rm big; head -c 20M /dev/zero > again")
		require.NotZero(t, r.ExitCode)
		require.Contains(t, r.Output, "No space left on device")
	}
	require.Equal(t, "20971520\n", ran(t, sh, "wc -c < big").Output)
}

func TestExternalOverAnOverlay(t *testing.T) {
	dir := t.TempDir()
	disk, err := hostfs.New(hostfs.Options{Directory: dir})
	require.NoError(t, err)
	over, err := overlay.New(overlay.Options{Lower: disk})
	require.NoError(t, err)
	upper, err := External(&external.Options{
		Name: "upper", Path: "/bin/sh", Directory: dir, Environment: []string{"PATH=/usr/bin:/bin"}, Stage: over.Stage(),
	})
	require.NoError(t, err)
	sh := made(t, Options{Storage: over, Commands: []Command{upper}})
	r := ran(t, sh, `echo script > in; upper -c 'tr a-z A-Z < in > out; echo both >> in'; cat in out; echo later > after; [ -e after ]`)
	require.Equal(t, "script\nboth\nSCRIPT\n", r.Output)
	changes, err := over.Changes(t.Context())
	require.NoError(t, err)
	require.Len(t, changes, 1)
	require.Equal(t, "A /after", changes[0].String(), "what comes after the program waits for the next")
	_, err = disk.Stat("/after")
	require.ErrorIs(t, err, vfs.ENOENT)
	follower, err := External(&external.Options{Name: "here", Path: "/bin/pwd", Directory: dir, FollowWorkingDirectory: true, Stage: over.Stage()})
	require.NoError(t, err)
	following := made(t, Options{Storage: over, Commands: []Command{follower}})
	require.Regexp(t, "^/.*/new\n$", ran(t, following, "mkdir new; cd new; here").Output, "a directory that staging makes")
	require.NoError(t, over.Discard(t.Context()))
	require.NoError(t, disk.Remove("/after"))
	ran(t, sh, "echo later > after")
	require.NoError(t, afero.WriteFile(disk, "/after", []byte("somebody else's\n"), 0o644))
	r = ran(t, sh, "upper -c 'echo ran'")
	require.Equal(t, "upper: staging: changed below since they were taken over: /after\n", r.Output)
	require.Equal(t, 1, r.ExitCode)
}

// hanging never answers Lstat again once it is told so.
type hanging struct {
	vfs.FS
	stop    atomic.Bool
	release chan struct{}
}

func (h *hanging) Lstat(ctx context.Context, name string) (*vfs.Info, error) {
	if h.stop.Load() && name != "/" {
		<-h.release
	}
	return h.FS.Lstat(ctx, name)
}

func TestRunReturnsThoughTheStorageHangs(t *testing.T) {
	h := &hanging{FS: memory.New(memory.Options{}).FS(), release: make(chan struct{})}
	defer close(h.release)
	hang := Command{Name: "hang", Summary: "hangs the storage", Run: func(context.Context, *Invocation) error { h.stop.Store(true); return nil }}
	sh := made(t, Options{Storage: vfs.NewFace(h), RecordChanges: true, Commands: []Command{hang}})
	r := ran(t, sh, "echo x > f; hang")
	require.Zero(t, r.ExitCode)
	require.True(t, r.ChangesIncomplete)
}

func TestToolTellsChanges(t *testing.T) {
	registry, registered := newTool(t, Options{RecordChanges: true, Mounts: []Mount{{Path: "/data", Storage: afero.NewMemMapFs(), ReadOnly: true}}})
	require.Contains(t, registered.Definition().Description, "\nMounted, read-only: /data\n")
	_, value := call(t, registry, script("echo x > f; mkdir d; mv f d"))
	require.Equal(t, []string{"A /d", "A /d/f"}, rows(&Result{Changes: value.Changes}))
	_, value = call(t, registry, script("for ((i = 0; i < 250; i++)); do : > f$i; done"))
	require.Len(t, value.Changes, 200)
	require.Equal(t, 50, value.MoreChanges)
	_, value = call(t, registry, script("mv f0 g0; chmod 755 f1; rm f2; echo x > f3"))
	require.Equal(t, []string{"m /f1 (0644 -> 0755)", "D /f2", "M /f3", "R /f0 -> /g0"}, rows(&Result{Changes: value.Changes}))
	_, value = call(t, registry, script("cat f3"))
	require.Nil(t, value.Changes)
}
