package vfs

import (
	"context"
	"io/fs"
	"path"
	"strings"
)

const (
	maxPath  = 4096
	maxName  = 255
	maxLinks = 40
)

// operand is a typed path, read.
type operand struct {
	typed string
	// full is absolute and as typed; clean is full cleaned lexically.
	full, clean string
	// exact paths hold no "..", so clean names the same file unless a link is
	// on the way.
	exact bool
	// directory is set when a trailing "/" or "/." asks for a directory.
	directory bool
	// last is the last element as typed: a name, ".", ".." or "/".
	last string
}

// parse reads a typed path and applies what needs no storage: its length, and
// the hiding rule and the policy on the path as typed.
func (v *View) parse(typed string, intent Intent) (operand, error) {
	o := operand{typed: typed, full: typed}
	if typed == "" {
		return o, ENOENT
	}
	if len(typed) >= maxPath {
		return o, ENAMETOOLONG
	}
	if strings.IndexByte(typed, 0) >= 0 {
		return o, EINVAL
	}
	if typed[0] != '/' {
		directory, gone := v.current()
		rest := typed
		if gone {
			// All that is left of it is the way up.
			if typed != ".." && !strings.HasPrefix(typed, "../") {
				return o, ENOENT
			}
			directory, rest = path.Dir(directory), "."+typed[2:]
		}
		if directory == "/" {
			o.full = "/" + rest
		} else {
			o.full = directory + "/" + rest
		}
	}
	trimmed := strings.TrimRight(typed, "/")
	o.directory = len(trimmed) < len(typed)
	o.last = trimmed[strings.LastIndexByte(trimmed, '/')+1:]
	switch o.last {
	case "":
		o.last = "/"
	case ".", "..":
		o.directory = true
	}
	o.clean = path.Clean(o.full)
	o.exact = !strings.Contains(o.full, "/..") || !hasDotDot(o.full)
	if len(o.clean) > maxName {
		for rest := o.clean[1:]; rest != ""; {
			var name string
			name, rest, _ = strings.Cut(rest, "/")
			// The walk finds out whether the name's parent exists at all.
			if len(name) > maxName {
				o.exact = false
			}
		}
	}
	if v.typedHidden(&o) {
		return o, ENOENT
	}
	return o, v.ask(o.clean, intent)
}

// ask asks the policy of the mount that a clean path lies in.
func (v *View) ask(clean string, intent Intent) error {
	if p := v.tree.locate(clean); p.mount != nil && p.mount.Policy != nil {
		return p.mount.Policy.Check(clean, intent)
	}
	return nil
}

func hasDotDot(full string) bool {
	for rest := full; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		if name == ".." {
			return true
		}
	}
	return false
}

// typedHidden applies HideHidden to every name the path spells, also those a
// later ".." takes back.
func (v *View) typedHidden(o *operand) bool {
	any := false
	for _, m := range v.tree.mounts {
		any = any || m.HideHidden
	}
	if !any {
		return false
	}
	if o.exact {
		p := v.tree.locate(o.clean)
		return p.mount != nil && p.mount.hides(o.clean)
	}
	at := "/"
	for rest := o.full; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		at = path.Join(at, name)
		if p := v.tree.locate(at); p.mount != nil && p.mount.hides(at) {
			return true
		}
	}
	return false
}

// follow says what a walk does with a link in the last element.
type follow bool

const (
	followLast follow = true
	keepLast   follow = false
)

// named reports whether the last element is a name of its own.
func (o operand) named() bool { return o.last != "/" && o.last != "." && o.last != ".." }

// entryOnly is the operand of an operation on the name itself, not on what a
// trailing slash would lead to.
func (o operand) entryOnly() operand {
	o.full, o.directory = strings.TrimRight(o.full, "/"), false
	if o.full == "" {
		o.full = "/"
	}
	return o
}

// resolve walks the path element by element, following links. A missing last
// element of an existing directory is no error: its info is nil then.
func (v *View) resolve(ctx context.Context, o operand, last follow) (place, *Info, error) {
	return v.walk(ctx, o.full, last, false)
}

