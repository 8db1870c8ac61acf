package interp

import (
	"strconv"
	"strings"
)

// tildePiece is ~, ~user, ~+, ~- or ~N as far as the next slash.
type tildePiece struct{ text string }

func (x *tildePiece) expand(p *proc, b *builder) bool {
	if s, ok := p.tilde(x.text[1:]); ok {
		return b.quoted(s)
	}
	return b.literal(x.text)
}

// tilde is the directory that a tilde prefix names.
func (p *proc) tilde(name string) (string, bool) {
	switch name {
	case "":
		if home, set := p.get("HOME"); set {
			return home, true
		}
		return p.homeOf(p.view.Identity().User)
	case "+":
		return p.get("PWD")
	case "-":
		return p.get("OLDPWD")
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "+")); err == nil {
		stack := append([]string{p.view.Directory()}, p.directories...)
		if name[0] == '-' {
			n = len(stack) - 1 + n
		}
		if n >= 0 && n < len(stack) {
			return stack[n], true
		}
		return "", false
	}
	return p.homeOf(name)
}

// homeOf is a user's home: the session knows its own user and root.
func (p *proc) homeOf(user string) (string, bool) {
	switch {
	case user == "root":
		return "/root", true
	case user == p.view.Identity().User && user != "":
		if home, set := p.get("HOME"); set && home != "" {
			return home, true
		}
		return "/home/" + user, true
	}
	return "", false
}
