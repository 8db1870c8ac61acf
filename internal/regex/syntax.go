package regex

// Syntax names a dialect of regular expressions.
type Syntax uint8

const (
	// Basic is grep's and GrepExtended grep -E's: a newline separates
	// alternatives, and an operator with nothing before it does no harm.
	Basic Syntax = iota
	GrepExtended
	// Perl is what grep -P takes; Rust what rg takes by default. Both are
	// leftmost-first, all others leftmost-longest.
	Perl
	Rust
	// Fixed is no expression at all.
	Fixed
	// POSIXBasic and POSIXExtended are regcomp(3)'s, with the GNU operators:
	// sed, expr, csplit, nl, [[ =~ ]].
	POSIXBasic
	POSIXExtended
	POSIXMinimalBasic
	POSIXMinimalExtended
	// SedExtended is POSIXExtended without a literal unmatched ")".
	SedExtended
	// SedPOSIXBasic and SedPOSIXExtended are sed --posix's, without the GNU
	// operators.
	SedPOSIXBasic
	SedPOSIXExtended
	// GNUAwk, Awk and POSIXAwk are awk's; escapes are left to the caller.
	GNUAwk
	Awk
	POSIXAwk
	// Emacs is the findutils' default.
	Emacs
)

// The GNU syntax bits (regex.h, RE_…) that tell the dialects apart.
const (
	backslashInLists = 1 << iota
	bkPlusQm
	contextIndepAnchors
	contextIndepOps
	contextInvalidOps
	contextInvalidDup
	intervals
	limitedOps
	newlineAlt
	noBkBraces
	noBkParens
	noBkRefs
	noBkVbar
	unmatchedParenOrd
	noGNUOps
	invalidIntervalOrd
	charClasses
	caretHere // RE_CARET_ANCHORS_HERE: after \( and \|
	emptyDup  // grep's own reading: an operator at the start repeats nothing
)

const (
	posixCommon   = charClasses | intervals
	posixBasic    = posixCommon | bkPlusQm | contextInvalidDup
	posixExtended = posixCommon | contextIndepAnchors | contextIndepOps | noBkBraces | noBkParens | noBkVbar |
		contextInvalidOps | unmatchedParenOrd
)

// bits gives a POSIX dialect's syntax bits.
func (s Syntax) bits() int {
	switch s {
	case Basic:
		return (posixBasic | newlineAlt) &^ contextInvalidDup
	case GrepExtended:
		return (posixExtended|invalidIntervalOrd|newlineAlt|emptyDup)&^contextInvalidOps | contextIndepOps
	case POSIXBasic:
		return posixBasic
	case POSIXExtended:
		return posixExtended
	case POSIXMinimalBasic:
		return posixCommon | limitedOps
	case POSIXMinimalExtended:
		return posixCommon | contextIndepAnchors | contextInvalidOps | noBkBraces | noBkParens | noBkRefs | noBkVbar | unmatchedParenOrd
	case SedPOSIXBasic:
		return posixBasic | limitedOps | noGNUOps
	case SedPOSIXExtended:
		return posixExtended | noGNUOps
	case SedExtended:
		return posixExtended &^ unmatchedParenOrd
	case GNUAwk:
		return (posixExtended | backslashInLists | invalidIntervalOrd) &^ (contextIndepOps | contextInvalidOps)
	case Awk:
		return backslashInLists | noBkParens | noBkRefs | noBkVbar | contextIndepAnchors | charClasses | unmatchedParenOrd | noGNUOps
	case POSIXAwk:
		return posixExtended | backslashInLists | noGNUOps | invalidIntervalOrd
	}
	return 0 // Emacs
}
