package builtins

import (
	"bytes"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/width"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// numfmtCommand is one run of numfmt. Numbers have the precision of C's long
// double.
type numfmtCommand struct {
	*call
	from, to         numfmtScale
	fromUnit, toUnit uint64
	round            numfmtRound
	suffix           string
	padding          int
	left             bool
	autoPadding      bool
	zeroPadding      int
	precision        int // -1 until a format says
	before, after    string
	formatted        bool
	grouping         bool
	delimiter        int // -1: blanks
	end              byte
	fields           fieldList
	fieldsGiven      bool
	header           uint64
	invalid          numfmtInvalid
	debug            bool
	bad              bool
	row              []byte
}

type numfmtScale uint8

const (
	numfmtNone numfmtScale = iota
	numfmtAuto
	numfmtSI
	numfmtIEC
	numfmtIECI
)

func (s numfmtScale) base() int64 {
	if s == numfmtIEC || s == numfmtIECI {
		return 1024
	}
	return 1000
}

type numfmtRound uint8

const (
	numfmtUp numfmtRound = iota
	numfmtDown
	numfmtFromZero
	numfmtTowardsZero
	numfmtNearest
)

type numfmtInvalid uint8

const (
	numfmtAbort numfmtInvalid = iota
	numfmtFail
	numfmtWarn
	numfmtIgnore
)

const (
	numfmtKeyDebug = 256 + iota
	numfmtKeyField
	numfmtKeyFormat
	numfmtKeyFrom
	numfmtKeyFromUnit
	numfmtKeyGrouping
	numfmtKeyHeader
	numfmtKeyInvalid
	numfmtKeyPadding
	numfmtKeyRound
	numfmtKeySuffix
	numfmtKeyTo
	numfmtKeyToUnit
	numfmtKeyDevDebug
)

const (
	numfmtSuffixes = "KMGTPEZY"
	// numfmtUnscaledDigits are exact in a long double; what is longer than
	// numfmtMostDigits is refused.
	numfmtUnscaledDigits = 18
	numfmtMostDigits     = 27
	// statusNumfmtInvalid is the status of a number that cannot be converted.
	statusNumfmtInvalid = 2
	numfmtWidest        = 1 << 20
)

func numfmtFloat() *big.Float { return new(big.Float).SetPrec(64) }

func numfmtRun(c *call) error {
	n := &numfmtCommand{call: c, fromUnit: 1, toUnit: 1, round: numfmtFromZero, precision: -1, delimiter: -1, end: '\n', fields: fieldList{{1, 1}}}
	operands, err := c.parse(n.option)
	if err != nil {
		return err
	}
	if n.formatted && n.grouping {
		return c.fatalf("--grouping cannot be combined with --format")
	}
	format := n.formatted
	if n.debug && n.from == numfmtNone && n.to == numfmtNone && !n.grouping && n.padding == 0 && !format {
		c.warnf("no conversion option specified")
	}
	if format {
		if err := n.parseFormat(n.before); err != nil {
			return err
		}
	}
	if n.grouping {
		if n.to != numfmtNone {
			return c.fatalf("grouping cannot be combined with --to")
		}
		if n.debug {
			c.warnf("grouping has no effect in this locale")
		}
	}
	n.autoPadding = n.padding == 0 && n.delimiter < 0
	if len(operands) > 0 {
		if n.debug && n.header > 0 {
			c.warnf("--header ignored with command-line input")
		}
		for _, o := range operands {
			if err := n.line([]byte(o)); err != nil {
				return err
			}
			n.out.WriteByte(n.end)
		}
	} else if err := n.stdin(); err != nil {
		return err
	}
	if n.bad {
		if n.debug {
			c.warnf("failed to convert some of the input numbers")
		}
		if n.invalid == numfmtFail {
			return command.ExitError(statusNumfmtInvalid)
		}
	}
	return nil
}

func (n *numfmtCommand) option(p *getopt.Parser) error {
	scales := []string{"none", "auto", "si", "iec", "iec-i"}
	switch p.Key {
	case numfmtKeyFrom:
		i, err := n.argumentMatch("--from", p.Value, scales, nil)
		n.from = numfmtScale(i)
		return err
	case numfmtKeyTo:
		i, err := n.argumentMatch("--to", p.Value, []string{"none", "si", "iec", "iec-i"}, nil)
		if n.to = numfmtScale(i); i > 0 {
			n.to++
		}
		return err
	case numfmtKeyFromUnit:
		return n.unit(p.Value, &n.fromUnit)
	case numfmtKeyToUnit:
		return n.unit(p.Value, &n.toUnit)
	case numfmtKeyRound:
		i, err := n.argumentMatch("--round", p.Value, []string{"up", "down", "from-zero", "towards-zero", "nearest"}, nil)
		n.round = numfmtRound(i)
		return err
	case numfmtKeyGrouping:
		n.grouping = true
	case numfmtKeyPadding:
		w, err := strconv.ParseInt(strings.TrimLeft(p.Value, " \t\n"), 10, 32)
		if err != nil || w == 0 || w > numfmtWidest || w < -numfmtWidest {
			return n.fatalf("invalid padding value %s", quote(p.Value))
		}
		n.padding, n.left = int(max(w, -w)), w < 0
	case numfmtKeyField:
		if n.fieldsGiven {
			return n.fatalf("multiple field specifications")
		}
		n.fieldsGiven = true
		list, message := parseFieldList(p.Value, fieldListRules{allowDash: true})
		if message != "" {
			return n.usageErrorf("%s", message)
		}
		n.fields = list
	case 'd':
		if len(p.Value) > 1 {
			return n.fatalf("the delimiter must be a single character")
		}
		n.delimiter = 0
		if p.Value != "" {
			n.delimiter = int(p.Value[0])
		}
	case numfmtKeySuffix:
		n.suffix = p.Value
	case numfmtKeyDebug, numfmtKeyDevDebug:
		n.debug = true
	case numfmtKeyHeader:
		n.header = 1
		if p.HasValue {
			h, bad := parseNumber(p.Value, "")
			if bad != numberOK || h == 0 {
				return n.fatalf("invalid header value %s", quote(p.Value))
			}
			n.header = h
		}
	case numfmtKeyFormat:
		n.formatted, n.before = true, p.Value
	case numfmtKeyInvalid:
		i, err := n.argumentMatch("--invalid", p.Value, []string{"abort", "fail", "warn", "ignore"}, nil)
		n.invalid = numfmtInvalid(i)
		return err
	case 'z':
		n.end = 0
	}
	return nil
}

// unit reads a unit's size: K is 1000, Ki 1024.
func (n *numfmtCommand) unit(text string, size *uint64) error {
	number := text
	if number != "" && !versionDigit(number[len(number)-1]) {
		if cut, ok := strings.CutSuffix(number, "i"); ok && cut != "" && !versionDigit(cut[len(cut)-1]) {
			number = cut
		} else {
			number += "B"
		}
	}
	value, bad := parseNumber(number, numfmtSuffixes+"0")
	if bad != numberOK || value == 0 {
		return n.fatalf("invalid unit size: %s", quote(text))
	}
	*size = value
	return nil
}

// parseFormat reads %[0]['][-][N][.][N]f and what stands around it.
func (n *numfmtCommand) parseFormat(format string) error {
	i, before := 0, 0
	for ; ; i, before = i+1, before+1 {
		if i == len(format) {
			return n.fatalf("format %s has no %% directive", quote(format))
		}
		if format[i] == '%' {
			if !strings.HasPrefix(format[i:], "%%") {
				break
			}
			i++
		}
	}
	// GNU's counts %% as one byte of the text that it copies.
	n.before = format[:before]
	zero := false
	for i++; i < len(format) && strings.IndexByte(" '0", format[i]) >= 0; i++ {
		zero = zero || format[i] == '0'
		n.grouping = n.grouping || format[i] == '\''
	}
	number := func() (int, bool) {
		start := i
		for i < len(format) && (versionDigit(format[i]) || i == start && (format[i] == '-' || format[i] == '+')) {
			i++
		}
		if i == start+1 && !versionDigit(format[start]) {
			i = start
		}
		v, err := strconv.Atoi(format[start:i])
		return v, i == start || err == nil && v <= numfmtWidest && v >= -numfmtWidest
	}
	if i < len(format) && format[i] == '+' {
		return n.fatalf("invalid format %s, directive must be %%[0]['][-][N][.][N]f", quote(format))
	}
	pad, ok := number()
	switch {
	case !ok:
		return n.fatalf("invalid format %s (width overflow)", quote(format))
	case pad < 0:
		n.padding, n.left = -pad, true
	case pad > 0 && zero:
		n.zeroPadding = pad
	case pad > 0:
		n.padding, n.left = pad, false
	}
	if i == len(format) {
		return n.fatalf("format %s ends in %%", quote(format))
	}
	if format[i] == '.' {
		i++
		blank := i < len(format) && (format[i] == ' ' || format[i] == '\t' || format[i] == '+')
		precision, ok := number()
		if !ok || precision < 0 || blank {
			return n.fatalf("invalid precision in format %s", quote(format))
		}
		n.precision = precision
	}
	if i == len(format) || format[i] != 'f' {
		return n.fatalf("invalid format %s, directive must be %%[0]['][-][N][.][N]f", quote(format))
	}
	n.after = format[i+1:]
	if strings.Contains(strings.ReplaceAll(n.after, "%%", ""), "%") {
		return n.fatalf("format %s has too many %% directives", quote(format))
	}
	return nil
}

func (n *numfmtCommand) stdin() error {
	in := lines.NewReader(n.Stdin, n.Host())
	in.Delim = n.end
	defer in.Close()
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = n.ctx.Err()
		}
		if err != nil {
			if n.ends(err) {
				return err
			}
			n.warnf("error reading input: %s", vfs.Words(err)) // which GNU's forgives
			return nil
		}
		if n.header > 0 {
			n.header--
			n.out.Write(line)
			continue
		}
		text, ended := bytes.CutSuffix(line, []byte{n.end})
		if err := n.line(text); err != nil {
			return err
		}
		if ended {
			n.out.WriteByte(n.end)
		}
	}
}

