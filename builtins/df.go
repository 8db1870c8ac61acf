package builtins

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/human"
	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/width"
	"github.com/vsh-project/vsh/vfs"
)

const (
	dfOutput = 1000 + iota
	dfSync
	dfNoSync
	dfTotal
)

// dfSource is what every storage is called: there is no device behind it.
const dfSource = "vsh"

// dfCommand is one run of df.
type dfCommand struct {
	*call
	options       human.Options
	unit          uint64
	inodes, posix bool
	types, total  bool
	fields        []string
	only, without []string
}

func dfRun(c *call) error {
	d := &dfCommand{call: c, unit: 1024}
	d.environment()
	operands, err := c.parse(d.option)
	if err != nil {
		return err
	}
	if d.fields != nil && (d.inodes || d.posix || d.types) {
		option := "-i"
		if d.posix {
			option = "-P"
		} else if d.types {
			option = "-T"
		}
		return c.usageErrorf("options %s and %s are mutually exclusive", option, "--output")
	}
	for _, name := range d.only {
		if slices.Contains(d.without, name) {
			return c.fatalf("file system type %s both selected and excluded", quote(name))
		}
	}
	return d.show(operands)
}

func (d *dfCommand) environment() {
	for _, name := range [...]string{"DF_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"} {
		if value, ok := d.Getenv(name); ok {
			if options, size, fault := human.BlockSize(value); fault == human.Fine {
				d.options, d.unit = options, size
			}
			return
		}
	}
	if _, ok := d.Getenv("POSIXLY_CORRECT"); ok {
		d.unit = 512
	}
}

func (d *dfCommand) option(p *getopt.Parser) error {
	var err error
	switch p.Key {
	case 'B':
		d.options, d.unit, err = d.blockSize(p.Typed, p.Value)
	case 'h':
		d.options, d.unit = human.Human, 1
	case 'H':
		d.options, d.unit = human.SI, 1
	case 'i':
		d.inodes = true
	case 'k':
		d.options, d.unit = 0, 1<<10
	case 'm':
		d.options, d.unit = 0, 1<<20
	case 'P':
		d.posix = true
	case 't':
		d.only = append(d.only, p.Value)
	case 'T':
		d.types = true
	case 'x':
		d.without = append(d.without, p.Value)
	case dfTotal:
		d.total = true
	case dfOutput:
		return d.setOutput(p)
	}
	return err
}

func (d *dfCommand) setOutput(p *getopt.Parser) error {
	known := []string{"source", "fstype", "itotal", "iused", "iavail", "ipcent", "size", "used", "avail", "pcent", "file", "target"}
	if !p.HasValue {
		d.fields = known
		return nil
	}
	for name := range strings.SplitSeq(p.Value, ",") {
		if !slices.Contains(known, name) {
			return d.usageErrorf("option --output: field %s unknown", quote(name))
		}
		if slices.Contains(d.fields, name) {
			return d.usageErrorf("option --output: field %s used more than once", quote(name))
		}
		d.fields = append(d.fields, name)
	}
	return nil
}

// columns are the fields to show.
func (d *dfCommand) columns() []string {
	if d.fields != nil {
		return d.fields
	}
	columns := []string{"source"}
	if d.types {
		columns = append(columns, "fstype")
	}
	if d.inodes {
		return append(columns, "itotal", "iused", "iavail", "ipcent", "target")
	}
	return append(columns, "size", "used", "avail", "pcent", "target")
}

func (d *dfCommand) header(field string) string {
	scaled := d.options&human.Autoscale != 0
	switch field {
	case "source":
		return "Filesystem"
	case "fstype":
		return "Type"
	case "itotal":
		return "Inodes"
	case "iused":
		return "IUsed"
	case "iavail":
		return "IFree"
	case "ipcent":
		return "IUse%"
	case "used":
		return "Used"
	case "file":
		return "File"
	case "target":
		return "Mounted on"
	case "pcent":
		if d.posix {
			return "Capacity"
		}
		return "Use%"
	case "avail":
		if scaled {
			return "Avail"
		}
		return "Available"
	}
	switch {
	case scaled:
		return "Size"
	case d.posix:
		return strconv.FormatUint(d.unit, 10) + "-blocks"
	}
	// The unit in the powers that divide it best: 1K, 1kB, 1000.
	options := human.Options(human.Suffix | human.SuppressPointZero | human.Autoscale)
	if d.unit%1000 != 0 || d.unit%1024 == 0 {
		options |= human.Base1024
	} else {
		options |= human.B
	}
	return human.Format(d.unit, options, 1, 1) + "-blocks"
}

