//go:build !linux

package vfs

// systemInfo adds what the storage tells beyond a FileInfo.
func systemInfo(info *Info, sys any) bool {
	if s, ok := sys.(*Info); ok {
		*info = *s
		return true
	}
	return false
}
