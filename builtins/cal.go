package builtins

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/shell/command"
)

// calCommand is one run of cal.
type calCommand struct {
	*call
	julian        bool // days of the year
	before, after int
	year          bool
	month         string
	date          string
	dated         bool
	one, three    bool
}

// statusCalUsage is the status of all its errors.
const statusCalUsage = 64

func calRun(c *call) error {
	k := &calCommand{call: c}
	spec := c.program.options
	p := getopt.New(&spec, c.Arguments)
	for p.Next() {
		switch p.Key {
		case '1':
			k.one, k.three, k.year = true, false, false
		case '3':
			k.one, k.three, k.year = false, true, false
		case 'A':
			k.after = calNumber(p.Value)
		case 'B':
			k.before = calNumber(p.Value)
		case 'd':
			k.date, k.dated = p.Value, true
		case 'j':
			k.julian = true
		case 'm':
			k.month = p.Value
		case 'y':
			k.one, k.three, k.year = false, false, true
		case 'C':
		case keyVersion:
			return c.showVersion()
		case keyHelp:
			return c.showHelp()
		default:
			return k.usage()
		}
	}
	if err := p.Err(); err != nil {
		c.warnf("%s", err)
		return k.usage()
	}
	return k.print(p.Operands())
}

// calNumber is atoi within bounds.
func calNumber(s string) int {
	n, _ := strconv.Atoi(s)
	return min(max(n, 0), calMostMonths)
}

// calMostMonths bounds -A and -B.
const calMostMonths = 12 * 9999

func (k *calCommand) usage() error {
	k.out.Flush()
	io.WriteString(k.Stderr, "Usage: "+k.program.usage+"\n")
	return command.ExitError(statusCalUsage)
}

func (k *calCommand) fail(format string, args ...any) error {
	k.warnf(format, args...)
	return command.ExitError(statusCalUsage)
}

func calMonthNames() []string {
	return strings.Fields("January February March April May June July August September October November December")
}

// calInteger reads the integer that text begins with, as atoi does, and gives
// what follows it.
func calInteger(text string) (n int, rest string) {
	digits := strings.TrimLeft(text, " \t\n\v\f\r")
	end := 0
	if digits != "" && (digits[0] == '+' || digits[0] == '-') {
		end = 1
	}
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	n, _ = strconv.Atoi(digits[:end])
	return n, digits[end:]
}

// monthNumber reads a number or a name, of which three letters count.
func (k *calCommand) monthNumber(text string) (int, error) {
	n, rest := calInteger(text)
	if rest != "" {
		n = 0
	}
	for i, name := range calMonthNames() {
		if len(text) >= 3 && strings.EqualFold(name[:3], text[:3]) {
			n = i + 1
		}
	}
	if n < 1 || n > 12 {
		return 0, k.fail("%s is neither a month number (1..12) nor a name", text)
	}
	return n, nil
}

func (k *calCommand) print(operands []string) error {
	now := k.Host().Now().In(k.location())
	year, month := now.Year(), int(now.Month())
	if k.dated {
		// The month stands from the sixth character on, and is added up.
		year, _ = calInteger(k.date)
		month, _ = calInteger(k.date[min(5, len(k.date)):])
		if year < 1 || year > 9999 {
			return k.fail("year `%d' not in range 1..9999", year)
		}
		total := max(0, year*12+min(max(month, -calMostMonths), calMostMonths)-1)
		year, month = total/12, total%12+1
	}
	name := k.month
	switch len(operands) {
	case 0:
	case 2:
		name = operands[0]
		fallthrough
	case 1:
		text := operands[len(operands)-1]
		n, err := strconv.Atoi(text)
		if err != nil && text != "" {
			return k.fail("not a valid year %s", text)
		}
		if n < 1 || n > 9999 {
			return k.fail("year `%s' not in range 1..9999", text)
		}
		year = n
		if k.month == "" && len(operands) == 1 {
			k.year = true
		}
	default:
		return k.usage()
	}
	if name != "" || len(operands) == 2 {
		n, err := k.monthNumber(name)
		if err != nil {
			return err
		}
		month = n
	}
	if k.year && len(operands) == 1 && k.month == "" && (k.one || k.three) {
		option := "-1"
		if k.three {
			option = "-3"
		}
		return k.fail("%s together with a given year but no given month is not supported.", option)
	}
	first, count := year*12+month-1-k.before, k.before+k.after+1
	switch {
	case k.three:
		first, count = first-1, count+2
	case k.year:
		if first, count = year*12-k.before, 12+k.before; k.after > 0 {
			count = k.before + k.after + 1
		}
	}
	return k.months(first, count)
}

