// Command customstorage gives the shell a storage of one's own. Any
// afero.Fs will do; this one wraps another and keeps a journal of what changes.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"

	"github.com/spf13/afero"

	"github.com/vsh-project/vsh/shell"
	"github.com/vsh-project/vsh/vfs"
	"github.com/vsh-project/vsh/vfs/memory"
)

// journal is a storage that notes every name that is made, written or removed.
// What it does not override is the wrapped storage's. The shell calls it
// concurrently.
type journal struct {
	vfs.Storage
	mu    sync.Mutex
	notes []string
}

func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.notes = append(j.notes, fmt.Sprintf(format, args...))
}

func (j *journal) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		j.note("write %s", strings.TrimPrefix(name, "/"))
	}
	return j.Storage.OpenFile(name, flag, perm)
}

func (j *journal) Remove(name string) error {
	j.note("remove %s", strings.TrimPrefix(name, "/"))
	return j.Storage.Remove(name)
}

func main() {
	storage := &journal{Storage: memory.New(memory.Options{})}
	sh, err := shell.New(&shell.Options{Storage: storage, MountPoint: "/work"})
	if err != nil {
		log.Fatal(err)
	}
	result, err := sh.Run(context.Background(), `
		echo 'first draft' > notes
		echo 'second thought' >> notes
		echo 'not in the workspace' > /tmp/scratch
		grep thought notes
	`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(result.Output)
	for _, n := range storage.notes {
		fmt.Println("journal:", n)
	}
}
