package builtins

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vsh-project/vsh/internal/width"
)

// prCell is a line in its column; a cell without text of a file that has ended
// still has its place.
type prCell struct {
	text    []byte
	number  int64
	present bool
}

// readPage takes the lines of one page and arranges them in rows.
func (p *prCommand) readPage(sources []*prSource) ([][]prCell, error) {
	var charged int64
	defer func() { p.Host().Release(charged) }()
	take := func(s *prSource) (prCell, bool, error) {
		line, ok, err := s.next(p.noPages)
		if !ok || err != nil {
			return prCell{}, false, err
		}
		cost := int64(len(line)) + 64
		if err := p.Host().Charge(cost); err != nil {
			return prCell{}, false, err
		}
		charged += cost
		cell := prCell{text: bytes.Clone(line), number: p.line, present: true}
		if !p.merge {
			p.line++
		}
		return cell, true, nil
	}
	var rows [][]prCell
	if p.merge {
		for len(rows) < p.body {
			row, any := make([]prCell, len(sources)), false
			for i, s := range sources {
				cell, ok, err := take(s)
				if err != nil {
					return nil, err
				}
				row[i], any = cell, any || ok
			}
			if !any {
				break
			}
			row[0].number = p.line
			p.line++
			rows = append(rows, row)
		}
		return rows, nil
	}
	var cells []prCell
	// Without columns a page is no more than what fills a block, so that -l
	// cannot make it large.
	for len(cells) < p.body*p.columns && len(cells) < 1<<20 {
		cell, ok, err := take(sources[0])
		if err != nil {
			return nil, err
		}
		if !ok {
			if sources[0].feed && len(cells) == 0 {
				// A page of its own, without text.
				return [][]prCell{{}}, nil
			}
			break
		}
		cells = append(cells, cell)
	}
	if p.across || p.columns == 1 {
		for len(cells) > 0 {
			n := min(p.columns, len(cells))
			rows = append(rows, cells[:n])
			cells = cells[n:]
		}
		return rows, nil
	}
	height, extra := p.body, 0
	if len(cells) < p.body*p.columns {
		height, extra = len(cells)/p.columns, len(cells)%p.columns
	}
	for column := 0; len(cells) > 0; column++ {
		n := height
		if column < extra {
			n++
		}
		for i, cell := range cells[:n] {
			if column == 0 {
				rows = append(rows, nil)
			}
			rows[i] = append(rows[i], cell)
		}
		cells = cells[n:]
	}
	return rows, nil
}

