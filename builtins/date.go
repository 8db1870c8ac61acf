package builtins

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/dateparse"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

// dateCommand is one run of date.
type dateCommand struct {
	*call
	format  string
	chosen  bool // a format option was given
	zone    *time.Location
	sources int // of -d, -f, -r, --resolution
	text    string
	texted  bool // -d
	file    string
	filed   bool // -f
	of      string
	ofFile  bool // -r
	set     string
	setting bool // -s
	finest  bool // --resolution
}

const (
	dateKeyRFC3339 = 256 + iota
	dateKeyDebug
	dateKeyResolution
)

// dateDefault is the C locale's date(1) format.
const dateDefault = "%a %b %e %H:%M:%S %Z %Y"

func dateRun(c *call) error {
	d := &dateCommand{call: c, zone: time.UTC}
	if tz, ok := c.Getenv("TZ"); ok {
		d.zone = strftime.Zone(tz)
	}
	operands, err := c.parse(d.option)
	if err != nil {
		return err
	}
	for _, on := range [...]bool{d.texted, d.filed, d.ofFile, d.finest} {
		if on {
			d.sources++
		}
	}
	switch {
	case d.sources > 1:
		return c.usageErrorf("the options to specify dates for printing are mutually exclusive")
	case d.setting && d.sources > 0:
		return c.usageErrorf("the options to print and set the time may not be used together")
	}
	if len(operands) > 0 {
		if len(operands) > 1 {
			return c.usageErrorf("extra operand %s", quote(operands[1]))
		}
		format, ok := strings.CutPrefix(operands[0], "+")
		switch {
		case ok && d.chosen:
			return c.fatalf("multiple output formats specified")
		case ok:
			d.format, operands = format, nil
			d.chosen = true
		case d.setting || d.sources > 0:
			return c.usageErrorf("the argument %s lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'", quote(operands[0]))
		}
	}
	if !d.chosen {
		d.format = dateDefault
		if d.finest {
			d.format = "%s.%N"
		}
	}
	if d.filed {
		return d.batch()
	}
	return d.one(operands)
}

func (d *dateCommand) option(p *getopt.Parser) error {
	format := ""
	switch p.Key {
	case 'd':
		d.text, d.texted = p.Value, true
	case 'f':
		d.file, d.filed = p.Value, true
	case 'r':
		d.of, d.ofFile = p.Value, true
	case 's':
		d.set, d.setting = p.Value, true
	case 'u':
		d.zone = time.UTC
	case dateKeyResolution:
		d.finest = true
	case dateKeyDebug:
		return d.fatalf("--debug is not supported")
	case 'I':
		format = "%Y-%m-%d"
		if p.HasValue {
			i, err := d.argumentMatch("--iso-8601", p.Value, []string{"hours", "minutes", "date", "seconds", "ns"}, nil)
			if err != nil {
				return err
			}
			format = [...]string{"%Y-%m-%dT%H%:z", "%Y-%m-%dT%H:%M%:z", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%:z", "%Y-%m-%dT%H:%M:%S,%N%:z"}[i]
		}
	case 'R':
		format = "%a, %d %b %Y %H:%M:%S %z"
	case dateKeyRFC3339:
		i, err := d.argumentMatch("--rfc-3339", p.Value, []string{"date", "seconds", "ns"}, nil)
		if err != nil {
			return err
		}
		format = [...]string{"%Y-%m-%d", "%Y-%m-%d %H:%M:%S%:z", "%Y-%m-%d %H:%M:%S.%N%:z"}[i]
	}
	if format != "" {
		if d.chosen {
			return d.fatalf("multiple output formats specified")
		}
		d.format, d.chosen = format, true
	}
	return nil
}

func (d *dateCommand) print(t time.Time) {
	d.out.Write(append(strftime.Append(nil, d.format, t.In(d.zone), true), '\n'))
}

func (d *dateCommand) parseText(text string) (time.Time, bool) {
	return dateparse.Parse(text, d.Host().Now().In(d.zone), strftime.Zone)
}

// batch prints the dates that a file lists.
func (d *dateCommand) batch() error {
	r, done, err := d.open(d.file)
	if err != nil {
		d.fileError(d.file, err)
		return nil
	}
	defer done()
	in := lines.NewReader(r, d.Host())
	defer in.Close()
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = d.ctx.Err()
		}
		if err != nil {
			if d.ends(err) {
				return err
			}
			if d.file == "-" && errors.Is(err, vfs.EBADF) {
				d.fileError(displayName(d.file), err)
			}
			return nil // GNU's date says nothing else of a failed read
		}
		text := string(bytes.TrimSuffix(line, []byte{'\n'}))
		t, ok := d.parseText(text)
		if !ok {
			d.errorf("invalid date %s", quote(text))
			continue
		}
		d.print(t)
	}
}

