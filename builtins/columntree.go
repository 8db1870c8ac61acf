package builtins

import (
	"fmt"
	"slices"
	"strings"
)

// grow orders the rows as a tree and draws its branches before the cells of
// -r; without a tree every row is at depth 0. A row whose parent is not there is
// a root.
func (k *columnCommand) grow() error {
	k.depths = make([]int, len(k.rows))
	if k.tree == "" || len(k.rows) == 0 {
		return nil
	}
	var at [3]int
	for i, name := range []string{k.tree, k.treeID, k.treeParent} {
		var err error
		if at[i], err = k.find(name); err != nil {
			return err
		}
	}
	cell := func(row []string, column int) string {
		if column < 0 || column >= len(row) {
			return ""
		}
		return row[column]
	}
	byID := make(map[string]int, len(k.rows))
	for i, row := range k.rows {
		if id := cell(row, at[1]); id != "" {
			if _, ok := byID[id]; !ok {
				byID[id] = i
			}
		}
	}
	type branch struct {
		row, depth int
		prefix     string // of its children
		last       bool
	}
	parents := make([]int, len(k.rows))
	for i, row := range k.rows {
		parent, ok := byID[cell(row, at[2])]
		if !ok {
			parent = -1
		}
		parents[i] = parent
	}
	columnCutCycles(parents)
	children := make([][]int, len(k.rows))
	var waiting []branch
	for i, parent := range slices.Backward(parents) {
		if parent < 0 {
			waiting = append(waiting, branch{row: i})
			continue
		}
		children[parent] = append(children[parent], i)
	}
	rows := make([][]string, 0, len(k.rows))
	k.depths = k.depths[:0]
	for len(waiting) > 0 {
		b := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		row, below := k.rows[b.row], b.prefix
		if b.depth > 0 {
			mark := "├─"
			below += "│ "
			if b.last {
				mark, below = "└─", b.prefix+"  "
			}
			if !k.json && at[0] >= 0 && at[0] < len(row) {
				row = slices.Clone(row)
				row[at[0]] = b.prefix + mark + row[at[0]]
			}
			cost := int64(2 * len(below))
			if err := k.Host().Charge(cost); err != nil {
				return err
			}
			k.charged += cost
		}
		rows, k.depths = append(rows, row), append(k.depths, b.depth)
		for i, child := range children[b.row] {
			waiting = append(waiting, branch{row: child, depth: b.depth + 1, prefix: below, last: i == 0})
		}
	}
	k.rows = rows
	return nil
}

// columnCutCycles makes a root in each circle of rows: the child of the last row.
func columnCutCycles(parents []int) {
	seen := make([]int, len(parents)) // the walk that came by
	for start := range parents {
		i := start
		for i >= 0 && seen[i] == 0 {
			seen[i] = start + 1
			i = parents[i]
		}
		if i < 0 || seen[i] != start+1 {
			continue
		}
		root := i
		for j := parents[i]; j != i; j = parents[j] {
			if parents[j] > parents[root] {
				root = j
			}
		}
		parents[root] = -1
	}
}

// printJSON prints the rows in the tree's order, an object each.
func (k *columnCommand) printJSON() error {
	indent := func(n int) string { return strings.Repeat(" ", n) }
	k.out.WriteString("{\n   " + columnQuote(strings.ToLower(k.tableName)) + ": [\n      {\n")
	for i, row := range k.rows {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		depth := k.depths[i]
		for j, c := range k.columns {
			if j > 0 {
				k.out.WriteString(",\n")
			}
			value := "null"
			if c.source < len(row) && row[c.source] != "" {
				value = columnQuote(row[c.source])
			}
			k.out.WriteString(indent(9+6*depth) + columnQuote(strings.ToLower(c.name)) + ": " + value)
		}
		next := -1
		if i+1 < len(k.rows) {
			next = k.depths[i+1]
		}
		if next > depth {
			k.out.WriteString(",\n" + indent(9+6*depth) + "\"children\": [\n" + indent(12+6*depth) + "{\n")
			continue
		}
		k.out.WriteString("\n" + indent(6+6*depth) + "}")
		for ; depth > max(next, 0); depth-- {
			k.out.WriteString("\n" + indent(3+6*depth) + "]\n" + indent(6*depth) + "}")
		}
		if next >= 0 {
			k.out.WriteString(",{\n")
		}
	}
	_, err := k.out.WriteString("\n   ]\n}\n")
	return err
}

func columnQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.Write([]byte{'\\', c})
		case c < ' ':
			if short := strings.IndexByte("\b\f\n\r\t", c); short >= 0 {
				b.Write([]byte{'\\', "bfnrt"[short]})
			} else {
				fmt.Fprintf(&b, "\\u%04x", c)
			}
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
