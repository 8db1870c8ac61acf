package vfs_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/afero"

	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
	"github.com/vsh-project/vsh/vfs/overlay"
)

// A workspace that others own is shown through an overlay and a policy: what is
// done to it can be looked at before it is committed.
func Example() {
	ctx := context.Background()
	lower := memory.New(memory.Options{})
	lower.MkdirAll("/.git", 0o755)
	afero.WriteFile(lower, "/greeting", []byte("hello\nworld\n"), 0o644)

	changes, _ := overlay.New(overlay.Options{Lower: lower})
	policy, _ := vfs.WorkspacePolicy(vfs.Workspace{Writable: []string{"/work"}})
	view, _ := vfs.NewView(vfs.ViewOptions{
		Mounts: []vfs.Mount{
			{Path: "/work", FS: changes.FS(), Policy: policy},
			{Path: "/tmp", FS: memory.New(memory.Options{Quota: 1 << 20}).FS()},
		},
		Directory: "/work",
	})
	files := vfs.NewFiles(view, vfs.FilesOptions{})
	files.WriteFile(ctx, "greeting", []byte("hello\nmoon\n"))
	err := files.WriteFile(ctx, ".git/config", nil)
	fmt.Println(vfs.RefusalCode(err))
	changes.Diff(ctx, os.Stdout)
	// Output:
	// workspace/protected
	// diff --git a/greeting b/greeting
	// index 94954abda49de8615a048f8d2e64b5de848e27a1..5762d627e406f9477975b9bdedaf4f125c9db4e8 100644
	// --- a/greeting
	// +++ b/greeting
	// @@ -1,2 +1,2 @@
	//  hello
	// -world
	// +moon
}