func (d *dateCommand) one(operands []string) error {
	t := d.Host().Now()
	switch {
	case d.finest:
		t = time.Unix(0, 1)
	case d.ofFile:
		info, err := d.View().Stat(d.ctx, d.of)
		if err != nil {
			d.fileError(d.of, err)
			return nil
		}
		t = info.Modified
	case d.texted || d.setting:
		text := d.text
		if d.setting {
			text = d.set
		}
		var ok bool
		if t, ok = d.parseText(text); !ok {
			return d.fatalf("invalid date %s", quote(text))
		}
	case len(operands) > 0:
		var ok bool
		if t, ok = datePOSIX(operands[0], t.In(d.zone)); !ok {
			return d.fatalf("invalid date %s", quote(operands[0]))
		}
	}
	if d.setting || len(operands) > 0 {
		d.errorf("cannot set date: %s", vfs.Words(vfs.EPERM))
	}
	d.print(t)
	return nil
}

// datePOSIX reads MMDDhhmm[[CC]YY][.ss].
func datePOSIX(s string, now time.Time) (time.Time, bool) {
	s, seconds, pointed := strings.Cut(s, ".")
	if !seqDigits(s) || len(s) < 8 || len(s) > 12 || len(s)%2 != 0 || pointed && (len(seconds) != 2 || !seqDigits(seconds)) {
		return now, false
	}
	pair := func(i int) int { return int(s[2*i]-'0')*10 + int(s[2*i+1]-'0') }
	month, day, hour, minute, second, year := pair(0), pair(1), pair(2), pair(3), 0, now.Year()
	switch len(s) {
	case 10:
		if year = 1900 + pair(4); pair(4) < 69 {
			year += 100
		}
	case 12:
		year = pair(4)*100 + pair(5)
	}
	if pointed {
		second = int(seconds[0]-'0')*10 + int(seconds[1]-'0')
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, now.Location())
	return t, t.Month() == time.Month(month) && t.Day() == day && t.Hour() == hour && t.Minute() == minute && second < 60
}

func dateProgram(string) *program {
	return &program{
		usage: `date [OPTION]... [+FORMAT]
Print the time, by FORMAT as strftime does. The clock cannot be set.

  -d, --date=STRING        the time that STRING describes: "2024-03-01 12:00",
                           "next monday", "3 days ago", @SECONDS
      --debug              refused
  -f, --file=FILE          each line of FILE as with -d
  -I[FMT], --iso-8601[=FMT]  date, hours, minutes, seconds or ns
      --resolution         how fine times are
  -R, --rfc-email          as in mail: Mon, 14 Aug 2006 02:34:56 -0600
      --rfc-3339=FMT       date, seconds or ns
  -r, --reference=FILE     when FILE was changed last
  -s, --set=STRING         refused by the system
  -u, --utc, --universal   in UTC`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'd', Long: "date", Argument: getopt.Required}, {Key: dateKeyDebug, Long: "debug"}, {Key: 'f', Long: "file", Argument: getopt.Required},
			{Key: 'I', Long: "iso-8601", Argument: getopt.Optional}, {Key: 'r', Long: "reference", Argument: getopt.Required},
			{Key: dateKeyResolution, Long: "resolution"}, {Key: 'R', Long: "rfc-email"}, {Key: 'R', Long: "rfc-822"}, {Key: 'R', Long: "rfc-2822"},
			{Key: dateKeyRFC3339, Long: "rfc-3339", Argument: getopt.Required}, {Key: 's', Long: "set", Argument: getopt.Required},
			{Key: 'u', Long: "uct"}, {Key: 'u', Long: "utc"}, {Key: 'u', Long: "universal"},
		}},
		run: dateRun,
	}
}
