package vfs

import (
	"syscall"
	"time"
)

// systemInfo adds what the operating system's stat tells beyond a FileInfo.
func systemInfo(info *Info, sys any) bool {
	switch s := sys.(type) {
	case *syscall.Stat_t:
		info.Inode, info.Device, info.Links = s.Ino, uint64(s.Dev), uint64(s.Nlink)
		info.Blocks = s.Blocks
		info.Accessed = time.Unix(int64(s.Atim.Sec), int64(s.Atim.Nsec))
		info.Changed = time.Unix(int64(s.Ctim.Sec), int64(s.Ctim.Nsec))
		return true
	case *Info:
		*info = *s
		return true
	}
	return false
}