func (n *numfmtCommand) line(text []byte) error {
	separator := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
	for field := uint64(1); ; field++ {
		end := 0
		if n.delimiter >= 0 {
			if end = bytes.IndexByte(text, byte(n.delimiter)); end < 0 {
				end = len(text)
			}
		} else {
			for end < len(text) && separator(text[end]) {
				end++
			}
			for end < len(text) && !separator(text[end]) {
				end++
			}
		}
		if err := n.field(text[:end], field); err != nil {
			return err
		}
		if end == len(text) {
			return nil
		}
		if n.delimiter >= 0 {
			n.out.WriteByte(byte(n.delimiter))
		} else {
			n.out.WriteByte(' ')
		}
		text = text[end+1:]
	}
}

func (n *numfmtCommand) field(text []byte, field uint64) error {
	if !n.fields.holds(field) {
		_, err := n.out.Write(text)
		return err
	}
	number := string(text)
	if n.suffix != "" && len(number) > len(n.suffix) {
		number = strings.TrimSuffix(number, n.suffix)
	}
	p := strings.TrimLeft(number, " \t")
	padding := n.padding
	if n.autoPadding && (len(p) < len(number) || field > 1) {
		padding = width.String(number)
	}
	value, precision, message := n.parseNumber(p)
	if message == "" {
		if n.fromUnit != 1 || n.toUnit != 1 {
			value.Mul(value, numfmtFloat().SetUint64(n.fromUnit))
			value.Quo(value, numfmtFloat().SetUint64(n.toUnit))
		}
		var shown string
		if shown, message = n.show(value, precision); message == "" {
			n.out.WriteString(n.before)
			blanks := strings.Repeat(" ", max(0, padding-width.String(shown)))
			if !n.left {
				n.out.WriteString(blanks)
			}
			n.out.WriteString(shown)
			if n.left {
				n.out.WriteString(blanks)
			}
			_, err := n.out.WriteString(n.after)
			return err
		}
	}
	n.bad = true
	if n.invalid != numfmtIgnore {
		n.warnf("%s", message)
	}
	if n.invalid == numfmtAbort {
		return command.ExitError(statusNumfmtInvalid)
	}
	_, err := n.out.Write(text)
	return err
}

