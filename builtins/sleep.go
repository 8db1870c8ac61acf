package builtins

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

func sleepRun(c *call) error {
	operands, err := c.parse(nil)
	if err != nil {
		return err
	}
	if len(c.Arguments) == 0 {
		return c.usageErrorf("missing operand")
	}
	var total time.Duration
	for _, operand := range operands {
		d, ok := parseDuration(operand)
		if !ok {
			c.errorf("invalid time interval %s", quote(operand))
			continue
		}
		total = addDuration(total, d)
	}
	if c.status != 0 {
		return c.tryHelp()
	}
	return pause(c.ctx, total)
}

// pause waits; it returns early, with the context's error, when that ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// parseDuration reads a number with one of the suffixes s, m, h and d.
func parseDuration(s string) (time.Duration, bool) {
	unit := time.Second
	if s != "" {
		switch s[len(s)-1] {
		case 's':
			s = s[:len(s)-1]
		case 'm':
			unit, s = time.Minute, s[:len(s)-1]
		case 'h':
			unit, s = time.Hour, s[:len(s)-1]
		case 'd':
			// A hexadecimal number ends in its own d.
			if !strings.Contains(strings.ToLower(s), "0x") {
				unit, s = 24*time.Hour, s[:len(s)-1]
			}
		}
	}
	n, ok := parseSecondsFloat(s)
	if !ok {
		return 0, false
	}
	return toDuration(n, unit), true
}

// parseSeconds reads a number of seconds as strtod does.
func parseSeconds(s string) (time.Duration, bool) {
	n, ok := parseSecondsFloat(s)
	return toDuration(n, time.Second), ok
}

func parseSecondsFloat(s string) (float64, bool) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	if s == "" || strings.ContainsRune(s, '_') {
		return 0, false
	}
	if lower := strings.ToLower(s); strings.Contains(lower, "0x") && !strings.Contains(lower, "p") {
		s += "p0"
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(n) || n < 0 {
		return 0, false
	}
	return n, true
}

// toDuration rounds up to a nanosecond; what is too long lasts for ever.
func toDuration(n float64, unit time.Duration) time.Duration {
	if n *= float64(unit); n < math.MaxInt64 {
		return time.Duration(math.Ceil(n))
	}
	return math.MaxInt64
}

func addDuration(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func sleepProgram(string) *program {
	return &program{
		usage: `sleep NUMBER[SUFFIX]...
Wait for the sum of the numbers. SUFFIX is s for seconds (the default), m for
minutes, h for hours, d for days; a number may have a fraction or be "inf".`,
		run: sleepRun,
	}
}
