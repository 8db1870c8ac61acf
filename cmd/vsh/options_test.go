package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHideHiddenHidesInTheRoot(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, ".env"), []byte("secret\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "seen"), nil, 0o644))
	stdout, stderr, status := vsh("", "--root", root, "--hide-hidden", "-c", "ls -A; cat .env")
	require.Equal(t, "seen\n", stdout)
	require.Equal(t, "cat: .env: No such file or directory\n", stderr)
	require.Equal(t, 1, status)
	stdout, _, _ = vsh("", "--root", root, "-c", "cat .env")
	require.Equal(t, "secret\n", stdout)
}

func TestPermissionBitsBindUnlessRoot(t *testing.T) {
	script := "umask 0; echo x > f; chmod 0 f; cat f; chmod 400 f; cat f; echo y > f; mkdir d; chmod 500 d; > d/new; stat -c '%U %a' f"
	stdout, stderr, _ := vsh("", "-c", script)
	require.Equal(t, "x\nagent 400\n", stdout)
	require.Equal(t, "cat: f: Permission denied\nbash: line 1: f: Permission denied\nbash: line 1: d/new: Permission denied\n", stderr)
	stdout, stderr, _ = vsh("", "--user", "root:0:0", "-c", script)
	require.Equal(t, "x\nx\nroot 400\n", stdout)
	require.Empty(t, stderr)
}

func TestOnlyTheTextOfAScriptFileEntersTheSandbox(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script.sh")
	require.NoError(t, os.WriteFile(file, []byte(`[ -e "$0" ] || echo "$0 is not here"; cat "$0"`), 0o644))
	stdout, stderr, status := vsh("", file)
	require.Equal(t, file+" is not here\n", stdout)
	require.Equal(t, "cat: "+file+": No such file or directory\n", stderr)
	require.Equal(t, 1, status)
}

func TestTreeSaysWhichDirectoriesItCannotOpen(t *testing.T) {
	for args, want := range map[string]string{
		"":        ".\n└── d  [error opening dir]\n\n2 directories, 0 files\n2\n",
		"d":       "d  [error opening dir]\n\n0 directories, 1 file\n0\n",
		"-L 1":    ".\n└── d\n\n2 directories, 0 files\n0\n",
		"--prune": ".\n\n0 directories, 0 files\n0\n",
		"-J":      "[\n  {\"type\":\"directory\",\"name\":\".\",\"contents\":[\n    {\"type\":\"directory\",\"name\":\"d\",\"contents\":[{\"error\": \"error opening dir\"}\n  ]}\n  ]}\n,\n  {\"type\":\"report\",\"directories\":2,\"files\":0}\n]\n2\n",
		"-X d":    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tree>\n  <directory name=\"d\"><error>error opening dir</error>\n  </directory>\n  <report>\n    <directories>0</directories>\n    <files>1</files>\n  </report>\n</tree>\n0\n",
	} {
		stdout, stderr, _ := vsh("", "-c", "mkdir d; chmod 0 d; tree "+args+"; echo $?")
		require.Equal(t, want, stdout, args)
		require.Empty(t, stderr, args)
	}
}
