package builtins

import (
	"strconv"
	"time"

	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

// userName names an owner: the shell's own identity and root have names. An
// info without owners is the shell's own.
func (c *call) userName(uid int) (string, bool) {
	id := c.View().Identity()
	switch {
	case uid == id.UID && id.User != "" || uid < 0:
		return id.User, true
	case uid == 0:
		return "root", true
	}
	return strconv.Itoa(uid), false
}

// groupName is userName for groups.
func (c *call) groupName(gid int) (string, bool) {
	id := c.View().Identity()
	switch {
	case gid == id.GID && id.Group != "" || gid < 0:
		return id.Group, true
	case gid == 0:
		return "root", true
	}
	return strconv.Itoa(gid), false
}

// userID finds a user by name.
func (c *call) userID(name string) (int, bool) {
	id := c.View().Identity()
	switch {
	case name == id.User && name != "":
		return id.UID, true
	case name == "root":
		return 0, true
	}
	return 0, false
}

// groupID finds a group by name.
func (c *call) groupID(name string) (int, bool) {
	id := c.View().Identity()
	switch {
	case name == id.Group && name != "":
		return id.GID, true
	case name == "root":
		return 0, true
	}
	return 0, false
}

// location is the zone that TZ names.
func (c *call) location() *time.Location {
	tz, ok := c.Getenv("TZ")
	if !ok {
		return time.UTC
	}
	return strftime.Zone(tz)
}

// blocks1K is how many KiB a file takes on its storage.
func blocks1K(info *vfs.Info) int64 { return (info.Blocks + 1) / 2 }
