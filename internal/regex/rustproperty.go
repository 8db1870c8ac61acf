package regex

import (
	"strings"
	"unicode"
)

// addRustProperty adds what \p{name} or \p{name=value} stands for. It answers
// with the words of Rust's error where that is nothing known.
func addRustProperty(b *setBuilder, name, value string) (words string) {
	const noProperty, noValue = "Unicode property not found", "Unicode property value not found"
	key := looseName(name)
	if value != "" {
		of := looseName(value)
		switch key {
		case "gc", "generalcategory":
			if !addRustCategory(b, of) {
				return noValue
			}
		case "sc", "script", "scx", "scriptextensions":
			if !addTableNamed(b, unicode.Scripts, scriptName(of)) {
				return noValue
			}
		default:
			return noProperty
		}
		return ""
	}
	switch key {
	case "any":
		b.add(0, unicode.MaxRune)
		return ""
	case "ascii":
		b.add(0, 0x7f)
		return ""
	case "assigned":
		for _, t := range unicode.Categories {
			b.addTable(t)
		}
		return ""
	case "alphabetic", "alpha":
		addRustAlphabetic(b)
		return ""
	case "lowercase", "lower":
		b.addTable(unicode.Ll)
		b.addTable(unicode.Other_Lowercase)
		return ""
	case "uppercase", "upper":
		b.addTable(unicode.Lu)
		b.addTable(unicode.Other_Uppercase)
		return ""
	case "math":
		b.addTable(unicode.Sm)
		b.addTable(unicode.Other_Math)
		return ""
	case "space", "wspace":
		b.addTable(unicode.White_Space)
		return ""
	case "idstart", "ids", "xidstart", "xids", "idcontinue", "idc", "xidcontinue", "xidc":
		b.addTable(unicode.L)
		b.addTable(unicode.Nl)
		b.addTable(unicode.Other_ID_Start)
		if strings.Contains(key, "idc") {
			for _, t := range []*unicode.RangeTable{unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue} {
				b.addTable(t)
			}
		}
		return ""
	}
	if addRustCategory(b, key) || addTableNamed(b, unicode.Scripts, scriptName(key)) || addTableNamed(b, unicode.Properties, key) {
		return ""
	}
	return noProperty
}

func addRustAlphabetic(b *setBuilder) {
	b.addTable(unicode.L)
	b.addTable(unicode.Nl)
	b.addTable(unicode.Other_Alphabetic)
}

// addRustCategory adds a general category by its short or long name.
func addRustCategory(b *setBuilder, loose string) bool {
	for alias, short := range unicode.CategoryAliases {
		if looseName(alias) == loose {
			loose = strings.ToLower(short)
		}
	}
	return addTableNamed(b, unicode.Categories, loose)
}

func addTableNamed(b *setBuilder, tables map[string]*unicode.RangeTable, loose string) bool {
	for name, t := range tables {
		if looseName(name) == loose {
			b.addTable(t)
			return true
		}
	}
	return false
}

// scriptName turns the four letters of a common script into its name.
func scriptName(loose string) string {
	switch loose {
	case "arab":
		return "arabic"
	case "armn":
		return "armenian"
	case "beng":
		return "bengali"
	case "cyrl":
		return "cyrillic"
	case "deva":
		return "devanagari"
	case "geor":
		return "georgian"
	case "grek":
		return "greek"
	case "hang":
		return "hangul"
	case "hani":
		return "han"
	case "hebr":
		return "hebrew"
	case "hira":
		return "hiragana"
	case "kana":
		return "katakana"
	case "latn":
		return "latin"
	case "taml":
		return "tamil"
	case "zyyy":
		return "common"
	case "zinh", "qaai":
		return "inherited"
	}
	return loose
}

// looseName is a name as Unicode's loose matching (UAX44-LM3) compares it.
func looseName(name string) string {
	name = strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
	if rest, found := strings.CutPrefix(name, "is"); found && rest != "" && rest != "c" {
		return rest
	}
	return name
}