// parseNumber reads a number with its unit, and how many decimals it has. The
// message is empty when it is right.
func (n *numfmtCommand) parseNumber(text string) (value *big.Float, precision int, message string) {
	value = numfmtFloat()
	rest, negative := strings.CutPrefix(text, "-")
	loss := false
	digits := func(v *big.Float) (int, string) {
		i, significant := 0, 0
		ten := numfmtFloat().SetInt64(10)
		for ; i < len(rest) && versionDigit(rest[i]); i++ {
			if significant > 0 || rest[i] != '0' {
				significant++
			}
			if significant > numfmtMostDigits {
				return i, "value too large to be converted: " + quote(text)
			}
			loss = loss || significant > numfmtUnscaledDigits
			v.Mul(v, ten)
			v.Add(v, numfmtFloat().SetInt64(int64(rest[i]-'0')))
		}
		return i, ""
	}
	count, message := digits(value)
	if message != "" {
		return nil, 0, message
	}
	if count == 0 && !strings.HasPrefix(rest, ".") {
		return nil, 0, "invalid number: " + quote(text)
	}
	rest = rest[count:]
	if strings.HasPrefix(rest, ".") {
		rest = rest[1:]
		fraction := numfmtFloat()
		if precision, message = digits(fraction); message != "" {
			return nil, 0, message
		}
		if precision == 0 && !strings.HasPrefix(rest, ".") {
			return nil, 0, "invalid number: " + quote(text)
		}
		value.Add(value, fraction.Quo(fraction, numfmtPower(10, precision)))
		rest = rest[precision:]
	}
	if negative {
		value.Neg(value)
	}
	if loss && n.debug {
		n.warnf("large input value %s: possible precision loss", quote(text))
	}
	if rest != "" {
		rest = strings.TrimLeft(rest, " \t")
		power := 0
		if rest != "" {
			power = strings.IndexByte(numfmtSuffixes, rest[0]) + 1
		}
		if power == 0 {
			return nil, 0, "invalid suffix in input: " + quote(text)
		}
		if n.from == numfmtNone {
			return nil, 0, "rejecting suffix in input: " + quote(text) + " (consider using --from)"
		}
		rest = rest[1:]
		base := n.from.base()
		if n.from == numfmtAuto && strings.HasPrefix(rest, "i") {
			base, rest = 1024, rest[1:]
		}
		precision = 0
		value.Mul(value, numfmtPower(base, power))
	}
	if n.from == numfmtIECI {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, "i"); !ok {
			return nil, 0, "missing 'i' suffix in input: " + quote(text) + " (e.g Ki/Mi/Gi)"
		}
	}
	if rest != "" {
		return nil, 0, "invalid suffix in input " + quote(text) + ": " + quote(rest)
	}
	return value, precision, ""
}