// months prints months, counted from year 0, in rows.
func (k *calCommand) months(first, count int) error {
	row, width, cell := 3, 20, 3
	if k.julian {
		row, width, cell = 2, 27, 4
	}
	names := calMonthNames()
	heads := first%row == 0 && count >= row
	last := -1
	for ; count > 0; first, count = first+row, count-row {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		n := min(row, count)
		if last >= 0 {
			k.out.WriteByte('\n')
		}
		if year := first / 12; heads && year != last {
			k.out.WriteString(calCentre(strconv.Itoa(year), row*width, false) + "\n")
		}
		last = first / 12
		var lines [8]strings.Builder
		for i := range n {
			m := first + i
			title := names[m%12]
			if !heads {
				title += " " + strconv.Itoa(m/12)
			}
			lines[0].WriteString(calCentre(title, width, true) + "  ")
			for _, day := range strings.Fields("Su Mo Tu We Th Fr Sa") {
				fmt.Fprintf(&lines[1], "%*s ", cell-1, day)
			}
			lines[1].WriteByte(' ')
			for week, days := range k.weeks(m/12, m%12+1) {
				for _, day := range days {
					if day == 0 {
						fmt.Fprintf(&lines[week+2], "%*s", cell, "")
					} else {
						fmt.Fprintf(&lines[week+2], "%*d ", cell-1, day)
					}
				}
				lines[week+2].WriteByte(' ')
			}
		}
		for i := range lines {
			if _, err := k.out.WriteString(lines[i].String() + "\n"); err != nil {
				return k.writeError(err)
			}
		}
	}
	return nil
}

func calCentre(text string, width int, fill bool) string {
	left := max(0, width-len(text)) / 2
	text = strings.Repeat(" ", left) + text
	if fill {
		text += strings.Repeat(" ", max(0, width-len(text)))
	}
	return text
}

// calReform is the last day of the Julian calendar, 2 September 1752, counted
// by calDay.
const calReform = 2361221

// calDay counts days; the day of the week is its remainder by 7, 6 for Sunday.
func calDay(year, month, day int) int {
	a := (14 - month) / 12
	y, m := year+4800-a, month+12*a-3
	days := day + (153*m+2)/5 + 365*y + y/4
	if gregorian := days - y/100 + y/400 - 32045; gregorian > calReform {
		return gregorian
	}
	return days - 32083
}

// weeks are the days of a month by week and day of the week, 0 for none.
func (k *calCommand) weeks(year, month int) (weeks [6][7]int) {
	week, start := 0, calDay(year, 1, 1)
	for day := 1; ; day++ {
		n := calDay(year, month, day)
		if calLength(year, month) < day {
			return weeks
		}
		if year == 1752 && month == 9 && day > 2 && day < 14 {
			continue
		}
		column := (n + 1) % 7
		shown := day
		if k.julian {
			shown = n - start + 1
		}
		weeks[week][column] = shown
		if column == 6 {
			week++
		}
	}
}

func calLength(year, month int) int {
	leap := year%4 == 0 && (year <= 1752 || year%100 != 0 || year%400 == 0)
	switch {
	case month == 2 && leap:
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

func calProgram(string) *program {
	return &program{
		output: outputStyle{unchecked: true},
		noHelp: true,
		usage: `cal [OPTION]... [[MONTH] YEAR]
Print a calendar of the month, of the one given, or of a year.

  -1        one month        -3  the month before and after too
  -A N      N months after   -B N  N months before
  -d YYYY-MM  as if it were that month
  -j        days of the year
  -m MONTH  that month
  -y        the year
  --help  --version`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: '1'}, {Key: '3'}, {Key: 'A', Argument: getopt.Required}, {Key: 'B', Argument: getopt.Required}, {Key: 'C'},
			{Key: 'd', Argument: getopt.Required}, {Key: 'h'}, {Key: 'j'}, {Key: 'm', Argument: getopt.Required}, {Key: 'y'},
			{Key: keyHelp, Long: "help"}, {Key: keyVersion, Long: "version"},
		}},
		run: calRun,
	}
}
