package builtins

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/printf"
)

// seqCommand is one run of seq. Numbers are those of C's long double.
type seqCommand struct {
	*call
	separator  string
	format     string
	formatted  bool
	equalWidth bool
}

// seqOperand is a number with the width and precision it was written with.
type seqOperand struct {
	value     printf.LongDouble
	width     int
	precision int // seqNoPrecision when it says nothing
}

const seqNoPrecision = math.MaxInt32

func seqRun(c *call) error {
	s := &seqCommand{call: c, separator: "\n"}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'f':
			s.format, s.formatted = p.Value, true
		case 's':
			s.separator = p.Value
		case 'w':
			s.equalWidth = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch {
	case len(operands) == 0:
		return c.usageErrorf("missing operand")
	case len(operands) > 3:
		return c.usageErrorf("extra operand %s", quote(operands[3]))
	}
	var format *seqFormat
	if s.formatted {
		var message string
		if format, message = parseSeqFormat(s.format); message != "" {
			return c.fatalf("%s", message)
		}
		if s.equalWidth {
			return c.usageErrorf("format string may not be specified when printing equal width strings")
		}
	}
	plain := !s.equalWidth && !s.formatted && len(s.separator) == 1
	if plain {
		if first, step, last, ok := seqIntegers(operands); ok {
			return s.integers(first, step, last)
		}
	}
	one := seqOperand{value: printf.LongDouble{Float: new(big.Float).SetPrec(64).SetInt64(1)}, width: 1}
	first, step := one, one
	last, err := s.operand(operands[0])
	if err == nil && len(operands) > 1 {
		first = last
		last, err = s.operand(operands[1])
	}
	if err == nil && len(operands) > 2 {
		step = last
		if step.value.Float.Sign() == 0 && !step.value.Inf {
			return c.usageErrorf("invalid Zero increment value: %s", quote(operands[1]))
		}
		last, err = s.operand(operands[2])
	}
	if err != nil {
		return err
	}
	if plain && first.precision == 0 && step.precision == 0 && last.precision == 0 && seqCanCount(first, step, last) {
		end := "inf"
		if !last.value.Inf {
			end = last.value.Float.Text('f', 0)
		}
		n, _ := step.value.Float.Uint64()
		return s.integers(first.value.Float.Text('f', 0), n, end)
	}
	if format == nil {
		format = seqDefaultFormat(first, step, last, s.equalWidth)
	}
	return s.floats(format, first.value, step.value, last.value)
}

// seqLargestStep is the largest step that is counted in decimal digits.
const seqLargestStep = 200

func seqDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// seqIntegers recognises operands that are all plain digits, of any length.
func seqIntegers(operands []string) (first string, step uint64, last string, ok bool) {
	for _, o := range operands {
		if !seqDigits(o) {
			return "", 0, "", false
		}
	}
	first, step, last = "1", 1, operands[len(operands)-1]
	if len(operands) > 1 {
		first = operands[0]
	}
	if len(operands) == 3 {
		n, err := strconv.ParseUint(operands[1], 10, 64)
		if err != nil || n == 0 || n > seqLargestStep {
			return "", 0, "", false
		}
		step = n
	}
	trim := func(s string) string {
		if s = strings.TrimLeft(s, "0"); s == "" {
			return "0"
		}
		return s
	}
	return trim(first), step, trim(last), true
}

func seqCanCount(first, step, last seqOperand) bool {
	return !first.value.Inf && !first.value.Negative && !last.value.Negative && !step.value.Inf &&
		step.value.Float.Sign() > 0 && step.value.Float.Cmp(big.NewFloat(seqLargestStep)) <= 0
}