// walk resolves an absolute path. With lenient, what is missing is taken as
// written, however many elements (realpath -m); the info is nil then too.
func (v *View) walk(ctx context.Context, full string, last follow, lenient bool) (place, *Info, error) {
	at, info, err := v.find(ctx, "/")
	if err != nil {
		return at, nil, err
	}
	rest := full
	for links := 0; ; {
		rest = strings.TrimLeft(rest, "/")
		if rest == "" {
			return at, info, nil
		}
		if err := ctx.Err(); err != nil {
			return at, nil, err
		}
		name := rest
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			name, rest = rest[:i], rest[i:]
		} else {
			rest = ""
		}
		if info == nil { // lenient, below something missing
			at = v.tree.locate(path.Join(at.path, name))
			if name == ".." {
				if at, info, err = v.find(ctx, at.path); err != nil {
					info = nil
				}
			}
			continue
		}
		if !info.IsDir() {
			if !lenient {
				return at, nil, ENOTDIR
			}
			if name == "." || name == ".." {
				at = v.tree.locate(path.Join(at.path, name))
				at, info, _ = v.find(ctx, at.path)
				continue
			}
			at, info = v.tree.locate(path.Join(at.path, name)), nil
			continue
		}
		if v.binds(at) && !v.allows(info, AccessExecute) {
			return at, nil, EACCES
		}
		if name == "." {
			continue
		}
		next := path.Join(at.path, name)
		if len(name) > maxName || len(next) >= maxPath {
			return at, nil, ENAMETOOLONG
		}
		p, found, err := v.find(ctx, next)
		if err != nil {
			missing := Errno(err) == ENOENT
			isLast := strings.Trim(rest, "/") == ""
			if !missing || (!isLast && !lenient) || p.mount != nil && p.mount.hides(next) {
				return p, nil, err
			}
			p.virtual = at.unheld()
			at, info = p, nil
			if isLast {
				return at, nil, nil
			}
			continue
		}
		isLast := rest == ""
		if found.FileMode&fs.ModeSymlink != 0 && (!isLast || last == followLast) {
			if links++; links > maxLinks {
				if !lenient {
					return p, nil, ELOOP
				}
				at, info = p, nil // as GNU realpath -m has it: a name as any other
				continue
			}
			target, err := p.mount.FS.Readlink(v.with(ctx, p.mount), p.inner)
			if err != nil {
				return p, nil, err
			}
			if target == "" {
				return p, nil, ENOENT
			}
			if len(target)+len(rest) >= 2*maxPath {
				return p, nil, ENAMETOOLONG
			}
			rest = target + rest
			if target[0] == '/' {
				if at, info, err = v.find(ctx, "/"); err != nil {
					return at, nil, err
				}
			}
			continue
		}
		at, info = p, found
	}
}

// doubtful reports whether an answer to an unresolved path may be another one
// once links, fallbacks and the ancestors of mounts are looked at.
func (v *View) doubtful(p place, err error) bool {
	switch Errno(err) {
	case ELOOP, ENOTDIR, ENXIO:
		return true
	case ENOENT:
		if len(v.tree.fallbacks) > 0 || !v.tree.pipes.empty() {
			for _, m := range v.tree.fallbacks {
				if m.covers(p.path) || m.Path == path.Dir(p.path) {
					return true
				}
			}
			if !v.tree.pipes.empty() {
				return true
			}
		}
		return v.tree.isAncestor(p.path) || v.tree.isAncestor(path.Dir(p.path))
	}
	return p.mount == nil
}

// reach runs op where path leads. The path is first given to its mount as it
// stands; where the answer leaves a doubt it is resolved, and op runs again
// with what the walk found (info nil: missing in an existing directory). op is
// called with found unset in the first attempt, in which a link in the last
// element must be answered with ELOOP where it is to be followed.
func (v *View) reach(ctx context.Context, o operand, last follow, op func(p place, info *Info, found bool) error) error {
	if o.exact && !o.directory {
		p := v.tree.locate(o.clean)
		err := v.search(ctx, p)
		if err == nil {
			err = op(p, nil, false)
		}
		if err == nil || !v.doubtful(p, err) {
			return err
		}
	}
	// A name may be swapped for a link after it was resolved; the next walk
	// sees it. Somebody who keeps swapping gets ELOOP.
	for try := 0; ; try++ {
		p, info, err := v.resolve(ctx, o, last)
		if err != nil {
			return err
		}
		if info != nil && o.directory && !info.IsDir() && (info.FileMode&fs.ModeSymlink == 0 || last == followLast) {
			return ENOTDIR
		}
		err = op(p, info, true)
		if err == nil || Errno(err) != ELOOP || try == 8 || info != nil && info.FileMode&fs.ModeSymlink != 0 {
			return err
		}
	}
}

// parent is the directory above a clean absolute path.
func parent(name string) string { return path.Dir(name) }
