package builtins

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/internal/width"
	"github.com/vsh-project/vsh/vfs"
)

// columnCommand is one run of column.
type columnCommand struct {
	*call
	table, json, fillRows, keepEmpty bool
	width                            uint64 // 0: no limit
	separators                       string
	separated                        bool
	outputSeparator                  string
	limit                            uint64
	tableName                        string
	tableOption                      bool // one that needs -t was given

	names                           []string
	named, noHeadings               bool
	right, hidden, order, noExtreme string
	truncate, wrap                  string
	tree, treeID, treeParent        string
	texts                           []string
	rows                            [][]string
	charged                         int64
	columns                         []columnColumn
	depths                          []int // of rows in the tree
}

// columnColumn is one column of the table as it is printed.
type columnColumn struct {
	source                                 int // index in rows
	name                                   string
	width                                  int
	right, hidden, truncate, wrap, extreme bool
}

const (
	columnKeyTableEmpty = 256 + iota
	columnKeyColumns
)

func columnRun(c *call) error {
	k := &columnCommand{call: c, width: 80, outputSeparator: "  ", tableName: "table"}
	if text, ok := c.Getenv("COLUMNS"); ok {
		if n, status := parseNumber(text, ""); status == numberOK && n > 0 && n <= 1<<31-1 {
			k.width = n
		}
	}
	operands, err := c.parse(k.option)
	if err != nil {
		return err
	}
	switch {
	case k.tree != "" && (k.treeID == "" || k.treeParent == ""):
		return c.fatalf("options --tree-id and --tree-parent are required for tree formatting")
	case k.tree != "":
		k.table = true
	case k.tableOption && !k.table:
		return c.fatalf("option --table required for all --table-*")
	case k.json && !k.named:
		return c.fatalf("option --table-columns required for --json")
	}
	defer func() { c.Host().Release(k.charged) }()
	unread := false
	files := slices.Clone(operands)
	for i, name := range files {
		if name == "-" {
			files[i] = "./-"
		}
	}
	in := c.concatenate(files)
	// An operand "-" is a file's name; missing files are counted.
	missing := uint8(0)
	in.failed = func(name string, err error) {
		if len(operands) == 0 || errors.Is(err, vfs.EISDIR) {
			in.names = in.names[:1]
			unread = true
			c.errorf("read failed: %s", vfs.Words(err))
			return
		}
		missing++
		if name == "./-" {
			name = "-"
		}
		c.errorf("%s: %s", name, vfs.Words(err))
	}
	defer in.Close()
	if err := k.read(in); err != nil {
		return err
	}
	switch {
	case unread:
		return nil
	case len(k.texts) == 0 && !k.table:
		return exitWith(missing)
	case k.table:
		return k.printTable()
	case len(k.texts) > 0:
		k.printList()
	}
	return nil
}

func (k *columnCommand) option(p *getopt.Parser) error {
	if p.Key < 128 && strings.ContainsRune("ONEHRTWn", p.Key) {
		k.tableOption = true
	}
	switch {
	case p.Key == 'x' && k.json, p.Key == 'J' && k.fillRows:
		return k.fatalf("mutually exclusive arguments: --json --fillrows")
	case p.Key == 'x' && k.table, p.Key == 't' && k.fillRows:
		return k.fatalf("mutually exclusive arguments: --table --fillrows")
	}
	switch p.Key {
	case 'c', columnKeyColumns:
		n, err := k.columnNumber(p.Value, "columns")
		k.width = n
		return err
	case 'd':
		k.noHeadings = true
	case 'E':
		k.noExtreme = p.Value
	case 'h':
		return k.showHelp()
	case 'V':
		return k.showVersion()
	case 'H':
		k.hidden = p.Value
	case 'i':
		k.treeID = p.Value
	case 'J':
		k.json, k.table = true, true
	case 'L', columnKeyTableEmpty:
		k.keepEmpty = true
	case 'l':
		n, err := k.columnNumber(p.Value, "columns limit")
		if err == nil && n == 0 {
			err = k.fatalf("columns limit must be greater than zero")
		}
		k.limit = n
		return err
	case 'N':
		k.named, k.names = true, strings.FieldsFunc(p.Value, func(r rune) bool { return r == ',' })
	case 'n':
		k.tableName = p.Value
	case 'O':
		k.order = p.Value
	case 'o':
		k.outputSeparator = p.Value
	case 'p':
		k.treeParent = p.Value
	case 'R':
		k.right = p.Value
	case 'r':
		k.tree = p.Value
	case 's':
		k.separated, k.separators = true, p.Value
	case 'T':
		k.truncate = p.Value
	case 't':
		k.table = true
	case 'W':
		k.wrap = p.Value
	case 'x':
		k.fillRows = true
	}
	return nil
}