// integers counts in decimal digits; last is "inf" for no end.
func (s *seqCommand) integers(first string, step uint64, last string) error {
	endless := last == "inf"
	// The number stands at the end of digits, which grow to the left.
	size := max(len(first), len(last)) + 32
	digits := bytes.Repeat([]byte{'0'}, size)
	copy(digits[size-len(first):], first)
	start := size - len(first)
	block := make([]byte, 0, 32<<10)
	separate := false
	for endless || size-start < len(last) || size-start == len(last) && string(digits[start:]) <= last {
		if separate {
			block = append(block, s.separator[0])
		}
		separate = true
		block = append(block, digits[start:]...)
		if len(block) > 16<<10 {
			if _, err := s.Stdout.Write(block); err != nil {
				return s.writeError(err)
			}
			if err := s.ctx.Err(); err != nil {
				return err
			}
			block = block[:0]
		}
		carry := step
		for i := size - 1; carry > 0; i-- {
			if i == 0 {
				digits = append(bytes.Repeat([]byte{'0'}, size), digits...)
				i, start, size = i+size, start+size, 2*size
			}
			sum := uint64(digits[i]-'0') + carry
			digits[i] = '0' + byte(sum%10)
			carry = sum / 10
			start = min(start, i)
		}
	}
	if separate {
		block = append(block, '\n')
	}
	if _, err := s.Stdout.Write(block); err != nil {
		return s.writeError(err)
	}
	return nil
}

func (s *seqCommand) operand(text string) (seqOperand, error) {
	o := seqOperand{}
	value, rest, _ := printf.ParseLongDouble(text)
	if rest != "" || text == "" {
		return o, s.usageErrorf("invalid floating point argument: %s", quote(text))
	}
	if value.NaN {
		return o, s.usageErrorf("invalid %s argument: %s", quote("not-a-number"), quote(text))
	}
	o.value = value
	text = strings.TrimLeft(text, " \t\n\v\f\r+")
	o.precision = seqNoPrecision
	point := strings.IndexByte(text, '.')
	if point < 0 && strings.IndexByte(text, 'p') < 0 {
		o.precision = 0
	}
	if value.Inf || strings.ContainsAny(text, "xX") {
		return o, nil
	}
	o.width = len(text)
	fraction := 0
	if point >= 0 {
		fraction = len(text) - point - 1
		if e := strings.IndexAny(text[point+1:], "eE"); e >= 0 {
			fraction = e
		}
		o.precision = fraction
		switch {
		case fraction == 0:
			o.width--
		case point == 0 || text[point-1] < '0' || text[point-1] > '9':
			o.width++
		}
	}
	e := strings.IndexAny(text, "eE")
	if e < 0 {
		return o, nil
	}
	exponent, err := strconv.Atoi(text[e+1:])
	if err != nil {
		exponent = 0
	}
	o.width -= len(text) - e
	if exponent < 0 {
		o.precision -= exponent
		if point < 0 || e == point+1 {
			o.width++
		}
		exponent = -exponent
	} else {
		o.precision -= min(o.precision, exponent)
		if point >= 0 && o.precision == 0 && fraction > 0 {
			o.width--
		}
		exponent -= min(fraction, exponent)
	}
	o.width += exponent
	return o, nil
}

// seqFormat is what stands around the conversion of a format.
type seqFormat struct {
	before, after string
	conversion    printf.Conversion
}

// parseSeqFormat reads a format of -f; the message is empty when it is right.
func parseSeqFormat(format string) (*seqFormat, string) {
	f := &seqFormat{}
	i := 0
	for {
		if i >= len(format) {
			return nil, "format " + quote(format) + " has no % directive"
		}
		if format[i] != '%' {
			f.before += format[i : i+1]
			i++
			continue
		}
		if strings.HasPrefix(format[i:], "%%") {
			f.before += "%"
			i += 2
			continue
		}
		break
	}
	i++
	v := &f.conversion
	for ; i < len(format) && strings.IndexByte("-+#0 '", format[i]) >= 0; i++ {
		switch format[i] {
		case '-':
			v.Minus = true
		case '+':
			v.Plus = true
		case '#':
			v.Alt = true
		case '0':
			v.Zero = true
		case ' ':
			v.Space = true
		}
	}
	digits := func() int {
		n := 0
		for ; i < len(format) && format[i] >= '0' && format[i] <= '9'; i++ {
			n = min(n*10+int(format[i]-'0'), math.MaxInt32)
		}
		return n
	}
	v.Width = digits()
	v.Precision = -1
	if i < len(format) && format[i] == '.' {
		i++
		v.Precision = digits()
	}
	if i < len(format) && format[i] == 'L' {
		i++
	}
	if i >= len(format) {
		return nil, "format " + quote(format) + " ends in %"
	}
	if strings.IndexByte("efgaEFGA", format[i]) < 0 {
		return nil, "format " + quote(format) + " has unknown %" + format[i:i+1] + " directive"
	}
	v.Verb = format[i]
	for i++; i < len(format); i++ {
		if format[i] == '%' {
			if !strings.HasPrefix(format[i:], "%%") {
				return nil, "format " + quote(format) + " has too many % directives"
			}
			i++
		}
		f.after += format[i : i+1]
	}
	return f, ""
}

