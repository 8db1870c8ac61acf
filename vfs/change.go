package vfs

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
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
// nothing was or is. In JSON the type of the file is a word and a mode octal
// text, as find -printf %m has it.
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

// changeJSON is a Change as JSON has it.
type changeJSON struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	From    string `json:"from,omitempty"`
	Edited  bool   `json:"edited,omitempty"`
	Type    string `json:"type,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Size    int64  `json:"size,omitempty"`
	OldType string `json:"old_type,omitempty"`
	OldMode string `json:"old_mode,omitempty"`
	OldSize int64  `json:"old_size,omitempty"`
}

// changeTypes are the words of JSON; what is neither is a device or a socket.
var changeTypes = [...]struct {
	mode fs.FileMode
	word string
}{{0, "file"}, {fs.ModeDir, "directory"}, {fs.ModeSymlink, "link"}, {fs.ModeNamedPipe, "pipe"}, {fs.ModeIrregular, "other"}}

// unixBits are the mode bits above the permissions, as Unix numbers them.
var unixBits = [...]struct {
	mode fs.FileMode
	unix uint64
}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}}

func modeWords(mode fs.FileMode) (word, octal string) {
	word = "other"
	for _, t := range changeTypes {
		if mode.Type() == t.mode {
			word = t.word
		}
	}
	bits := uint64(mode.Perm())
	for _, b := range unixBits {
		if mode&b.mode != 0 {
			bits |= b.unix
		}
	}
	return word, strconv.FormatUint(bits, 8)
}

func modeOf(word, octal string) (fs.FileMode, error) {
	if word == "" && octal == "" {
		return 0, nil
	}
	bits, err := strconv.ParseUint(octal, 8, 12)
	if err != nil {
		return 0, err
	}
	mode := fs.FileMode(bits) & fs.ModePerm
	for _, b := range unixBits {
		if bits&b.unix != 0 {
			mode |= b.mode
		}
	}
	for _, t := range changeTypes {
		if word == t.word {
			return mode | t.mode, nil
		}
	}
	return 0, fmt.Errorf("vfs: %q is no type of a file", word)
}

// MarshalJSON implements json.Marshaler.
func (c Change) MarshalJSON() ([]byte, error) {
	j := changeJSON{Kind: c.Kind.String(), Path: c.Path, From: c.From, Edited: c.Edited, Size: c.Size, OldSize: c.OldSize}
	if c.Kind != Removed {
		j.Type, j.Mode = modeWords(c.Mode)
	}
	if c.Kind != Added {
		j.OldType, j.OldMode = modeWords(c.OldMode)
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Change) UnmarshalJSON(text []byte) error {
	var j changeJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*c = Change{Path: j.Path, From: j.From, Edited: j.Edited, Size: j.Size, OldSize: j.OldSize}
	for c.Kind = Added; c.Kind.String() != j.Kind; c.Kind++ {
		if c.Kind > ModeChanged {
			return fmt.Errorf("vfs: %q is no kind of change", j.Kind)
		}
	}
	var err error
	if c.Mode, err = modeOf(j.Type, j.Mode); err == nil {
		c.OldMode, err = modeOf(j.OldType, j.OldMode)
	}
	return err
}