func (p *prCommand) printPage(rows [][]prCell, date, title string) error {
	if !p.bare {
		page := "Page " + strconv.FormatUint(p.page, 10)
		room := max(0, p.width-width.String(date)-width.String(title)-width.String(page))
		margin := strings.Repeat(" ", p.margin)
		if _, err := fmt.Fprintf(p.out, "%s\n\n%s%s%s%s%s%s\n\n\n", margin, margin, date, strings.Repeat(" ", room/2), title, strings.Repeat(" ", room-room/2), page); err != nil {
			return err
		}
	}
	printed := 0
	for _, row := range rows {
		p.printRow(row)
		end := "\n"
		if printed++; p.double {
			end = "\n\n"
		}
		p.row.text = append(p.row.text, end...)
		if _, err := p.out.Write(p.row.text); err != nil {
			return err
		}
	}
	switch {
	case p.bare:
		return nil
	case p.formFeed:
		return p.out.WriteByte('\f')
	}
	if p.double {
		printed *= 2
	}
	for n := max(0, p.length-10-printed) + 5; n > 0; n-- {
		if err := p.out.WriteByte('\n'); err != nil {
			return err
		}
		if n&0xffff == 0 {
			if err := p.ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// prRow builds a line of output. Blanks wait, to become tabs.
type prRow struct {
	text   []byte
	column int
	blanks int
}

func (p *prCommand) blank() {
	if p.tabify {
		p.row.blanks++
		return
	}
	p.row.text = append(p.row.text, ' ')
	p.row.column++
}

// settleBlanks writes the blanks that wait.
func (p *prCommand) settleBlanks() {
	r := &p.row
	goal := r.column + r.blanks
	for goal-r.column > 1 {
		next := r.column - r.column%p.tabSize + p.tabSize
		if next > goal {
			break
		}
		r.text = append(r.text, p.tabifyTab)
		r.column = next
	}
	for ; r.column < goal; r.column++ {
		r.text = append(r.text, ' ')
	}
	r.blanks = 0
}

func (p *prCommand) put(s []byte, columns int) {
	p.settleBlanks()
	p.row.text = append(p.row.text, s...)
	p.row.column += columns
}

func (p *prCommand) padTo(column int) {
	for p.row.column+p.row.blanks < column {
		p.blank()
	}
}

func (p *prCommand) printRow(row []prCell) {
	p.row.text, p.row.column, p.row.blanks = p.row.text[:0], 0, 0
	for range p.margin {
		p.row.text = append(p.row.text, ' ')
	}
	start := 0
	if p.merge && p.number && len(row) > 0 {
		p.putNumber(row[0].number)
		start = p.numberTotal()
	}
	for i, cell := range row {
		if i > 0 {
			if !p.join {
				p.padTo(start - len(p.separator))
			}
			for _, b := range []byte(p.separator) {
				if b == ' ' {
					p.blank()
				} else {
					p.put([]byte{b}, 1)
				}
			}
		}
		limit := p.columnWidth
		if p.number && !p.merge {
			p.putNumber(cell.number)
			limit -= p.numberTotal()
		}
		if !p.truncate {
			limit = -1
		}
		p.putText(cell.text, limit)
		start += p.columnWidth + len(p.separator)
	}
	p.settleBlanks()
}

func (p *prCommand) putNumber(n int64) {
	digits := fmt.Sprintf("%*d", p.numberWidth, n)
	digits = digits[len(digits)-p.numberWidth:]
	p.settleBlanks()
	for _, d := range []byte(digits) {
		if d == ' ' {
			p.blank()
		} else {
			p.put([]byte{d}, 1)
		}
	}
	if p.numberSeparator == '\t' && (p.columns > 1 || p.merge) {
		for range 8 - p.numberWidth%8 {
			p.blank()
		}
		return
	}
	columns := 1
	if p.numberSeparator == '\t' {
		columns = 8 - p.row.column%8
	}
	p.put([]byte{p.numberSeparator}, columns)
}

// putText writes a cell, at most limit columns of it; a negative limit is none.
func (p *prCommand) putText(text []byte, limit int) {
	used := 0
	for len(text) > 0 {
		c, n := utf8.DecodeRune(text)
		shown, columns := text[:n], 1
		switch {
		case c == '\t' && p.expand && p.expandTab == '\t', p.expand && p.expandTab != '\t' && text[0] == p.expandTab:
			columns = p.expandSize - used%p.expandSize
			for i := 0; i < columns && (limit < 0 || used+i < limit); i++ {
				p.blank()
			}
			used += columns
			text = text[n:]
			if limit >= 0 && used >= limit {
				return
			}
			continue
		case c == '\t':
			columns = 8 - used%8
		case c == ' ':
			if limit >= 0 && used+1 > limit {
				return
			}
			p.blank()
			used++
			text = text[n:]
			continue
		case c == utf8.RuneError && n <= 1, !width.Print(c):
			switch {
			case p.octal:
				shown, columns = nil, 4*n
				for _, b := range text[:n] {
					shown = fmt.Appendf(shown, "\\%03o", b)
				}
			case p.caret && c < ' ':
				shown, columns = []byte{'^', byte(c) | 0x40}, 2
			case p.caret && (c == utf8.RuneError || c >= 0x7f):
				shown, columns = nil, 4*n
				for _, b := range text[:n] {
					shown = fmt.Appendf(shown, "\\%03o", b)
				}
			default:
				columns = 0
			}
		default:
			columns = width.Rune(c)
		}
		if limit >= 0 && used+columns > limit {
			return
		}
		p.put(shown, columns)
		used += columns
		text = text[n:]
	}
}
