package builtins

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"math/bits"
	"sort"
	"strings"

	"github.com/vsh-project/vsh/internal/lines"
)

// factorCommand is one run of factor.
type factorCommand struct {
	*call
	row []byte
}

func factorRun(c *call) error {
	f := &factorCommand{call: c}
	operands, err := c.parse(nil)
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return f.stdin()
	}
	for _, o := range operands {
		if err := f.number(o); err != nil {
			return err
		}
	}
	return nil
}

// stdin factors the words of standard input.
func (f *factorCommand) stdin() error {
	in := lines.NewReader(f.Stdin, f.Host())
	defer in.Close()
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if f.ends(err) {
				return err
			}
			return nil // GNU's factor takes what cannot be read for the end
		}
		for _, word := range bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == 0 }) {
			if err := f.number(string(word)); err != nil {
				return err
			}
		}
	}
}

func (f *factorCommand) number(text string) error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	digits := strings.TrimPrefix(strings.TrimLeft(text, " "), "+")
	if !seqDigits(digits) {
		// What is factored stays in the buffer, unlike before other messages.
		fmt.Fprintf(f.Stderr, "%s: %s is not a valid positive integer\n", f.label(), quote(text))
		f.status = f.trouble()
		return nil
	}
	n, _ := new(big.Int).SetString(digits, 10)
	f.row = append(n.Append(f.row[:0], 10), ':')
	if n.IsUint64() {
		factors := factorSmall(n.Uint64(), nil)
		sort.Slice(factors, func(i, j int) bool { return factors[i] < factors[j] })
		for _, p := range factors {
			f.row = append(f.row, ' ')
			f.row = new(big.Int).SetUint64(p).Append(f.row, 10)
		}
	} else if err := f.large(n); err != nil {
		return err
	}
	_, err := f.out.Write(append(f.row, '\n'))
	return err
}

// large appends the factors of a number above 64 bits.
func (f *factorCommand) large(n *big.Int) error {
	var primes []*big.Int
	rest, small := new(big.Int).Set(n), new(big.Int)
	var quotient, remainder big.Int
	for p := uint64(2); p < 5000; p++ {
		small.SetUint64(p)
		for {
			if quotient.QuoRem(rest, small, &remainder); remainder.Sign() != 0 {
				break
			}
			primes = append(primes, new(big.Int).Set(small))
			rest.Set(&quotient)
		}
	}
	split := []*big.Int{rest}
	for len(split) > 0 {
		m := split[len(split)-1]
		split = split[:len(split)-1]
		switch {
		case m.Cmp(big.NewInt(1)) == 0:
		case m.IsUint64():
			for _, p := range factorSmall(m.Uint64(), nil) {
				primes = append(primes, new(big.Int).SetUint64(p))
			}
		case m.ProbablyPrime(25):
			primes = append(primes, m)
		default:
			d, err := f.rho(m)
			if err != nil {
				return err
			}
			split = append(split, d, new(big.Int).Quo(m, d))
		}
	}
	sort.Slice(primes, func(i, j int) bool { return primes[i].Cmp(primes[j]) < 0 })
	for _, p := range primes {
		f.row = p.Append(append(f.row, ' '), 10)
	}
	return nil
}

// rho finds a factor of a composite number (Pollard's rho, Brent's variant).
func (f *factorCommand) rho(n *big.Int) (*big.Int, error) {
	one := big.NewInt(1)
	for c := int64(1); ; c++ {
		add := big.NewInt(c)
		x, y, saved, product := big.NewInt(2), big.NewInt(2), new(big.Int), big.NewInt(1)
		d, difference := big.NewInt(1), new(big.Int)
		step := func(v *big.Int) { v.Mul(v, v).Add(v, add).Mod(v, n) }
		for r := 1; d.Cmp(one) == 0; r *= 2 {
			x.Set(y)
			for range r {
				step(y)
			}
			for k := 0; k < r && d.Cmp(one) == 0; k += 128 {
				if err := f.ctx.Err(); err != nil {
					return nil, err
				}
				saved.Set(y)
				for range min(128, r-k) {
					step(y)
					product.Mul(product, difference.Sub(x, y).Abs(difference)).Mod(product, n)
				}
				d.GCD(nil, nil, product, n)
			}
		}
		if d.Cmp(n) == 0 {
			for d.SetInt64(1); d.Cmp(one) == 0; {
				step(saved)
				d.GCD(nil, nil, difference.Sub(x, saved).Abs(difference), n)
			}
		}
		if d.Cmp(n) != 0 {
			return d, nil
		}
	}
}

// factorSmall appends the prime factors of n in no order.
func factorSmall(n uint64, factors []uint64) []uint64 {
	for p := uint64(2); p < 256 && p*p <= n; p += 1 + p&1 {
		for n%p == 0 {
			factors = append(factors, p)
			n /= p
		}
	}
	if n < 2 {
		return factors
	}
	if n < 256*256 || factorPrime(n) {
		return append(factors, n)
	}
	d := factorRho(n)
	return factorSmall(n/d, factorSmall(d, factors))
}

func factorMultiply(a, b, n uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, r := bits.Div64(high%n, low, n)
	return r
}

// factorPrime is Miller and Rabin's test with bases that suffice for 64 bits.
func factorPrime(n uint64) bool {
	odd, twos := n-1, 0
	for odd&1 == 0 {
		odd, twos = odd>>1, twos+1
	}
	for _, base := range [...]uint64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37} {
		x, square := uint64(1), base%n
		for e := odd; e > 0; e >>= 1 {
			if e&1 == 1 {
				x = factorMultiply(x, square, n)
			}
			square = factorMultiply(square, square, n)
		}
		if x == 1 || x == n-1 {
			continue
		}
		composite := true
		for i := 1; i < twos && composite; i++ {
			x = factorMultiply(x, x, n)
			composite = x != n-1
		}
		if composite {
			return false
		}
	}
	return true
}

func factorRho(n uint64) uint64 {
	for c := uint64(1); ; c++ {
		step := func(v uint64) uint64 {
			v = factorMultiply(v, v, n)
			if v >= n-c {
				return v - (n - c)
			}
			return v + c
		}
		x, y, saved, d := uint64(2), uint64(2), uint64(2), uint64(1)
		for r := 1; d == 1; r *= 2 {
			x = y
			for range r {
				y = step(y)
			}
			for k := 0; k < r && d == 1; k += 128 {
				saved = y
				product := uint64(1)
				for range min(128, r-k) {
					y = step(y)
					product = factorMultiply(product, max(x, y)-min(x, y), n)
				}
				d = factorGCD(product, n)
			}
		}
		if d == n {
			for d = 1; d == 1; {
				saved = step(saved)
				d = factorGCD(max(x, saved)-min(x, saved), n)
			}
		}
		if d != n {
			return d
		}
	}
}

func factorGCD(a, b uint64) uint64 {
	for a != 0 {
		a, b = b%a, a
	}
	return b
}

func factorProgram(string) *program {
	return &program{
		usage: `factor [NUMBER]...
Print the prime factors of each NUMBER, or of those on standard input.`,
		run: factorRun,
	}
}
