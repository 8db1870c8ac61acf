package interp

import "github.com/vsh-project/vsh/internal/quote"

// The forms of package quote under the names that builtins use.

func unprintable(s string) bool       { return quote.NeedsANSI(s) }
func ansiQuote(s string) string       { return quote.ANSI(s) }
func doubleQuote(s string) string     { return quote.Double(s) }
func singleQuote(s string) string     { return quote.Single(s) }
func hasMetacharacters(s string) bool { return quote.HasMeta(s) }

// wordQuote quotes a word where it must be: set -x, set, alias.
func wordQuote(s string) string {
	switch {
	case s == "":
		return "''"
	case unprintable(s):
		return ansiQuote(s)
	case hasMetacharacters(s):
		return singleQuote(s)
	}
	return s
}

// traceQuote quotes a word as set -x shows it.
func traceQuote(s string) string {
	if s != "" && hasMetacharacters(s) {
		return singleQuote(s)
	}
	return wordQuote(s)
}

// traceValue quotes the value of an assignment as set -x shows it.
func traceValue(s string) string {
	if s == "" {
		return ""
	}
	return traceQuote(s)
}

// valueQuote quotes a value as set shows it: nothing for an empty one.
func valueQuote(s string) string {
	if s == "" {
		return ""
	}
	return wordQuote(s)
}

// printable is a name as messages show it.
func printable(name string) string {
	if unprintable(name) {
		return ansiQuote(name)
	}
	return name
}