func seqDefaultFormat(first, step, last seqOperand, equalWidth bool) *seqFormat {
	precision := max(first.precision, step.precision)
	if precision == seqNoPrecision || last.precision == seqNoPrecision {
		return &seqFormat{conversion: printf.Conversion{Verb: 'g', Precision: -1}}
	}
	f := &seqFormat{conversion: printf.Conversion{Verb: 'f', Precision: precision}}
	if equalWidth {
		width1 := first.width + precision - first.precision
		width2 := last.width + precision - last.precision
		if last.precision > 0 && precision == 0 {
			width2--
		}
		if last.precision == 0 && precision > 0 {
			width2++
		}
		if first.precision == 0 && precision > 0 {
			width1++
		}
		f.conversion.Zero, f.conversion.Width = true, max(width1, width2)
	}
	return f
}

// seqCompare orders two numbers, infinities too.
func seqCompare(a, b printf.LongDouble) int { return seqFloat(a).Cmp(seqFloat(b)) }

func seqFloat(n printf.LongDouble) *big.Float {
	if n.Inf {
		return new(big.Float).SetInf(n.Negative)
	}
	return n.Float
}

// at is first + i*step, rounded as a long double is.
func seqAt(first, step printf.LongDouble, i uint64) printf.LongDouble {
	if first.Inf {
		return first
	}
	if step.Inf {
		return step
	}
	product := new(big.Float).SetPrec(64).SetUint64(i)
	product.Mul(product, step.Float)
	product.Add(first.Float, product)
	return printf.LongDouble{Float: product, Negative: product.Signbit()}
}

func (s *seqCommand) floats(f *seqFormat, first, step, last printf.LongDouble) error {
	text := func(x printf.LongDouble) (string, error) {
		var b strings.Builder
		err := f.conversion.Format(&b, x)
		return b.String(), err
	}
	// beyond reports that x is past the last number.
	beyond := func(x printf.LongDouble) bool {
		if step.Negative {
			return seqCompare(x, last) < 0
		}
		return seqCompare(last, x) < 0
	}
	if beyond(first) {
		return nil
	}
	if f.conversion.Width > 1<<20 || f.conversion.Precision > 1<<20 {
		return s.fatalf("format %s is too wide", quote(s.format))
	}
	x := first
	out := false
	for i := uint64(1); ; i++ {
		current, err := text(x)
		if err != nil {
			return err
		}
		s.out.WriteString(f.before)
		s.out.WriteString(current)
		if _, err := s.out.WriteString(f.after); err != nil {
			return s.writeError(err)
		}
		if out {
			break
		}
		if i&0xff == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		x = seqAt(first, step, i)
		if out = beyond(x); out {
			// A number just past the end is printed when it reads as the end
			// itself, so that 0 to 0.3 by 0.1 has four numbers.
			next, err := text(x)
			if err != nil {
				return err
			}
			value, rest, _ := printf.ParseLongDouble(next)
			if rest != "" || seqCompare(value, last) != 0 || next == current {
				break
			}
		}
		s.out.WriteString(s.separator)
	}
	s.out.WriteByte('\n')
	return nil
}

func seqProgram(string) *program {
	return &program{
		usage: `seq [OPTION]... LAST
   or: seq [OPTION]... FIRST LAST
   or: seq [OPTION]... FIRST INCREMENT LAST
Print the numbers from FIRST (1) to LAST in steps of INCREMENT (1).

  -f, --format=FORMAT      print each by FORMAT, a printf conversion of %e, %f, %g or %a
  -s, --separator=STRING   STRING between them, not a newline
  -w, --equal-width        equally wide, with leading zeros`,
		options: getopt.Spec{Order: getopt.Stop, Numbers: true, Options: []getopt.Option{
			{Key: 'w', Long: "equal-width"}, {Key: 'f', Long: "format", Argument: getopt.Required}, {Key: 's', Long: "separator", Argument: getopt.Required},
		}},
		run: seqRun,
	}
}
