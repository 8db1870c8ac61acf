package builtins

import (
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/dateparse"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

const touchTime = 1000

// touchCommand is one run of touch.
type touchCommand struct {
	*call
	access, modify bool
	noCreate       bool
	noDereference  bool
	atime, mtime   time.Time
}

func touchRun(c *call) error {
	t := &touchCommand{call: c}
	date, reference, stamp := "", "", ""
	hasDate, hasReference, hasStamp := false, false, false
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'a':
			t.access = true
		case 'c':
			t.noCreate = true
		case 'd':
			date, hasDate = p.Value, true
		case 'h':
			t.noDereference = true
		case 'm':
			t.modify = true
		case 'r':
			reference, hasReference = p.Value, true
		case 't':
			stamp, hasStamp = p.Value, true
		case touchTime:
			i, err := c.argumentMatch("--time", p.Value, []string{"atime", "access", "use", "mtime", "modify"}, []int{0, 0, 0, 1, 1})
			if err != nil {
				return err
			}
			t.access, t.modify = t.access || i < 3, t.modify || i >= 3
		}
		return nil
	})
	if err != nil {
		return err
	}
	if hasStamp && (hasDate || hasReference) {
		return c.usageErrorf("cannot specify times from more than one source")
	}
	if !t.access && !t.modify {
		t.access, t.modify = true, true
	}
	now := c.Host().Now().In(c.location())
	t.atime, t.mtime = now, now
	if hasReference {
		stat := c.View().Stat
		if t.noDereference {
			stat = c.View().Lstat
		}
		info, err := stat(c.ctx, reference)
		if err != nil {
			return c.fatalf("failed to get attributes of %s: %s", quoteName(reference), vfs.Words(err))
		}
		t.atime, t.mtime = info.Accessed.In(now.Location()), info.Modified.In(now.Location())
	}
	ok := true
	switch {
	case hasDate:
		var okModify bool
		if t.atime, ok = dateparse.Parse(date, t.atime, strftime.Zone); ok {
			t.mtime, okModify = dateparse.Parse(date, t.mtime, strftime.Zone)
			ok = okModify
		}
		stamp = date
	case hasStamp:
		t.atime, ok = touchStamp(stamp, now)
		t.mtime = t.atime
	case !hasReference && len(operands) >= 2:
		operands, err = t.obsolete(operands, now)
	}
	if !ok {
		return c.fatalf("invalid date format %s", quote(stamp))
	}
	if err != nil {
		return err
	}
	if len(operands) == 0 {
		return c.usageErrorf("missing file operand")
	}
	for _, name := range operands {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		t.one(name)
	}
	return nil
}

// obsolete takes a first operand of eight or ten digits for a time, where
// _POSIX2_VERSION asks for that.
func (t *touchCommand) obsolete(operands []string, now time.Time) ([]string, error) {
	version, _ := t.Getenv("_POSIX2_VERSION")
	if n, err := strconv.Atoi(version); err != nil || n >= 200112 {
		return operands, nil
	}
	stamp := operands[0]
	if len(stamp) == 10 {
		stamp = stamp[8:] + stamp[:8] // the year comes last there
	}
	at, ok := touchStamp(stamp, now)
	if !ok {
		return operands, nil
	}
	t.atime, t.mtime = at, at
	return operands[1:], nil
}

// touchStamp reads [[CC]YY]MMDDhhmm[.ss].
func touchStamp(s string, now time.Time) (time.Time, bool) {
	digits, seconds, hasSeconds := strings.Cut(s, ".")
	if hasSeconds && len(seconds) != 2 {
		return time.Time{}, false
	}
	whole := digits + seconds
	if strings.Trim(whole, "0123456789") != "" || len(digits)%2 != 0 || len(digits) < 8 || len(digits) > 12 {
		return time.Time{}, false
	}
	pair := func(i int) int {
		n, _ := strconv.Atoi(digits[i : i+2])
		return n
	}
	year := now.Year()
	switch len(digits) {
	case 10:
		if year = 1900 + pair(0); year < 1969 {
			year += 100
		}
	case 12:
		year = pair(0)*100 + pair(2)
	}
	rest := len(digits) - 8
	month, day, hour, minute, second := pair(rest), pair(rest+2), pair(rest+4), pair(rest+6), 0
	if hasSeconds {
		second, _ = strconv.Atoi(seconds)
	}
	at := time.Date(year, time.Month(month), day, hour, minute, second, 0, now.Location())
	// A leap second is the next minute's first.
	exact := at.Second() == second || second == 60 && at.Second() == 0
	if second == 60 {
		minute = at.Minute()
	}
	if at.Year() != year || int(at.Month()) != month || at.Day() != day || at.Hour() != hour || at.Minute() != minute || !exact {
		return time.Time{}, false
	}
	return at, true
}

func (t *touchCommand) one(name string) {
	if name == "-" {
		name = "/dev/stdout"
	}
	view := t.View()
	var opened error
	if _, err := view.Stat(t.ctx, name); err != nil && !t.noCreate && !t.noDereference {
		f, err := view.Open(t.ctx, name, vfs.O_WRONLY|vfs.O_CREATE, 0o666)
		if err == nil {
			f.Close()
		}
		opened = err
	}
	atime, mtime := t.atime, t.mtime
	if !t.access {
		atime = time.Time{}
	}
	if !t.modify {
		mtime = time.Time{}
	}
	err := view.Chtimes(t.ctx, name, atime, mtime, !t.noDereference)
	errno := vfs.Errno(opened)
	switch {
	case err == nil || t.ctx.Err() != nil:
	case opened != nil && errno != vfs.EISDIR && errno != vfs.EPERM && errno != vfs.EINVAL:
		t.errorf("cannot touch %s: %s", quoteName(name), vfs.Words(opened))
	case vfs.Errno(err) == vfs.ENOENT && t.noCreate:
	default:
		t.errorf("setting times of %s: %s", quoteName(name), vfs.Words(err))
	}
}

func touchProgram(string) *program {
	return &program{
		usage: `touch [OPTION]... FILE...
Set the times of each FILE to now; a missing FILE is made.

  -a                      only the access time
  -c, --no-create         make no files
  -d, --date=STRING       use the date STRING instead of now
  -f                      accepted
  -h, --no-dereference    a link itself rather than what it leads to
  -m                      only the modification time
  -r, --reference=FILE    use FILE's times
  -t [[CC]YY]MMDDhhmm[.ss]  use this time
      --time=WORD         access, atime, use: as -a; modify, mtime: as -m`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: touchTime, Long: "time", Argument: getopt.Required}, {Key: 'c', Long: "no-create"}, {Key: 'd', Long: "date", Argument: getopt.Required},
			{Key: 'r', Long: "reference", Argument: getopt.Required}, {Key: 'h', Long: "no-dereference"}, {Key: 'a'}, {Key: 'f'}, {Key: 'm'},
			{Key: 't', Argument: getopt.Required},
		}},
		run: touchRun,
	}
}
