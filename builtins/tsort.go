package builtins

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/shell/command"
)

// tsortItem is one string and what must follow it.
type tsortItem struct {
	text       string
	before     int // relations in which it stands second
	successors []*tsortItem
	printed    bool
	link       *tsortItem // the next of a loop being traced
}

// tsortCommand is one run of tsort: Knuth's algorithm T (TAOCP 2.2.3), each
// scan in the strings' order.
type tsortCommand struct {
	*call
	items   map[string]*tsortItem
	sorted  []*tsortItem
	pending *tsortItem // the first of a pair
	charged int64
}

func tsortRun(c *call) error {
	t := &tsortCommand{call: c, items: map[string]*tsortItem{}}
	operands, err := c.parse(nil)
	if err != nil {
		return err
	}
	name := "-"
	if len(operands) > 1 {
		return c.usageErrorf("extra operand %s", quote(operands[1]))
	} else if len(operands) == 1 {
		name = operands[0]
	}
	r, done, err := c.open(name)
	if err == nil {
		defer func() { c.Host().Release(t.charged) }()
		err = t.read(r)
		done()
	}
	if err != nil {
		if c.ends(err) {
			return err
		}
		c.fileError(name, err)
		return command.ExitError(c.trouble())
	}
	if t.pending != nil {
		return c.fatalf("%s: input contains an odd number of tokens", quoteFile(name))
	}
	for _, item := range t.items {
		t.sorted = append(t.sorted, item)
	}
	slices.SortFunc(t.sorted, func(a, b *tsortItem) int { return strings.Compare(a.text, b.text) })
	return t.sort(quoteFile(name))
}

func (t *tsortCommand) read(r io.Reader) error {
	in := lines.NewReader(r, t.Host())
	defer in.Close()
	for {
		block, err := in.Block()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = t.ctx.Err()
		}
		if err != nil {
			return err
		}
		for {
			block = bytes.TrimLeft(block, " \t\n")
			if len(block) == 0 {
				break
			}
			end := bytes.IndexAny(block, " \t\n")
			if end < 0 {
				end = len(block)
			}
			if err := t.token(block[:end]); err != nil {
				return err
			}
			block = block[end:]
		}
	}
}

func (t *tsortCommand) token(text []byte) error {
	item, cost := t.items[string(text)], int64(8)
	if item == nil {
		cost = int64(200 + len(text))
	}
	if err := t.Host().Charge(cost); err != nil {
		return err
	}
	t.charged += cost
	if item == nil {
		item = &tsortItem{text: string(text)}
		t.items[item.text] = item
	}
	if t.pending == nil {
		t.pending = item
		return nil
	}
	if t.pending != item {
		item.before++
		t.pending.successors = append(t.pending.successors, item)
	}
	t.pending = nil
	return nil
}

func (t *tsortCommand) sort(name string) error {
	var queue []*tsortItem
	for left := len(t.sorted); left > 0; {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		queue = queue[:0]
		for _, item := range t.sorted {
			if item.before == 0 && !item.printed {
				queue = append(queue, item)
			}
		}
		for i := 0; i < len(queue); i++ {
			item := queue[i]
			if _, err := t.out.WriteString(item.text + "\n"); err != nil {
				return t.writeError(err)
			}
			item.printed = true
			left--
			// The relation read last goes first.
			for _, next := range slices.Backward(item.successors) {
				if next.before--; next.before == 0 {
					queue = append(queue, next)
				}
			}
		}
		if left == 0 {
			return nil
		}
		t.errorf("%s: input contains a loop:", name)
		if err := t.breakLoop(); err != nil {
			return err
		}
	}
	return nil
}

// breakLoop walks over the items, again and again, from an item to one that
// precedes it, until it comes upon one it has seen; it prints that loop and
// forgets one of its relations.
func (t *tsortCommand) breakLoop() error {
	var loop *tsortItem
	for {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		for _, item := range t.sorted {
			if item.before == 0 {
				continue
			}
			if loop == nil {
				loop = item
				continue
			}
			i := tsortLast(item.successors, loop)
			if i < 0 {
				continue
			}
			if item.link == nil {
				item.link, loop = loop, item
				continue
			}
			for loop != nil {
				t.warnf("%s", loop.text)
				if loop == item {
					item.successors[i].before--
					item.successors = slices.Delete(item.successors, i, i+1)
					break
				}
				loop.link, loop = nil, loop.link
			}
			for loop != nil {
				loop.link, loop = nil, loop.link
			}
			return nil
		}
	}
}

func tsortLast(items []*tsortItem, wanted *tsortItem) int {
	for i, item := range slices.Backward(items) {
		if item == wanted {
			return i
		}
	}
	return -1
}

func tsortProgram(string) *program {
	return &program{
		stdinClosed: "standard input",
		usage: `tsort [FILE]
Read pairs of strings, each saying that the first stands before the second, from
FILE, or from standard input for none or "-", and print an order that holds.`,
		run: tsortRun,
	}
}