func (d *dfCommand) cell(field, name, mount string, u *vfs.Usage) string {
	percent := func(total, free uint64) string {
		if total == 0 {
			return "-"
		}
		used := total - min(free, total)
		n := used / total * 100
		n += (used%total*100 + total - 1) / total
		return strconv.FormatUint(n, 10) + "%"
	}
	count := func(n uint64) string {
		if d.options&human.Autoscale != 0 {
			return human.Format(n, d.options, 1, 1)
		}
		return strconv.FormatUint(n, 10)
	}
	size := func(n uint64) string { return human.Format(n, d.options, 1, d.unit) }
	switch field {
	case "source":
		if mount == "-" {
			return "total"
		}
		return dfSource
	case "fstype":
		if mount == "-" {
			return "-"
		}
		return findStorageType
	case "itotal":
		return count(u.Inodes)
	case "iused":
		return count(u.Inodes - min(u.FreeInodes, u.Inodes))
	case "iavail":
		return count(u.FreeInodes)
	case "ipcent":
		return percent(u.Inodes, u.FreeInodes)
	case "size":
		return size(u.Bytes)
	case "used":
		return size(u.Bytes - min(u.FreeBytes, u.Bytes))
	case "avail":
		return size(u.FreeBytes)
	case "pcent":
		return percent(u.Bytes, u.FreeBytes)
	case "file":
		return name
	}
	return mount
}

func (d *dfCommand) show(operands []string) error {
	listed := len(operands) > 0
	if !listed {
		operands = []string{d.Host().MountPoint(), "/tmp"}
	}
	columns := d.columns()
	row := make([]string, len(columns))
	for i, field := range columns {
		row[i] = d.header(field)
	}
	rows := [][]string{row}
	var sum vfs.Usage
	for _, name := range operands {
		usage, err := d.View().Statfs(d.ctx, name)
		if err != nil {
			if d.ends(err) {
				return err
			}
			d.errorf("%s: %s", quoteFile(name), vfs.Words(err))
			continue
		}
		if len(d.only) > 0 && !slices.Contains(d.only, findStorageType) || slices.Contains(d.without, findStorageType) {
			continue
		}
		mount, file := d.mountOf(name), name
		if !listed {
			file = "-"
		}
		row := make([]string, len(columns))
		for i, field := range columns {
			row[i] = d.cell(field, file, mount, usage)
		}
		rows = append(rows, row)
		sum.Bytes += usage.Bytes
		sum.FreeBytes += usage.FreeBytes
		sum.Inodes += usage.Inodes
		sum.FreeInodes += usage.FreeInodes
	}
	if len(rows) == 1 {
		if d.status == 0 {
			return d.fatalf("no file systems processed")
		}
		return nil
	}
	if d.total {
		row := make([]string, len(columns))
		for i, field := range columns {
			row[i] = d.cell(field, "-", "-", &sum)
		}
		rows = append(rows, row)
	}
	d.print(columns, rows)
	return nil
}

// mountOf is the topmost directory above a file that is on its device.
func (d *dfCommand) mountOf(name string) string {
	info, err := d.View().Stat(d.ctx, name)
	if err != nil {
		return "/"
	}
	return (&statCommand{call: d.call}).mountPoint(name, info)
}

func (d *dfCommand) print(columns []string, rows [][]string) {
	widths := make([]int, len(columns))
	for i, field := range columns {
		switch field {
		case "source":
			widths[i] = 14
		case "fstype", "ipcent", "pcent":
			widths[i] = 4
		case "file", "target":
		default:
			widths[i] = 5
		}
		for _, row := range rows {
			widths[i] = max(widths[i], width.String(row[i]))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				d.out.WriteByte(' ')
			}
			fill := strings.Repeat(" ", widths[i]-width.String(cell))
			left := slices.Contains([]string{"source", "fstype", "file", "target"}, columns[i])
			if !left {
				d.out.WriteString(fill)
			}
			d.out.WriteString(cell)
			if left && i < len(row)-1 {
				d.out.WriteString(fill)
			}
		}
		d.out.WriteByte('\n')
	}
}

func dfProgram(string) *program {
	return &program{
		usage: `df [OPTION]... [FILE]...
Show the space of the storage that holds each FILE, or of the workspace and
/tmp.

  -a, --all, -l, --local, --sync, --no-sync  accepted
  -B, --block-size=SIZE  count in units of SIZE
  -h, --human-readable, -H, --si  sizes with units
  -i, --inodes           files rather than space
  -k, -m                 units of 1K, 1M
      --output[=LIST]    these fields: source fstype itotal iused iavail ipcent size
                         used avail pcent file target
  -P, --portability      POSIX's headers
  -t, --type=TYPE, -x, --exclude-type=TYPE  only, or not, of this type
  -T, --print-type       show the type
      --total            a total at the end`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: 'a', Long: "all"}, {Key: 'B', Long: "block-size", Argument: getopt.Required}, {Key: 'i', Long: "inodes"}, {Key: 'h', Long: "human-readable"},
			{Key: 'H', Long: "si"}, {Key: 'k'}, {Key: 'l', Long: "local"}, {Key: 'm'}, {Key: dfOutput, Long: "output", Argument: getopt.Optional},
			{Key: 'P', Long: "portability"}, {Key: 'T', Long: "print-type"}, {Key: dfSync, Long: "sync"}, {Key: dfNoSync, Long: "no-sync"},
			{Key: dfTotal, Long: "total"}, {Key: 't', Long: "type", Argument: getopt.Required}, {Key: 'v'}, {Key: 'x', Long: "exclude-type", Argument: getopt.Required},
		}},
		run: dfRun,
	}
}
