package vfs

import (
	"errors"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Intent is what is about to be done with a path.
type Intent int

const (
	// IntentLookup tells that a path exists and what it is.
	IntentLookup Intent = iota
	// IntentRead reads a file or lists a directory.
	IntentRead
	// IntentWrite makes or changes a file, or a name in a directory.
	IntentWrite
	// IntentRemove takes a name away, by removing or renaming it.
	IntentRemove
)

// Policy is asked before a path is touched, with the path as typed and again as
// resolved; both must be let through. Paths are absolute and clean, and need
// not exist. Safe for concurrent use.
type Policy interface {
	// Check answers nil, or why not: a *Refusal.
	Check(path string, intent Intent) error
}

// Refusal is a policy's no. Hosts test Code, never the text.
type Refusal struct {
	// Code is stable, e.g. CodeProtected.
	Code string
	// Path is the one the user typed.
	Path string
	// Reason says in a sentence what would be let through.
	Reason string

	typed bool // Path is the user's already
}

// Codes of refusals.
const (
	CodeOutsideRoots = "workspace/outside-roots"
	CodeReadOnly     = "workspace/read-only"
	CodeProtected    = "workspace/protected"
	CodeRoot         = "workspace/root"
	CodeDenied       = "workspace/denied"
	CodeNotAllowed   = "workspace/not-allowed"
	// The freshness gate's.
	CodeChanged = "freshness/changed"
	CodeNotRead = "freshness/not-read"
)

func (r *Refusal) Error() string { return Words(EACCES) + " (" + r.Code + ": " + r.Reason + ")" }

// Unwrap makes a refusal EACCES.
func (r *Refusal) Unwrap() error { return EACCES }

// RefusalCode is the code of the refusal behind err, "" when there is none.
func RefusalCode(err error) string {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Code
	}
	return ""
}

// Unrestricted lets everything through. A View without a policy does so too;
// this says that it is meant.
func Unrestricted() Policy { return unrestricted{} }

type unrestricted struct{}

func (unrestricted) Check(string, Intent) error { return nil }

// DefaultProtectedNames are read-only at the top of a writable root.
func DefaultProtectedNames() []string { return []string{".git", ".agents", ".codex", ".aws"} }

// Workspace configures WorkspacePolicy. Roots are absolute paths of the shell.
type Workspace struct {
	// Writable roots may be read and written. At least one.
	Writable []string
	// ReadOnly roots may be read. One below a writable root is read-only.
	ReadOnly []string
	// Protected names, directly in a writable root, may be read but not made,
	// changed or removed, nor anything below them. nil is
	// DefaultProtectedNames; an empty list protects none.
	Protected []string
	// FoldCase compares names as a storage does that ignores letter case.
	FoldCase bool
	// Deny and Allow are doublestar patterns of absolute paths ("/w/**/*.key").
	// A pattern that matches a directory holds for all below it. Deny wins over
	// everything; with Allow, only what it matches can be read or written.
	Deny, Allow []string
}

// WorkspacePolicy confines to roots. What lies outside all of them can't even be
// looked up, but for the directories above a root. Roots and what is above them
// can't be removed or renamed.
func WorkspacePolicy(w Workspace) (Policy, error) {
	if len(w.Writable) == 0 {
		return nil, errors.New("vfs: a workspace policy needs a writable root")
	}
	p := &workspacePolicy{Workspace: w}
	for _, list := range [2]*[]string{&p.Writable, &p.ReadOnly} {
		clean := make([]string, len(*list))
		for i, root := range *list {
			if !strings.HasPrefix(root, "/") {
				return nil, errors.New("vfs: root " + root + " is not absolute")
			}
			clean[i] = p.fold(path.Clean(root))
		}
		*list = clean
	}
	if w.Protected == nil {
		p.Protected = DefaultProtectedNames()
	}
	for _, list := range [2][]string{w.Deny, w.Allow} {
		for _, pattern := range list {
			if !strings.HasPrefix(pattern, "/") && !strings.HasPrefix(pattern, "**") || !doublestar.ValidatePattern(pattern) {
				return nil, errors.New("vfs: bad path pattern " + pattern)
			}
		}
	}
	return p, nil
}

type workspacePolicy struct{ Workspace }

// fold is the form in which a storage that ignores case compares a name.
func (p *workspacePolicy) fold(s string) string {
	if !p.FoldCase {
		return s
	}
	b := make([]byte, 0, len(s))
	for _, r := range s {
		// The least of all runes that differ from r only by case.
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		b = utf8.AppendRune(b, least)
	}
	return string(b)
}

// within is the longest root that holds name, "" when none does.
func within(name string, roots []string) (longest string) {
	for _, root := range roots {
		if (name == root || below(name, root)) && len(root) > len(longest) {
			longest = root
		}
	}
	return longest
}

func (p *workspacePolicy) Check(name string, intent Intent) error {
	folded := p.fold(name)
	writable, readOnly := within(folded, p.Writable), within(folded, p.ReadOnly)
	refuse := func(code, reason string) error { return &Refusal{Code: code, Path: name, Reason: reason} }
	if writable == "" && readOnly == "" {
		for _, list := range [2][]string{p.Writable, p.ReadOnly} {
			for _, root := range list {
				if !below(root, folded) {
					continue
				}
				switch intent {
				case IntentLookup:
					return nil
				case IntentRemove:
					return refuse(CodeRoot, "a directory above the workspace can't be removed or renamed")
				}
			}
		}
		return refuse(CodeOutsideRoots, "only paths below "+strings.Join(append(p.Workspace.Writable, p.Workspace.ReadOnly...), ", ")+" can be used")
	}
	if matches(p.Deny, name) {
		return refuse(CodeDenied, "the rules of this workspace deny this path")
	}
	if len(p.Allow) > 0 && intent != IntentLookup && !matches(p.Allow, name) {
		return refuse(CodeNotAllowed, "the rules of this workspace allow only "+strings.Join(p.Allow, ", "))
	}
	if intent != IntentWrite && intent != IntentRemove {
		return nil
	}
	if intent == IntentRemove {
		for _, list := range [2][]string{p.Writable, p.ReadOnly} {
			for _, root := range list {
				if root == folded || below(root, folded) {
					return refuse(CodeRoot, "a root of the workspace can't be removed or renamed")
				}
			}
		}
	}
	if len(readOnly) >= len(writable) {
		return refuse(CodeReadOnly, readOnly+" can be read but not changed")
	}
	for _, root := range p.Writable {
		if !below(folded, root) {
			continue
		}
		top := strings.TrimPrefix(folded[len(root):], "/")
		top, _, _ = strings.Cut(top, "/")
		for _, protected := range p.Protected {
			if top == p.fold(protected) {
				return refuse(CodeProtected, protected+" of a workspace can be read but not changed")
			}
		}
	}
	return nil
}

// matches reports whether a pattern matches name or a directory above it.
func matches(patterns []string, name string) bool {
	for _, pattern := range patterns {
		for at := name; ; at = path.Dir(at) {
			if ok, _ := doublestar.Match(pattern, at); ok {
				return true
			}
			if at == "/" {
				break
			}
		}
	}
	return false
}
