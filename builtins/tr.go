package builtins

import (
	"io"

	"github.com/vsh-project/vsh/internal/getopt"
	"github.com/vsh-project/vsh/internal/lines"
	"github.com/vsh-project/vsh/vfs"
)

// trCommand is one run of tr. Characters are bytes, as in GNU's.
type trCommand struct {
	*call
	complement, delete, squeeze, truncate bool
	translating                           bool
}

func trRun(c *call) error {
	t := &trCommand{call: c}
	operands, err := c.parse(func(p *getopt.Parser) error {
		switch p.Key {
		case 'c', 'C':
			t.complement = true
		case 'd':
			t.delete = true
		case 's':
			t.squeeze = true
		case 't':
			t.truncate = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := t.check(operands); err != nil {
		return err
	}
	t.translating = len(operands) == 2 && !t.delete
	set1, err := t.parseSet(operands[0])
	if err != nil {
		return err
	}
	var set2 *trSet
	if len(operands) == 2 {
		if set2, err = t.parseSet(operands[1]); err != nil {
			return err
		}
	}
	if err := t.validate(set1, set2); err != nil {
		return err
	}
	return t.copy(t.filter(set1, set2))
}

func (t *trCommand) check(operands []string) error {
	least, most := 1, 1
	if t.delete == t.squeeze {
		least = 2
	}
	if !t.delete || t.squeeze {
		most = 2
	}
	switch {
	case len(operands) == 0:
		return t.usageErrorf("missing operand")
	case len(operands) < least:
		hint := "Two strings must be given when translating."
		if t.squeeze {
			hint = "Two strings must be given when both deleting and squeezing repeats."
		}
		return t.usageErrorf("missing operand after %s\n%s", quote(operands[len(operands)-1]), hint)
	case len(operands) > most:
		hint := ""
		if len(operands) == 2 {
			hint = "\nOnly one string may be given when deleting without squeezing repeats."
		}
		return t.usageErrorf("extra operand %s%s", quote(operands[most]), hint)
	}
	return nil
}

// trFilter changes a block in place and returns what is left of it.
type trFilter func(block []byte) []byte

func (t *trCommand) filter(set1, set2 *trSet) trFilter {
	in1 := set1.members(t.complement)
	switch {
	case t.squeeze && set2 == nil:
		return trSqueezer(in1)
	case t.delete && set2 == nil:
		return trDeleter(in1)
	case t.delete:
		remove, squeeze := trDeleter(in1), trSqueezer(set2.members(false))
		return func(block []byte) []byte { return squeeze(remove(block)) }
	}
	table := t.table(set1, set2, in1)
	translate := func(block []byte) []byte {
		for i, c := range block {
			block[i] = table[c]
		}
		return block
	}
	if !t.squeeze {
		return translate
	}
	squeeze := trSqueezer(set2.members(false))
	return func(block []byte) []byte { return squeeze(translate(block)) }
}

func trDeleter(set *[256]bool) trFilter {
	return func(block []byte) []byte {
		kept := 0
		for _, c := range block {
			block[kept] = c
			if !set[c] {
				kept++
			}
		}
		return block[:kept]
	}
}

// trSqueezer keeps one of equal bytes in a row that are in set.
func trSqueezer(set *[256]bool) trFilter {
	last := -1
	return func(block []byte) []byte {
		kept := 0
		for _, c := range block {
			if int(c) == last && set[c] {
				continue
			}
			last = int(c)
			block[kept] = c
			kept++
		}
		return block[:kept]
	}
}

// table maps each byte to what it becomes.
func (t *trCommand) table(set1, set2 *trSet, in1 *[256]bool) *[256]byte {
	var table [256]byte
	for i := range table {
		table[i] = byte(i)
	}
	second := set2.cursor()
	if t.complement {
		for i := range table {
			if in1[i] {
				c, _ := second.next()
				if c < 0 {
					break
				}
				table[i] = byte(c)
			}
		}
		return &table
	}
	first := set1.cursor()
	for n := 0; ; n++ {
		// [c*n] may ask for more rounds than there is time for.
		if n&0xffff == 0xffff && t.ctx.Err() != nil {
			return &table
		}
		c1, case1 := first.next()
		c2, case2 := second.next()
		switch {
		case case1 == trLower && case2 == trUpper:
			for c := 'a'; c <= 'z'; c++ {
				table[c] = byte(c - 'a' + 'A')
			}
		case case1 == trUpper && case2 == trLower:
			for c := 'A'; c <= 'Z'; c++ {
				table[c] = byte(c - 'A' + 'a')
			}
		case c1 < 0 || c2 < 0:
			return &table
		default:
			table[c1] = byte(c2)
		}
		if case2 != trNoCase {
			first.skip()
			second.skip()
		}
	}
}

// copy passes standard input through filter.
func (t *trCommand) copy(filter trFilter) error {
	block := make([]byte, lines.BlockSize)
	for {
		n, err := t.Stdin.Read(block)
		if n > 0 {
			if out := filter(block[:n]); len(out) > 0 {
				if _, err := t.Stdout.Write(out); err != nil {
					return t.writeError(err)
				}
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if t.ends(err) {
				return err
			}
			return t.fatalf("read error: %s", vfs.Words(err))
		}
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
}

func trProgram(string) *program {
	return &program{
		usage: `tr [OPTION]... STRING1 [STRING2]
Copy standard input, each byte of STRING1 replaced by the one at its place in
STRING2.

  -c, -C, --complement     what is not in STRING1
  -d, --delete             delete the bytes of STRING1
  -s, --squeeze-repeats    keep one of equal bytes in a row, of the last string
  -t, --truncate-set1      do not lengthen STRING2 to the length of STRING1

In a string, \NNN is an octal byte, \\ \a \b \f \n \r \t \v are those of C,
A-Z is a range, [A*] in STRING2 fills it up with A, [A*N] is A N times,
[:alnum:] [:alpha:] [:blank:] [:cntrl:] [:digit:] [:graph:] [:lower:] [:print:]
[:punct:] [:space:] [:upper:] [:xdigit:] are classes, [=A=] is A.`,
		options: getopt.Spec{Order: getopt.Stop, Options: []getopt.Option{
			{Key: 'c', Long: "complement"}, {Key: 'd', Long: "delete"}, {Key: 's', Long: "squeeze-repeats"}, {Key: 't', Long: "truncate-set1"},
			{Key: 'A'}, {Key: 'C'},
		}},
		run: trRun,
	}
}
