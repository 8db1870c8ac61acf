package bc

// series computes the functions of -l. Each keeps as many digits at each step
// as GNU bc's library does, since the last digits of a result follow from that.
type series struct {
	scale int
	stop  func() error
	err   error
}

// The first error ends it all: what follows works on zeros.
func (s *series) try(x *Number, err error) *Number {
	if s.err == nil && err == nil {
		err = s.stop()
	}
	if s.err == nil {
		s.err = err
	}
	if s.err != nil || x == nil {
		return Zero
	}
	return x
}

func (s *series) add(x, y *Number) *Number { return s.try(x.Add(y)) }
func (s *series) sub(x, y *Number) *Number { return s.try(x.Sub(y)) }
func (s *series) mul(x, y *Number) *Number { return s.try(x.Mul(y, s.scale)) }
func (s *series) div(x, y *Number) *Number { return s.try(x.Div(y, s.scale)) }
func (s *series) rem(x, y *Number) *Number {
	_, r, err := x.DivMod(y, s.scale)
	return s.try(r, err)
}

func (s *series) cmp(x, y *Number) int {
	c, err := x.Cmp(y)
	s.try(Zero, err)
	return c
}

// whole cuts a scale that is computed as a number.
func (s *series) whole(x *Number) int {
	n, ok := x.Int()
	if !ok {
		s.try(nil, ErrTooLarge)
		return 0
	}
	return n
}

func integer(n int) *Number { return FromInt(int64(n)) }

// exponential halves x until it is small, sums x^i/i! and squares back.
func (s *series) exponential(x *Number) *Number {
	negative := x.Sign() < 0
	if negative {
		x = x.Neg()
	}
	asked := s.scale
	guard := s.whole(s.add(integer(6+asked), s.mul(Decimal(".44"), x)))
	if guard > MaxDigits {
		s.try(nil, ErrTooLarge)
		return Zero
	}
	s.scale = x.Scale() + 1
	halved := 0
	for s.err == nil && s.cmp(x, One) > 0 {
		halved++
		x = s.div(x, integer(2))
		s.scale++
	}
	s.scale = guard
	sum, top, bottom := s.add(One, x), x, One
	for i := 2; s.err == nil; i++ {
		top, bottom = s.mul(top, x), s.mul(bottom, integer(i))
		term := s.div(top, bottom)
		if term.Sign() == 0 {
			break
		}
		sum = s.add(sum, term)
	}
	for ; halved > 0 && s.err == nil; halved-- {
		sum = s.mul(sum, sum)
	}
	s.scale = asked
	if negative {
		return s.div(One, sum)
	}
	return s.div(sum, One)
}

// logarithm takes roots until x is near 1 and sums 2(a + a^3/3 + ...) with
// a = (x-1)/(x+1).
func (s *series) logarithm(x *Number) *Number {
	if x.Sign() <= 0 {
		power := s.try(integer(10).Pow(s.scale, s.scale, s.stop))
		return s.div(s.sub(One, power), One)
	}
	asked := s.scale
	s.scale += 6
	factor := integer(2)
	for s.err == nil && s.cmp(x, integer(2)) >= 0 || s.err == nil && s.cmp(x, Decimal(".5")) <= 0 {
		factor = s.mul(factor, integer(2))
		x = s.try(x.Sqrt(s.scale))
	}
	power := s.div(s.sub(x, One), s.add(x, One))
	sum, square := power, s.mul(power, power)
	for i := 3; s.err == nil; i += 2 {
		power = s.mul(power, square)
		term := s.div(power, integer(i))
		if term.Sign() == 0 {
			break
		}
		sum = s.add(sum, term)
	}
	sum = s.mul(factor, sum)
	s.scale = asked
	return s.div(sum, One)
}

