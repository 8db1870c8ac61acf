package memory_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/vsh-project/vsh/vfs/memory"
)

// BenchmarkSmallFiles makes, lists, reads and removes 100,000 files through the
// same afero calls in memory and in tmpfs.
func BenchmarkSmallFiles(b *testing.B) {
	const count = 100_000
	run := func(b *testing.B, s afero.Fs) {
		text := []byte("a small file's content\n")
		for b.Loop() {
			for d := range count / 1000 {
				require.NoError(b, s.Mkdir(fmt.Sprintf("/%d", d), 0o755))
				for i := range 1000 {
					if err := afero.WriteFile(s, fmt.Sprintf("/%d/%d", d, i), text, 0o644); err != nil {
						b.Fatal(err)
					}
				}
			}
			for d := range count / 1000 {
				f, err := s.Open(fmt.Sprintf("/%d", d))
				require.NoError(b, err)
				names, err := f.Readdirnames(-1)
				require.NoError(b, err)
				require.Len(b, names, 1000)
				f.Close()
				for i := range 1000 {
					if _, err := afero.ReadFile(s, fmt.Sprintf("/%d/%d", d, i)); err != nil {
						b.Fatal(err)
					}
				}
			}
			for d := range count / 1000 {
				for i := range 1000 {
					if err := s.Remove(fmt.Sprintf("/%d/%d", d, i)); err != nil {
						b.Fatal(err)
					}
				}
				require.NoError(b, s.Remove(fmt.Sprintf("/%d", d)))
			}
		}
	}
	b.Run("memory", func(b *testing.B) { run(b, memory.New(memory.Options{})) })
	b.Run("tmpfs", func(b *testing.B) {
		dir, err := os.MkdirTemp("/dev/shm", "vsh")
		if err != nil {
			b.Skip(err)
		}
		defer os.RemoveAll(dir)
		run(b, afero.NewBasePathFs(afero.NewOsFs(), dir))
	})
}
