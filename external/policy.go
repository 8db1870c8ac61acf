package external

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Policy decides on the arguments of one run, for Options.Allow.
type Policy func(arguments []string) error

// All asks every policy; the first refusal counts.
func All(policies ...Policy) Policy {
	return func(arguments []string) error {
		for _, p := range policies {
			if err := p(arguments); err != nil {
				return err
			}
		}
		return nil
	}
}

// AllowSubcommands allows runs whose first argument is one of names, so that no
// option can stand before it.
func AllowSubcommands(names ...string) Policy {
	return func(arguments []string) error {
		if len(arguments) == 0 {
			return errors.New("a subcommand is required; allowed: " + strings.Join(names, ", "))
		}
		for _, n := range names {
			if arguments[0] == n {
				return nil
			}
		}
		return fmt.Errorf("%q is not allowed; allowed: %s", arguments[0], strings.Join(names, ", "))
	}
}

// DenyOptions refuses options by name, "--output" or "-o": also with "=value",
// as an unambiguous or ambiguous abbreviation of a long one, and inside a
// cluster of single letters. It looks behind "--" too, which may be the value of
// the option before it.
func DenyOptions(names ...string) Policy {
	return func(arguments []string) error {
		for _, a := range arguments {
			for _, n := range names {
				if hasOption(a, n) {
					return fmt.Errorf("the option %s is not allowed", n)
				}
			}
		}
		return nil
	}
}

func hasOption(argument, name string) bool {
	if strings.HasPrefix(name, "--") {
		typed, _, _ := strings.Cut(argument, "=")
		return len(typed) > 2 && strings.HasPrefix(typed, "--") && strings.HasPrefix(name, typed)
	}
	return len(argument) > 1 && argument[0] == '-' && argument[1] != '-' && len(name) == 2 && strings.Contains(argument[1:], name[1:])
}

// Operands refuses operands, every argument that does not start with "-" and
// all behind "--", that leave the directory or match none of the doublestar
// patterns. The first skip arguments are left out (a subcommand's name). It reads
// names alone: it follows no link and sees no file in an option's own word
// (--file=NAME), so pair it with DenyOptions.
func Operands(skip int, patterns ...string) (Policy, error) {
	for _, p := range patterns {
		if !doublestar.ValidatePattern(p) {
			return nil, fmt.Errorf("external: bad pattern %q", p)
		}
	}
	return func(arguments []string) error {
		options := true
		for _, a := range arguments[min(skip, len(arguments)):] {
			if options && a == "--" {
				options = false
				continue
			}
			if options && strings.HasPrefix(a, "-") {
				continue
			}
			name := path.Clean(a)
			if path.IsAbs(a) || name == ".." || strings.HasPrefix(name, "../") {
				return fmt.Errorf("%q leaves the directory", a)
			}
			if !matchesAny(patterns, name) {
				return fmt.Errorf("%q is not allowed; allowed: %s", a, strings.Join(patterns, ", "))
			}
		}
		return nil
	}, nil
}

func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, err := doublestar.Match(p, name); err == nil && ok {
			return true
		}
	}
	return false
}
