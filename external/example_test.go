//go:build unix

package external_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/vsh-project/vsh/external"
	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/vfs/host"
)

// A script may run the host's sort in a project, but not write with it.
func Example() {
	project, err := os.MkdirTemp("", "project")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(project)
	if err := os.Mkdir(filepath.Join(project, "src"), 0o755); err != nil {
		log.Fatal(err)
	}
	storage, err := host.New(host.Options{Directory: project})
	if err != nil {
		log.Fatal(err)
	}
	hostsort, err := shell.External(&shell.ExternalOptions{
		Name: "hostsort", Path: "/usr/bin/sort", Directory: project, FollowWorkingDirectory: true,
		Environment: []string{"LC_ALL=C"},
		Allow:       external.DenyOptions("-o", "--output", "-T", "--temporary-directory", "--compress-program", "--files0-from"),
	})
	if err != nil {
		log.Fatal(err)
	}
	sh, err := shell.New(&shell.Options{Storage: storage, Commands: []shell.Command{hostsort}})
	if err != nil {
		log.Fatal(err)
	}
	result, err := sh.Run(context.Background(), `cd src; printf '%s\n' pear apple > list; hostsort list | head -1; hostsort -o list list; echo "status $?"`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(result.Output)
	// Output:
	// apple
	// hostsort: the option -o is not allowed
	// status 1
}

// AllowCall sees where a run is about to start, besides its arguments.
func ExampleOptions_allowCall() {
	c, err := external.New(&external.Options{
		Name: "hostpwd", Path: "/bin/pwd", Directory: "/", Environment: []string{"PATH=/usr/bin:/bin"},
		AllowCall: func(_ context.Context, call *external.Call) error {
			if call.HostDirectory == "/" {
				return errors.New("not in the root directory")
			}
			return nil
		},
	})
	fmt.Println(c.Name, c.Summary, err)
	// Output: hostpwd host program /bin/pwd <nil>
}