func numfmtPower(base int64, n int) *big.Float {
	result, factor := numfmtFloat().SetInt64(1), numfmtFloat().SetInt64(base)
	for ; n > 0; n-- {
		result.Mul(result, factor)
	}
	return result
}

// numfmtScaled divides v by base until it is smaller than it, and counts.
func numfmtScaled(v *big.Float, base int64) (*big.Float, int) {
	power, divisor, size := 0, numfmtFloat().SetInt64(base), numfmtFloat().Abs(v)
	scaled := numfmtFloat().Set(v)
	for ; size.Cmp(divisor) >= 0; power++ {
		size.Quo(size, divisor)
		scaled.Quo(scaled, divisor)
	}
	return scaled, power
}

func (n *numfmtCommand) show(value *big.Float, precision int) (shown, message string) {
	used := precision
	if n.precision >= 0 {
		used = n.precision
	}
	_, digits := numfmtScaled(value, 10)
	switch {
	case n.to == numfmtNone && digits+used > numfmtUnscaledDigits && used > 0:
		return "", "value/precision too large to be printed: '" + value.Text('g', 6) + "/" + strconv.Itoa(used) + "' (consider using --to)"
	case n.to == numfmtNone && digits+used > numfmtUnscaledDigits:
		return "", "value too large to be printed: '" + value.Text('g', 6) + "' (consider using --to)"
	case digits > numfmtMostDigits-1:
		return "", "value too large to be printed: '" + value.Text('g', 6) + "' (cannot handle values > 999Y)"
	}
	unit := ""
	if n.to == numfmtNone {
		value = n.rounded(value, used)
	} else {
		base, power := n.to.base(), 0
		value, power = numfmtScaled(value, base)
		ten := numfmtFloat().SetInt64(10)
		small := func() bool { return numfmtFloat().Abs(value).Cmp(ten) < 0 }
		adjust := 0
		if n.precision >= 0 {
			adjust = min(power*3, n.precision)
		} else if small() {
			adjust = 1
		}
		value = n.rounded(value, adjust)
		if divisor := numfmtFloat().SetInt64(base); numfmtFloat().Abs(value).Cmp(divisor) >= 0 {
			value.Quo(value, divisor)
			power++
		}
		if used = n.precision; used < 0 {
			used = 0
			if value.Sign() != 0 && small() && power > 0 {
				used = 1
			}
		}
		if power > 0 {
			unit = numfmtSuffixes[power-1 : power]
			if n.to == numfmtIECI {
				unit += "i"
			}
		}
	}
	shown = value.Text('f', used)
	if missing := n.zeroPadding - len(shown); missing > 0 {
		sign := ""
		if shown[0] == '-' {
			sign, shown = "-", shown[1:]
		}
		shown = sign + strings.Repeat("0", missing) + shown
	}
	return shown + unit + n.suffix, ""
}

