package builtins

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// zipLongOptions are the words of zip's letters.
var zipLongOptions = [...][2]string{
	{"recurse-paths", "r"}, {"recurse-patterns", "R"}, {"update", "u"}, {"freshen", "f"}, {"delete", "d"}, {"copy-entries", "U"}, {"filesync", "FS"},
	{"move", "m"}, {"junk-paths", "j"}, {"no-dir-entries", "D"}, {"exclude", "x"}, {"include", "i"}, {"names-stdin", "@"}, {"symlinks", "y"},
	{"suffixes", "n"}, {"to-crlf", "l"}, {"from-crlf", "ll"}, {"strip-extra", "X"}, {"no-extra", "X"}, {"from-date", "t"}, {"before-date", "tt"},
	{"latest-time", "o"}, {"archive-comment", "z"}, {"entry-comments", "c"}, {"test", "T"}, {"output-file", "O"}, {"out", "O"}, {"show-files", "sf"},
	{"quiet", "q"}, {"verbose", "v"}, {"temp-path", "b"}, {"adjust-sfx", "A"}, {"system-hidden", "S"}, {"grow", "g"}, {"DOS-names", "k"}, {"encrypt", "e"},
	{"password", "P"}, {"split-size", "s"}, {"help", "h"}, {"version", "?v"}, {"license", "L"}, {"store", "0"}, {"fast", "1"}, {"best", "9"}, {"compress-1", "1"},
	{"compress-9", "9"}, {"no-wild", "nw"}, {"wild-stop-dirs", "ws"}, {"dot-size", "ds"}, {"display-bytes", "db"}, {"display-counts", "dc"}, {"display-dots", "dd"},
	{"fix", "F"}, {"fixfix", "FF"}, {"compression-method", "Z"},
}

// options reads options anywhere among the words and returns the others; nil
// says that all is done.
func (z *zipCommand) options(arguments []string) ([]string, error) {
	words := []string{}
	take := func(attached string) (string, bool) {
		if attached != "" {
			return strings.TrimPrefix(attached, "="), true
		}
		if len(arguments) == 0 {
			return "", false
		}
		value := arguments[0]
		arguments = arguments[1:]
		return value, true
	}
	list := func(attached string, to *[]zipPattern) error {
		values := []string{strings.TrimPrefix(attached, "=")}
		if attached == "" {
			values = nil
			for len(arguments) > 0 {
				word := arguments[0]
				if len(word) > 1 && word[0] == '-' {
					break
				}
				arguments = arguments[1:]
				if word == "@" {
					break
				}
				values = append(values, word)
			}
		}
		for _, value := range values {
			if file, ok := strings.CutPrefix(value, "@"); ok && file != "" {
				if err := z.patternFile(file, to); err != nil {
					return err
				}
				continue
			}
			*to = append(*to, newZipPattern(value, false))
		}
		return nil
	}
	apply := func(letter, attached string) (used, ended bool, err error) {
		switch letter {
		case "x":
			return true, false, list(attached, &z.selection.exclude)
		case "i":
			return true, false, list(attached, &z.selection.list)
		case "b", "n", "t", "tt", "O", "P", "s", "Z":
			value, ok := take(attached)
			if !ok {
				return true, false, z.errorf(zipArguments, "Invalid command arguments (option requires a value: %s)", letter)
			}
			return true, false, z.valued(letter, value)
		case "h", "?":
			return false, true, z.showHelp()
		case "?v":
			return false, true, z.showVersion()
		case "L":
			_, err := fmt.Fprintln(z.out, "vsh is under the MIT licence.")
			return false, true, err
		}
		if letter == "e" {
			return false, false, z.errorf(zipArguments, "Invalid command arguments (stderr is not a tty)")
		}
		if !z.flag(letter) {
			return false, false, z.errorf(zipArguments, "Invalid command arguments (short option '%s' not supported)", letter)
		}
		return false, false, nil
	}
	for len(arguments) > 0 {
		word := arguments[0]
		arguments = arguments[1:]
		switch {
		case word == "--":
			return append(words, arguments...), nil
		case strings.HasPrefix(word, "--"):
			name, value, has := strings.Cut(word[2:], "=")
			letter := zipLong(name)
			if letter == "" {
				return nil, z.errorf(zipArguments, "Invalid command arguments (long option '%s' not supported)", name)
			}
			if has {
				value = "=" + value
			}
			if _, ended, err := apply(letter, value); err != nil || ended {
				return nil, err
			}
		case len(word) > 1 && word[0] == '-':
			if word == "-v" && len(arguments) == 0 && len(words) == 0 {
				return nil, z.showVersion()
			}
			for i := 1; i < len(word); {
				letter := word[i : i+1]
				if i+2 <= len(word) && isZipPair(word[i:i+2]) {
					letter = word[i : i+2]
				}
				i += len(letter)
				used, ended, err := apply(letter, word[i:])
				if err != nil || ended {
					return nil, err
				}
				if used {
					break
				}
			}
		default:
			words = append(words, word)
		}
	}
	return words, nil
}

