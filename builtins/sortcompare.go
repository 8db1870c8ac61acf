package builtins

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"encoding/binary"
	"math"
	"math/big"
	"strconv"

	"github.com/vsh-project/vsh/internal/printf"
)

// sortOrder is how lines are compared.
type sortOrder struct {
	keys      []sortKey
	separator int // -1: fields start where blanks follow text
	reverse   bool
	stable    bool
	unique    bool
	salt      [16]byte // of -R
	common    int      // bytes that all lines begin with
}

// sortComparer compares lines; each goroutine has its own.
type sortComparer struct {
	*sortOrder
	ctx   context.Context
	calls uint
	ended bool
	a, b  []byte // keys with their characters changed or left out
	// skip is 1 where first says all about the first key.
	skip int
}

func (s *sortCommand) comparer() *sortComparer {
	return &sortComparer{sortOrder: &s.sortOrder, ctx: s.ctx}
}

// compare is negative when a comes first, 0 for lines that count as equal.
// Once the context has ended everything is equal, so that a sort ends soon.
func (c *sortComparer) compare(a, b []byte) int {
	if c.calls++; c.calls&0xffff == 0 && c.ctx.Err() != nil {
		c.ended = true
	}
	if c.ended {
		return 0
	}
	for i := c.skip; i < len(c.keys); i++ {
		k := &c.keys[i]
		order := c.compareKey(k, k.text(a, c.separator), k.text(b, c.separator))
		if order != 0 {
			if k.reverse {
				return -order
			}
			return order
		}
	}
	if len(c.keys) > 0 && (c.stable || c.unique) {
		return 0
	}
	order := bytes.Compare(a, b)
	if c.reverse {
		return -order
	}
	return order
}

// changed is a key's text with its case folded and characters left out.
func (k *sortKey) changed(buffer, text []byte) []byte {
	buffer = buffer[:0]
	for _, c := range text {
		letter := versionAlpha(c)
		if k.dictionary && !letter && !versionDigit(c) && !sortBlank(c) || k.printing && (c < ' ' || c > '~') {
			continue
		}
		if k.fold {
			c = upperASCII(c)
		}
		buffer = append(buffer, c)
	}
	return buffer
}

func (c *sortComparer) compareKey(k *sortKey, a, b []byte) int {
	if k.dictionary || k.printing || k.fold {
		c.a, c.b = k.changed(c.a, a), k.changed(c.b, b)
		a, b = c.a, c.b
	}
	switch {
	case k.numeric:
		return compareNumbers(a, b)
	case k.general:
		return compareGeneral(a, b)
	case k.human:
		if order := cmp.Compare(humanRank(a), humanRank(b)); order != 0 {
			return order
		}
		return compareNumbers(a, b)
	case k.month:
		return cmp.Compare(monthNumber(a), monthNumber(b))
	case k.random:
		return c.compareRandom(a, b)
	case k.version:
		return compareVersions(a, b)
	}
	return bytes.Compare(a, b)
}

func (c *sortComparer) hash(text []byte) [md5.Size]byte {
	h := md5.New()
	h.Write(c.salt[:])
	if len(text) > 0 {
		// strxfrm's result, with the NUL behind it.
		h.Write(text)
		h.Write([]byte{0})
	}
	var sum [md5.Size]byte
	h.Sum(sum[:0])
	return sum
}

func (c *sortComparer) compareRandom(a, b []byte) int {
	ha, hb := c.hash(a), c.hash(b)
	if order := bytes.Compare(ha[:], hb[:]); order != 0 {
		return order
	}
	return bytes.Compare(a, b)
}

// first is a number that orders lines as their first key does as far as it
// goes: lines of which it says nothing have equal ones. exact says that equal
// numbers mean equal keys.
func (c *sortComparer) first(line []byte) (n uint64, exact bool) {
	if len(c.keys) == 0 {
		n := textPrefix(line[c.common:])
		if c.reverse {
			n = ^n
		}
		return n, false
	}
	k := &c.keys[0]
	text := k.text(line, c.separator)
	if k.dictionary || k.printing || k.fold {
		c.a = k.changed(c.a, text)
		text = c.a
	}
	switch {
	case k.numeric:
		n, exact = numberPrefix(text)
	case k.general:
		n = generalPrefix(text)
	case k.human:
		number, _ := numberPrefix(text)
		n = uint64(humanRank(text)+16)<<58 | number>>6
	case k.month:
		n, exact = uint64(monthNumber(text)), true
	case k.random:
		sum := c.hash(text)
		n = binary.BigEndian.Uint64(sum[:])
	case k.version:
	default:
		n = textPrefix(text)
		exact = len(text) <= 8 && bytes.IndexByte(text, 0) < 0
	}
	if k.reverse {
		n = ^n
	}
	return n, exact
}

// textPrefix is the first eight bytes as a number.
func textPrefix(text []byte) uint64 {
	if len(text) >= 8 {
		return binary.BigEndian.Uint64(text)
	}
	var n uint64
	for i, c := range text {
		n |= uint64(c) << (56 - 8*i)
	}
	return n
}

// decimal is a number as -n reads it: its sign and its digits before and after
// the point, without leading zeros before it.
type decimal struct {
	negative          bool
	integer, fraction []byte
	rest              []byte
}