// rounded rounds v to so many decimals.
func (n *numfmtCommand) rounded(v *big.Float, decimals int) *big.Float {
	factor := numfmtPower(10, min(decimals, numfmtMostDigits*2))
	scaled := numfmtFloat().Mul(v, factor)
	whole, accuracy := scaled.Int(nil)
	exact := accuracy == big.Exact
	sign := int64(1)
	if scaled.Signbit() {
		sign = -1
	}
	away := false
	switch n.round {
	case numfmtUp:
		away = !exact && sign > 0
	case numfmtDown:
		away = !exact && sign < 0
	case numfmtFromZero:
		away = !exact
	case numfmtNearest:
		rest := numfmtFloat().Sub(scaled, numfmtFloat().SetInt(whole))
		away = rest.Abs(rest).Cmp(big.NewFloat(0.5)) >= 0
	}
	if away {
		whole.Add(whole, big.NewInt(sign))
	}
	result := numfmtFloat().SetInt(whole)
	return result.Quo(result, factor)
}

func numfmtProgram(string) *program {
	return &program{
		usage: `numfmt [OPTION]... [NUMBER]...
Print each NUMBER, or those on standard input, in another form.

  -d, --delimiter=C     fields are separated by C, not by blanks
      --debug           warn about input that is taken differently than it looks
      --field=LIST      fields to convert, like 1,3-5 or - for all: 1
      --format=FORMAT   one %f of printf, with width and precision
      --from=UNIT       units of the input: none, auto, si, iec, iec-i
      --from-unit=N     the input counts units of N
      --grouping        separate thousands, where the locale does
      --header[=N]      print N lines (1) as they are first
      --invalid=MODE    for what is no number: abort, fail, warn, ignore
      --padding=N       at least N columns; negative: to the left
      --round=METHOD    up, down, from-zero (the default), towards-zero, nearest
      --suffix=TEXT     after each number, and allowed in the input
      --to=UNIT         units of the output: none, si, iec, iec-i
      --to-unit=N       the output counts units of N
  -z, --zero-terminated lines end in NUL

si: K is 1000; iec: K is 1024; iec-i: Ki is 1024; auto: K is 1000, Ki 1024.
The status is 2 where a number could not be converted.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'd', Long: "delimiter", Argument: getopt.Required}, {Key: 'z', Long: "zero-terminated"},
			{Key: numfmtKeyDebug, Long: "debug"}, {Key: numfmtKeyFrom, Long: "from", Argument: getopt.Required}, {Key: numfmtKeyFromUnit, Long: "from-unit", Argument: getopt.Required}, {Key: numfmtKeyField, Long: "field", Argument: getopt.Required},
			{Key: numfmtKeyFormat, Long: "format", Argument: getopt.Required},
			{Key: numfmtKeyGrouping, Long: "grouping"},
			{Key: numfmtKeyHeader, Long: "header", Argument: getopt.Optional}, {Key: numfmtKeyInvalid, Long: "invalid", Argument: getopt.Required},
			{Key: numfmtKeyPadding, Long: "padding", Argument: getopt.Required}, {Key: numfmtKeyRound, Long: "round", Argument: getopt.Required},
			{Key: numfmtKeySuffix, Long: "suffix", Argument: getopt.Required}, {Key: numfmtKeyTo, Long: "to", Argument: getopt.Required},
			{Key: numfmtKeyToUnit, Long: "to-unit", Argument: getopt.Required}, {Key: numfmtKeyDevDebug, Long: "-debug"},
		}},
		run: numfmtRun,
	}
}
