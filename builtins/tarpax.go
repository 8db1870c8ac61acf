package builtins

import (
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/tarformat"
)

// tarPaxOptions is --pax-option.
type tarPaxOptions struct {
	given     bool
	deleted   []string
	globals   []tarformat.Record
	overrides []tarformat.Record
	// headerName and globalName are templates for the names of the headers.
	headerName, globalName string
}

// deletes reports whether records of a keyword are left out.
func (o *tarPaxOptions) deletes(key string) bool {
	for _, p := range o.deleted {
		if fnmatch(p, key, false) {
			return true
		}
	}
	return false
}

// setPax reads keyword=value and keyword:=value, joined by commas.
func (t *tarCommand) setPax(text string) error {
	o := &t.paxOptions
	o.given = true
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimLeft(item, " \t")
		if item == "" {
			continue
		}
		key, value, ok := strings.Cut(item, "=")
		if !ok {
			return t.usage("Keyword %s is unknown or not yet implemented", item)
		}
		key, override := strings.CutSuffix(key, ":")
		switch {
		case override:
			o.overrides = append(o.overrides, tarformat.Record{Key: key, Value: value})
		case key == "delete":
			o.deleted = append(o.deleted, value)
		case key == "exthdr.name":
			o.headerName = value
		case key == "globexthdr.name":
			o.globalName = value
		case key == "exthdr.mtime" || key == "globexthdr.mtime":
			return t.refuse("such pax options", "--pax-option="+key)
		default:
			o.globals = append(o.globals, tarformat.Record{Key: key, Value: value})
		}
	}
	return nil
}