// columnNumber reads a 32-bit number as util-linux does.
func (c *call) columnNumber(s, what string) (uint64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, c.fatalf("invalid %s argument: '%s'", what, s)
	case err != nil || n < 0 || n > 1<<32-1:
		return 0, c.fatalf("invalid %s argument: '%s': Numerical result out of range", what, s)
	}
	return uint64(n), nil
}

// read keeps the lines that have text, as cells or whole.
func (k *columnCommand) read(r io.Reader) error {
	in := lines.NewReader(r, k.Host())
	defer in.Close()
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := k.ctx.Err(); err != nil {
			return err
		}
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if len(bytes.TrimSpace(line)) == 0 {
			if !k.keepEmpty {
				continue
			}
			line = nil
		}
		text := columnText(line)
		var cells []string
		if k.table {
			cells = k.split(text)
		}
		// A header a string, and what the cells point into.
		cost := int64(len(text) + 16*len(cells) + 48)
		if err := k.Host().Charge(cost); err != nil {
			return err
		}
		k.charged += cost
		if !k.table {
			k.texts = append(k.texts, text)
			continue
		}
		k.rows = append(k.rows, cells)
		if k.json && len(cells) > len(k.names) {
			return k.fatalf("line %d: for JSON the name of the column %d is required", len(k.rows)+1, len(k.names)+1)
		}
	}
}

// columnText writes bytes that are no UTF-8 as \xhh.
func columnText(line []byte) string {
	if utf8.Valid(line) {
		return string(line)
	}
	var b strings.Builder
	for len(line) > 0 {
		r, n := utf8.DecodeRune(line)
		if r == utf8.RuneError && n == 1 {
			const hex = "0123456789abcdef"
			b.Write([]byte{'\\', 'x', hex[line[0]>>4], hex[line[0]&15]})
		} else {
			b.Write(line[:n])
		}
		line = line[n:]
	}
	return b.String()
}

// split makes cells: at runs of blanks, or at each of the separators of -s.
func (k *columnCommand) split(text string) []string {
	var cells []string
	for text != "" {
		if k.limit > 0 && uint64(len(cells)) == k.limit-1 {
			return append(cells, text)
		}
		if !k.separated {
			trimmed := strings.TrimLeft(text, " \t")
			if trimmed == "" {
				return cells
			}
			text = trimmed
		}
		separators := " \t"
		if k.separated {
			separators = k.separators
		}
		end := strings.IndexAny(text, separators)
		if end < 0 {
			return append(cells, text)
		}
		cells = append(cells, text[:end])
		_, n := utf8.DecodeRuneInString(text[end:])
		if text = text[end+n:]; text == "" && k.separated {
			cells = append(cells, "")
		}
	}
	return cells
}

// printList fills the columns one after another, or the rows with -x.
func (k *columnCommand) printList() {
	limit, longest := int(k.width), 0
	for _, text := range k.texts {
		longest = max(longest, width.String(text))
	}
	longest = (longest + 8) &^ 7
	if longest >= limit {
		for _, text := range k.texts {
			k.out.WriteString(text + "\n")
		}
		return
	}
	across := max(1, limit/longest)
	if k.fillRows {
		for i := 0; i < len(k.texts); i += across {
			k.printRow(i, 1, min(across, len(k.texts)-i), longest)
		}
		return
	}
	down := (len(k.texts) + across - 1) / across
	for i := range down {
		k.printRow(i, down, across, longest)
	}
}