// sine brings x between -pi/4 and pi/4 and sums its series.
func (s *series) sine(x *Number) *Number {
	asked := s.scale
	s.scale = s.whole(s.add(s.mul(Decimal("1.1"), integer(asked)), integer(2)))
	quarter := s.arctangent(One)
	negative := x.Sign() < 0
	if negative {
		x = x.Neg()
	}
	s.scale = 0
	turns := s.div(s.add(s.div(x, quarter), integer(2)), integer(4))
	x = s.sub(x, s.mul(s.mul(integer(4), turns), quarter))
	if s.rem(turns, integer(2)).Sign() != 0 {
		x = x.Neg()
	}
	s.scale = asked + 2
	sum, term := x, x
	square := s.mul(x.Neg(), x)
	for i := 3; s.err == nil; i += 2 {
		term = s.mul(term, s.div(square, integer(i*(i-1))))
		if term.Sign() == 0 {
			break
		}
		sum = s.add(sum, term)
	}
	s.scale = asked
	if negative {
		sum = sum.Neg()
	}
	return s.div(sum, One)
}

// cosine is the sine a quarter turn on.
func (s *series) cosine(x *Number) *Number {
	asked := s.scale
	s.scale = s.whole(s.mul(integer(asked), Decimal("1.2")))
	v := s.sine(s.add(x, s.mul(s.arctangent(One), integer(2))))
	s.scale = asked
	return s.div(v, One)
}

// Arctangents that are asked for all the time, to 25, 40 and 60 digits.
var (
	arctangentOfOne = [...]string{".7853981633974483096156608", ".7853981633974483096156608458198757210492",
		".785398163397448309615660845819875721049292349843776455243736"}
	arctangentOfFifth = [...]string{".1973955598498807583700497", ".1973955598498807583700497651947902934475",
		".197395559849880758370049765194790293447585103787852101517688"}
)

// arctangent takes off atan(.2) until x is small and sums its series.
func (s *series) arctangent(x *Number) *Number {
	sign := One
	if x.Sign() < 0 {
		sign, x = One.Neg(), x.Neg()
	}
	fifth := Decimal(".2")
	for _, known := range [...]struct {
		x      *Number
		values [3]string
	}{{One, arctangentOfOne}, {fifth, arctangentOfFifth}} {
		if s.cmp(x, known.x) != 0 {
			continue
		}
		for i, digits := range [...]int{25, 40, 60} {
			if s.scale <= digits {
				return s.div(Decimal(known.values[i]), sign)
			}
		}
	}
	asked := s.scale
	step, steps := Zero, 0
	if s.cmp(x, fifth) > 0 {
		s.scale = asked + 5
		step = s.arctangent(fifth)
	}
	s.scale = asked + 3
	for s.err == nil && s.cmp(x, fifth) > 0 {
		steps++
		x = s.div(s.sub(x, fifth), s.add(One, s.mul(x, fifth)))
	}
	sum, power := x, x
	square := s.mul(x.Neg(), x)
	for i := 3; s.err == nil; i += 2 {
		power = s.mul(power, square)
		term := s.div(power, integer(i))
		if term.Sign() == 0 {
			break
		}
		sum = s.add(sum, term)
	}
	s.scale = asked
	return s.div(s.add(s.mul(integer(steps), step), sum), sign)
}

// bessel is the Bessel function of integer order n.
func (s *series) bessel(n, x *Number) *Number {
	asked := s.scale
	s.scale = 0
	n = s.div(n, One)
	negative := false
	if n.Sign() < 0 {
		n = n.Neg()
		negative = s.rem(n, integer(2)).Sign() != 0
	}
	order := s.whole(n)
	factorial := One
	for i := 2; i <= order && s.err == nil; i++ {
		factorial = s.mul(factorial, integer(i))
	}
	s.scale = s.whole(s.mul(Decimal("1.5"), integer(asked)))
	power := s.try(x.Pow(order, s.scale, s.stop))
	two := s.try(integer(2).Pow(order, s.scale, s.stop))
	factor := s.div(s.div(power, two), factorial)
	sum, term := One, One
	square := s.div(s.mul(x.Neg(), x), integer(4))
	s.scale += factor.Length() - factor.Scale()
	for i := 1; s.err == nil; i++ {
		term = s.div(s.div(s.mul(term, square), integer(i)), integer(order+i))
		if term.Sign() == 0 {
			break
		}
		sum = s.add(sum, term)
	}
	s.scale = asked
	if negative {
		factor = factor.Neg()
	}
	return s.div(s.mul(factor, sum), One)
}