func zipLong(name string) string {
	found := ""
	for _, o := range zipLongOptions {
		if o[0] == name {
			return o[1]
		}
		if strings.HasPrefix(o[0], name) {
			found = o[1]
		}
	}
	return found
}

// isZipPair reports an option of two letters.
func isZipPair(s string) bool {
	switch s {
	case "ll", "FS", "sf", "tt", "nw", "ws", "ds", "db", "dc", "dd", "du", "dv", "FF", "DF", "la", "lf", "li", "sc", "sd", "so", "su", "sU", "TT", "MM", "RE", "AS", "AC":
		return true
	}
	return false
}

func (z *zipCommand) flag(letter string) bool {
	switch letter {
	case "r", "R":
		z.recurse = letter[0]
	case "u", "f", "d", "U":
		z.action = letter[0]
	case "FS":
		z.sync = true
	case "m":
		z.move = true
	case "j":
		z.junk = true
	case "D":
		z.noDirs = true
	case "@":
		z.names = true
	case "y":
		z.links = true
	case "l":
		z.lines = 'l'
	case "ll":
		z.lines = 'L'
	case "X":
		z.plain = true
	case "o":
		z.latest = true
	case "z":
		z.comment = true
	case "c":
		z.comments = true
	case "T":
		z.test = true
	case "sf":
		z.showOnly = true
	case "q":
		z.quiet = true
	case "v":
		z.verbose = true
	case "A":
		z.adjust = true
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
		z.level = int(letter[0] - '0')
	case "S", "w", "g", "k", "nw", "ws", "ds", "db", "dc", "dd", "du", "dv", "J", "F", "FF", "DF", "sc", "sd", "so", "su", "sU", "RE", "MM", "AS", "AC":
	default:
		return false
	}
	return true
}

func (z *zipCommand) valued(letter, value string) error {
	switch letter {
	case "n":
		z.suffixes = strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ',' })
	case "O":
		if z.output = value; !strings.Contains(value, ".") {
			z.output += ".zip"
		}
	case "P":
		return z.errorf(zipArguments, "Invalid command arguments (encryption is not supported)")
	case "s":
		if value != "0" && value != "-" {
			return z.errorf(zipArguments, "Invalid command arguments (split archives are not supported)")
		}
	case "Z":
		switch value {
		case "store":
			z.level = 0
		case "deflate":
		default:
			return z.errorf(zipArguments, "Invalid command arguments (Compression method not supported: %s)", value)
		}
	case "t", "tt":
		when, ok := z.day(value)
		if !ok {
			return z.errorf(zipArguments, "Invalid command arguments (invalid date entered for -%s option - use mmddyyyy or yyyy-mm-dd)", letter)
		}
		if letter == "t" {
			z.since = when
		} else {
			z.until = when
		}
	}
	return nil
}

// day reads mmddyyyy or yyyy-mm-dd.
func (z *zipCommand) day(text string) (time.Time, bool) {
	for _, layout := range [...]string{"01022006", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, text, z.location()); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// patternFile reads patterns, one a line.
func (z *zipCommand) patternFile(name string, to *[]zipPattern) error {
	in, done, err := z.open(name)
	if err != nil {
		if z.ends(err) {
			return err
		}
		return z.errorf(zipOpen, "Could not open for reading (%s)", name)
	}
	defer done()
	var text strings.Builder
	if err := copyBlocks(z.ctx, &chargedText{&text, z.call}, in); err != nil {
		return err
	}
	for _, line := range strings.Split(text.String(), "\n") {
		if line = strings.TrimFunc(line, unicode.IsSpace); line != "" {
			*to = append(*to, newZipPattern(line, false))
		}
	}
	return nil
}

// chargedText is a text that draws on the budget as it grows.
type chargedText struct {
	*strings.Builder
	call *call
}

func (t *chargedText) Write(p []byte) (int, error) {
	if err := t.call.Host().Charge(int64(2 * len(p))); err != nil {
		return 0, err
	}
	return t.Builder.Write(p)
}
