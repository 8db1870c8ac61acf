package vfs

import (
	"context"
	"strings"
)

// Missing says how much of a path Realpath lets be missing.
type Missing int

const (
	MissingNone Missing = iota // every element must exist
	MissingLast                // all but the last must exist
	MissingAny                 // none needs to exist
)

// Realpath resolves every link (readlink -f, realpath).
func (v *View) Realpath(ctx context.Context, path string, missing Missing) (string, error) {
	o, err := v.parse(path, IntentLookup)
	if err != nil {
		return "", failed("realpath", path, err)
	}
	p, info, err := v.walk(ctx, o.full, followLast, missing == MissingAny)
	switch {
	case err != nil:
	case info == nil && missing == MissingNone:
		err = ENOENT
	case info != nil && o.directory && !info.IsDir() && missing != MissingAny && strings.HasSuffix(path, "/"):
		err = ENOTDIR
	}
	if err != nil {
		return "", failed("realpath", path, err)
	}
	return p.path, nil
}

// MountPoint is where the mount appears that holds path, every link followed;
// "" for a directory that only leads to mounts.
func (v *View) MountPoint(ctx context.Context, path string) (string, error) {
	p, _, err := v.stat(ctx, path, followLast, IntentLookup)
	if err != nil {
		return "", failed("stat", path, err)
	}
	if p.mount == nil || p.synthetic {
		return "", nil
	}
	return p.mount.Path, nil
}