// printRow prints count texts from start on, step apart, with tabs between.
func (k *columnCommand) printRow(start, step, count, columnWidth int) {
	column, end := 0, columnWidth
	for i := start; i < len(k.texts) && count > 0; i, count = i+step, count-1 {
		if i > start {
			for next := (column + 8) &^ 7; next <= end; next = (column + 8) &^ 7 {
				k.out.WriteByte('\t')
				column = next
			}
			end += columnWidth
		}
		k.out.WriteString(k.texts[i])
		column += width.String(k.texts[i])
	}
	k.out.WriteByte('\n')
}

func columnProgram(string) *program {
	return &program{
		output: outputStyle{closedIsFine: true},
		usage: `column [OPTION]... [FILE]...
Arrange the lines of the files, or of standard input, in columns.

  -t, --table                      make a table of the cells in the lines
  -n, --table-name=NAME            the table's name in JSON (table)
  -O, --table-order=COLUMNS        the columns' order
  -N, --table-columns=NAMES        the columns' names, with commas between
  -l, --table-columns-limit=N      the last of N columns takes the rest
  -E, --table-noextreme=COLUMNS    long cells do not count for the width
  -d, --table-noheadings           print no names
  -e, --table-header-repeat        print the names on each page
  -H, --table-hide=COLUMNS         leave columns out
  -R, --table-right=COLUMNS        align to the right
  -T, --table-truncate=COLUMNS     shorten where the width asks for it
  -W, --table-wrap=COLUMNS         break where the width asks for it
  -L, --keep-empty-lines           keep lines without text
  -J, --json                       print the table as JSON
  -r, --tree=COLUMN                show this column as a tree
  -i, --tree-id=COLUMN             the line's name in the tree
  -p, --tree-parent=COLUMN         the name of the line above it
  -c, --output-width=WIDTH         columns of the output (80)
  -o, --output-separator=STRING    between the table's columns (two spaces)
  -s, --separator=CHARACTERS       between the cells of a line (blanks)
  -x, --fillrows                   fill rows before columns

COLUMNS are names or numbers, 0 for all.`,
		options: getopt.Spec{Options: []getopt.Option{
			{Key: columnKeyColumns, Long: "columns", Argument: getopt.Required}, {Key: 'J', Long: "json"}, {Key: 'x', Long: "fillrows"},
			{Key: 'o', Long: "output-separator", Argument: getopt.Required}, {Key: 'c', Long: "output-width", Argument: getopt.Required},
			{Key: 's', Long: "separator", Argument: getopt.Required}, {Key: 't', Long: "table"},
			{Key: 'N', Long: "table-columns", Argument: getopt.Required}, {Key: 'l', Long: "table-columns-limit", Argument: getopt.Required},
			{Key: 'H', Long: "table-hide", Argument: getopt.Required}, {Key: 'n', Long: "table-name", Argument: getopt.Required},
			{Key: 'E', Long: "table-noextreme", Argument: getopt.Required}, {Key: 'd', Long: "table-noheadings"},
			{Key: 'O', Long: "table-order", Argument: getopt.Required}, {Key: 'R', Long: "table-right", Argument: getopt.Required},
			{Key: 'T', Long: "table-truncate", Argument: getopt.Required}, {Key: 'W', Long: "table-wrap", Argument: getopt.Required},
			{Key: columnKeyTableEmpty, Long: "table-empty-lines"}, {Key: 'L', Long: "keep-empty-lines"},
			{Key: 'e', Long: "table-header-repeat"},
			{Key: 'r', Long: "tree", Argument: getopt.Required}, {Key: 'i', Long: "tree-id", Argument: getopt.Required},
			{Key: 'p', Long: "tree-parent", Argument: getopt.Required}, {Key: 'h'}, {Key: 'V'},
		}},
		run: columnRun,
	}
}
