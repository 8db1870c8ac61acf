package builtins

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

type backupType uint8

const (
	noBackups backupType = iota
	simpleBackups
	existingBackups // numbered where there are numbered ones, simple elsewhere
	numberedBackups
)

// backupOf is the kind a whole word names.
func backupOf(word string) (kind backupType, ok bool) {
	switch word {
	case "none", "off":
		return noBackups, true
	case "simple", "never":
		return simpleBackups, true
	case "existing", "nil":
		return existingBackups, true
	case "numbered", "t":
		return numberedBackups, true
	}
	return 0, false
}

// backups are the options --backup, -b and -S that cp, mv, ln and install share.
type backups struct {
	wanted  bool
	control string
	suffix  string
	kind    backupType
}

// settle finds the kind from the options and their variables.
func (b *backups) settle(c *call) error {
	if b.suffix == "" {
		if b.suffix, _ = c.Getenv("SIMPLE_BACKUP_SUFFIX"); b.suffix == "" || strings.Contains(b.suffix, "/") {
			b.suffix = "~"
		}
	}
	if !b.wanted {
		return nil
	}
	control, context := b.control, "backup type"
	if control == "" {
		control, _ = c.Getenv("VERSION_CONTROL")
		context = "$VERSION_CONTROL"
	}
	if control == "" {
		b.kind = existingBackups
		return nil
	}
	i, err := c.argumentMatch(context, control, []string{"none", "off", "simple", "never", "existing", "nil", "numbered", "t"}, []int{0, 0, 1, 1, 2, 2, 3, 3})
	b.kind = backupType(i / 2)
	return err
}

// name is what name is to be called before it is replaced.
func (b *backups) name(c *call, name string) (string, error) {
	return b.nameIn(c.ctx, c.View(), name)
}

func (b *backups) nameIn(ctx context.Context, view *vfs.View, name string) (string, error) {
	simple := name + b.suffix
	if b.kind == simpleBackups {
		return simple, nil
	}
	base := path.Base(name)
	entries, err := view.ReadDir(ctx, path.Dir(name))
	if err != nil {
		if b.kind == existingBackups && vfs.Errno(err) != vfs.ENOENT {
			return simple, nil
		}
		return "", err
	}
	greatest := 0
	for _, e := range entries {
		middle, ok := strings.CutPrefix(e.Name, base+".~")
		if !ok {
			continue
		}
		if middle, ok = strings.CutSuffix(middle, "~"); ok {
			if n, err := strconv.Atoi(middle); err == nil && middle[0] != '0' && n > greatest {
				greatest = n
			}
		}
	}
	if greatest == 0 && b.kind == existingBackups {
		return simple, nil
	}
	return name + ".~" + strconv.Itoa(greatest+1) + "~", nil
}

// move renames what is to be replaced and returns its new name.
func (b *backups) move(c *call, name string) (string, error) {
	backup, err := b.name(c, name)
	if err == nil {
		err = c.View().Rename(c.ctx, name, backup, false)
	}
	return backup, err
}