func parseDecimal(s []byte) (d decimal) {
	i := 0
	for i < len(s) && sortBlank(s[i]) {
		i++
	}
	if i < len(s) && s[i] == '-' {
		d.negative = true
		i++
	}
	for i < len(s) && s[i] == '0' {
		i++
	}
	start := i
	for i < len(s) && versionDigit(s[i]) {
		i++
	}
	d.integer = s[start:i]
	if i < len(s) && s[i] == '.' {
		start = i + 1
		for i++; i < len(s) && versionDigit(s[i]); i++ {
		}
		d.fraction = s[start:i]
	}
	d.rest = s[i:]
	return d
}

func (d *decimal) zero() bool {
	if len(d.integer) > 0 {
		return false
	}
	for _, c := range d.fraction {
		if c != '0' {
			return false
		}
	}
	return true
}

// compareNumbers orders by decimal value, of any length.
func compareNumbers(a, b []byte) int {
	x, y := parseDecimal(a), parseDecimal(b)
	xn, yn := x.negative && !x.zero(), y.negative && !y.zero()
	if xn != yn {
		if xn {
			return -1
		}
		return 1
	}
	order := cmp.Compare(len(x.integer), len(y.integer))
	if order == 0 {
		order = bytes.Compare(x.integer, y.integer)
	}
	if order == 0 {
		n := min(len(x.fraction), len(y.fraction))
		order = bytes.Compare(x.fraction[:n], y.fraction[:n])
		for i := n; order == 0 && i < max(len(x.fraction), len(y.fraction)); i++ {
			if i < len(x.fraction) && x.fraction[i] != '0' {
				order = 1
			}
			if i < len(y.fraction) && y.fraction[i] != '0' {
				order = -1
			}
		}
	}
	if xn {
		return -order
	}
	return order
}

// numberPrefix orders as compareNumbers does, by thousandths; exact says that
// these are all there is.
func numberPrefix(s []byte) (n uint64, exact bool) {
	d := parseDecimal(s)
	exact = len(d.integer) <= 15 && len(d.fraction) <= 3
	if len(d.integer) > 15 {
		n = 1e18
	} else {
		for _, c := range d.integer {
			n = n*10 + uint64(c-'0')
		}
		for i := range 3 {
			n *= 10
			if i < len(d.fraction) {
				n += uint64(d.fraction[i] - '0')
			}
		}
	}
	if d.negative {
		return 1<<63 - n, exact
	}
	return 1<<63 + n, exact
}

// humanRank is the order of a number's suffix: none, K, M and so on, negative
// for negative numbers.
func humanRank(s []byte) int {
	d := parseDecimal(s)
	if d.zero() || len(d.rest) == 0 {
		return 0
	}
	rank := bytes.IndexByte([]byte("KMGTPEZY"), d.rest[0]) + 1
	if d.rest[0] == 'k' {
		rank = 1
	}
	if d.negative {
		return -rank
	}
	return rank
}

// monthNumber is 1 to 12, 0 for what is no month.
func monthNumber(s []byte) int {
	i := 0
	for i < len(s) && sortBlank(s[i]) {
		i++
	}
	if len(s)-i < 3 {
		return 0
	}
	name := [3]byte{upperASCII(s[i]), upperASCII(s[i+1]), upperASCII(s[i+2])}
	const months = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
	for m := 0; m < 12; m++ {
		if months[3*m:3*m+3] == string(name[:]) {
			return m + 1
		}
	}
	return 0
}

// generalMost is how much of a floating number is read.
const generalMost = 20000

// generalValue reads a floating number as strtold does; kind is 0 where there
// is none, 1 for NaN, 2 for a number.
func generalValue(s []byte) (kind int, n printf.LongDouble) {
	text := string(s[:min(len(s), generalMost)])
	n, rest, _ := printf.ParseLongDouble(text)
	switch {
	case len(rest) == len(text):
		return 0, n
	case n.NaN:
		return 1, n
	}
	return 2, n
}

// compareGeneral orders what is no number before NaN before numbers.
func compareGeneral(a, b []byte) int {
	ka, x := generalValue(a)
	kb, y := generalValue(b)
	switch {
	case ka == 1 && kb == 1 && x.Negative != y.Negative:
		if y.Negative {
			return -1
		}
		return 1
	case ka == 2 && kb == 2:
		return seqCompare(x, y)
	}
	return cmp.Compare(ka, kb)
}

// generalPrefix is the number as a double, in an order of its bits.
func generalPrefix(s []byte) uint64 {
	f, ok := plainFloat(s)
	if !ok {
		kind, n := generalValue(s)
		switch {
		case kind < 2:
			return uint64(kind)
		case n.Inf && n.Negative:
			f = math.Inf(-1)
		case n.Inf:
			f = math.Inf(1)
		default:
			f, _ = new(big.Float).Set(n.Float).Float64()
		}
	}
	if f == 0 {
		f = 0 // minus zero counts as zero
	}
	n := math.Float64bits(f)
	if n>>63 != 0 {
		return ^n
	}
	return n | 1<<63
}

// plainFloat reads the common form: digits with a point, without exponent.
func plainFloat(s []byte) (float64, bool) {
	i := 0
	for i < len(s) && (sortBlank(s[i]) || s[i] >= '\v' && s[i] <= '\r') {
		i++
	}
	start := i
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits, point := 0, false
	for ; i < len(s); i++ {
		if s[i] == '.' && !point {
			point = true
			continue
		}
		if !versionDigit(s[i]) {
			break
		}
		digits++
	}
	if digits == 0 || digits > 300 || i < len(s) && (s[i]|0x20 == 'e' || s[i]|0x20 == 'x') {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(s[start:i]), 64)
	return f, err == nil
}
