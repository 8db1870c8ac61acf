package patch

import (
	"bytes"
	"fmt"
)

// Reject writes a hunk that did not apply to out, after the header's names
// where it is the first. reverse says that the patch was turned around, shift
// how far the hunks before it moved the file.
func Reject(out *bytes.Buffer, hunk *Hunk, h *Header, first, reverse bool, shift int, unified bool) {
	old, new := Old, New
	if reverse {
		old, new = New, Old
	}
	if unified {
		if first {
			if h.Names[Index] != "" {
				fmt.Fprintf(out, "Index: %s\n", h.Names[Index])
			}
			headerLine(out, "---", h, old)
			headerLine(out, "+++", h, new)
		}
		hunk.unified()
		fmt.Fprintf(out, "@@ -%s +%s @@%s\n", unifiedRange(hunk.First+shift, len(hunk.Old)), unifiedRange(hunk.NewFirst+shift, len(hunk.New)), hunk.Function)
		rejectUnified(out, hunk)
		return
	}
	if first {
		if h.Names[Index] != "" {
			fmt.Fprintf(out, "Index: %s\n", h.Names[Index])
		}
		headerLine(out, "***", h, old)
		headerLine(out, "---", h, new)
	}
	if h.Format == Unified {
		hunk.contextual()
	}
	fmt.Fprintf(out, "***************%s\n*** ", hunk.Function)
	// Only what is newer than the first context diffs ends its ranges with marks.
	stars, dashes := " ****", " ----"
	if h.Format != NewContext && h.Format != Unified {
		stars, dashes = "", " -----"
	}
	rejectSide(out, hunk.First+shift, hunk.Old, stars)
	out.WriteString("--- ")
	rejectSide(out, hunk.NewFirst+shift, hunk.New, dashes)
}

func headerLine(out *bytes.Buffer, tag string, h *Header, side int) {
	name, stamp := h.Names[side], h.Stamps[side]
	if name == "" {
		name = "/dev/null"
	}
	fmt.Fprintf(out, "%s %s%s\n", tag, name, stamp)
}

func unifiedRange(start, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", start-1)
	case 1:
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}

func rejectUnified(out *bytes.Buffer, hunk *Hunk) {
	write := func(l Line) {
		out.WriteByte(l.Mark)
		out.Write(l.Text)
	}
	for o, n := 0, 0; ; o, n = o+1, n+1 {
		for ; o < len(hunk.Old) && hunk.Old[o].Mark == '-'; o++ {
			write(hunk.Old[o])
		}
		for ; n < len(hunk.New) && hunk.New[n].Mark == '+'; n++ {
			write(hunk.New[n])
		}
		if o >= len(hunk.Old) {
			return
		}
		write(hunk.Old[o])
	}
}

func rejectSide(out *bytes.Buffer, first int, lines []Line, mark string) {
	switch len(lines) {
	case 0:
		fmt.Fprintf(out, "0%s\n", mark)
	case 1:
		fmt.Fprintf(out, "%d%s\n", first, mark)
	default:
		fmt.Fprintf(out, "%d,%d%s\n", first, first+len(lines)-1, mark)
	}
	for _, l := range lines {
		out.WriteByte(l.Mark)
		out.WriteByte(' ')
		out.Write(l.Text)
	}
}
