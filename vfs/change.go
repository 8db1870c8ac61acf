package vfs

import (
	"fmt"
	"io/fs"
)

// ChangeKind is what has become of a path.
type ChangeKind int

// Kinds of changes.
const (
	Added ChangeKind = iota
	Modified
	Removed
	// Renamed is a name that has moved from where nothing is now.
	Renamed
	// ModeChanged is a file or directory whose content stayed.
	ModeChanged
)

func (k ChangeKind) String() string {
	switch k {
	case Added:
		return "added"
	case Modified:
		return "modified"
	case Removed:
		return "removed"
	case Renamed:
		return "renamed"
	case ModeChanged:
		return "mode changed"
	}
	return "unchanged"
}

// Change is one path that is not what it was. Modes are 0 and sizes 0 where
// nothing was or is.
type Change struct {
	Kind ChangeKind
	Path string
	// From is where a renamed one was; Edited says that its content changed too.
	From   string
	Edited bool

	Mode, OldMode fs.FileMode
	Size, OldSize int64
}

// String is one line: a letter as git has it, and the path.
func (c Change) String() string {
	switch c.Kind {
	case Added:
		return "A " + c.Path
	case Removed:
		return "D " + c.Path
	case Renamed:
		if c.Edited {
			return fmt.Sprintf("RM %s -> %s", c.From, c.Path)
		}
		return fmt.Sprintf("R %s -> %s", c.From, c.Path)
	case ModeChanged:
		return fmt.Sprintf("m %s (%04o -> %04o)", c.Path, c.OldMode.Perm(), c.Mode.Perm())
	}
	return "M " + c.Path
}
