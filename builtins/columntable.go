package builtins

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/internal/width"
)

// find is the index of the column that a name or number names; -1 for a number
// without column.
func (k *columnCommand) find(name string) (int, error) {
	if i := slices.Index(k.names, name); i >= 0 {
		return i, nil
	}
	n, err := strconv.ParseUint(name, 10, 32)
	if err != nil {
		return 0, k.fatalf("undefined column name '%s'", name)
	}
	if n == 0 || n > uint64(len(k.columns)) {
		return -1, nil
	}
	return int(n) - 1, nil
}

// each calls visit for the columns that an option's list names.
func (k *columnCommand) each(list string, visit func(i int)) error {
	if list == "" {
		return nil
	}
	if list == "0" {
		for i := range k.columns {
			visit(i)
		}
		return nil
	}
	for _, name := range strings.Split(list, ",") {
		i, err := k.find(name)
		if err != nil {
			return err
		}
		if i >= 0 {
			visit(i)
		}
	}
	return nil
}

// arrange makes the columns and gives them what the options say.
func (k *columnCommand) arrange() error {
	count := len(k.names)
	for _, row := range k.rows {
		count = max(count, len(row))
	}
	k.columns = make([]columnColumn, count)
	for i := range k.columns {
		k.columns[i].source = i
		if i < len(k.names) {
			k.columns[i].name = k.names[i]
		}
	}
	var order []int
	for _, o := range []struct {
		list  string
		visit func(i int)
	}{
		{k.right, func(i int) { k.columns[i].right = true }},
		{k.truncate, func(i int) { k.columns[i].truncate = true }},
		{k.wrap, func(i int) { k.columns[i].wrap = true }},
		{k.noExtreme, func(i int) { k.columns[i].extreme = true }},
		{strings.TrimPrefix(strings.Replace(","+k.hidden, ",-", "", 1), ","), func(i int) { k.columns[i].hidden = true }},
		{k.order, func(i int) {
			if !slices.Contains(order, i) {
				order = append(order, i)
			}
		}},
	} {
		if err := k.each(o.list, o.visit); err != nil {
			return err
		}
	}
	if slices.Contains(strings.Split(k.hidden, ","), "-") {
		for i := range k.columns {
			k.columns[i].hidden = k.columns[i].hidden || k.columns[i].name == ""
		}
	}
	for i := range k.columns {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	sorted := make([]columnColumn, 0, count)
	for _, i := range order {
		if !k.columns[i].hidden {
			sorted = append(sorted, k.columns[i])
		}
	}
	if err := k.grow(); err != nil {
		return err
	}
	k.columns = sorted
	return nil
}

func (k *columnCommand) printTable() error {
	if len(k.rows) == 0 {
		return nil
	}
	if err := k.arrange(); err != nil {
		return err
	}
	if k.json {
		return k.printJSON()
	}
	header := k.named && !k.noHeadings
	for i := range k.columns {
		c := &k.columns[i]
		if header {
			c.width = width.String(c.name)
		}
		for _, row := range k.rows {
			if c.source < len(row) {
				c.width = max(c.width, width.String(row[c.source]))
			}
		}
	}
	if err := k.shrink(header); err != nil {
		return err
	}
	if header {
		k.printCells(k.names)
	}
	for _, row := range k.rows {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		k.printCells(row)
	}
	return nil
}

// shrink makes the columns that may be cut or broken narrower, the widest
// first, until the table fits.
func (k *columnCommand) shrink(header bool) error {
	if k.width == 0 || len(k.columns) == 0 {
		return nil
	}
	total := -width.String(k.outputSeparator)
	for i := range k.columns {
		total += k.columns[i].width + width.String(k.outputSeparator)
	}
	for excess := total - int(k.width); excess > 0; excess-- {
		var widest *columnColumn
		for i := range k.columns {
			c := &k.columns[i]
			if c.extreme {
				return k.fatalf("--table-noextreme is not supported for tables wider than %d columns", k.width)
			}
			least := 1
			if header {
				least = max(1, width.String(c.name))
			}
			if (c.truncate || c.wrap) && c.width > least && (widest == nil || c.width > widest.width) {
				widest = c
			}
		}
		if widest == nil {
			return nil
		}
		widest.width--
	}
	return nil
}

// printCells prints one row, on more lines than one where cells are broken.
func (k *columnCommand) printCells(row []string) {
	rest := make([]string, len(k.columns))
	for i := range k.columns {
		if s := k.columns[i].source; s < len(row) {
			rest[i] = row[s]
		}
	}
	for more := true; more; {
		more = false
		for i := range k.columns {
			c := &k.columns[i]
			text := rest[i]
			rest[i] = ""
			if c.truncate || c.wrap {
				fits := columnCut(text, c.width)
				if c.wrap && fits < len(text) {
					rest[i], more = text[fits:], true
				}
				text = text[:fits]
			}
			fill := max(0, c.width-width.String(text))
			if c.right && (text != "" || i < len(k.columns)-1) {
				k.out.WriteString(strings.Repeat(" ", fill))
				fill = 0
			}
			k.out.WriteString(text)
			if i < len(k.columns)-1 {
				k.out.WriteString(strings.Repeat(" ", fill) + k.outputSeparator)
			}
		}
		k.out.WriteByte('\n')
	}
}

// columnCut is how many bytes of text fit in so many columns, at least one character.
func columnCut(text string, columns int) int {
	used := 0
	for i, r := range text {
		if used += width.Rune(r); used > columns && i > 0 {
			return i
		}
	}
	return len(text)
}
