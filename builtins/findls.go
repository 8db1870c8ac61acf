package builtins

import (
	"bufio"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/vsh-project/vsh/builtins/internal/filemode"
	"github.com/vsh-project/vsh/internal/strftime"
	"github.com/vsh-project/vsh/vfs"
)

// findListWidths are the columns of -ls: they grow with what has been shown
// and never shrink.
type findListWidths struct{ inode, blocks, links, owner, group, major, minor, size int }

func (p *findParser) ls(name string) (findNode, error) {
	w, err := p.destination(name)
	if err != nil {
		return nil, err
	}
	f := p.find
	f.stats = true
	f.widths = &findListWidths{inode: 9, blocks: 6, links: 3, owner: 8, group: 8, major: 3, minor: 3, size: 8}
	return func(file *findFile) (bool, error) {
		info, ok := f.info(file)
		if !ok {
			return false, f.ctx.Err()
		}
		return true, f.list(w, file, info)
	}, nil
}

// grow pads to a column's width, which becomes wider for good where it must.
func grow(width *int, s string, left bool) string {
	if len(s) > *width {
		*width = len(s)
	}
	fill := strings.Repeat(" ", *width-len(s))
	if left {
		return s + fill
	}
	return fill + s
}

func (f *findCommand) list(w *bufio.Writer, file *findFile, info *vfs.Info) error {
	widths := f.widths
	user, _ := f.userName(info.UID)
	group, _ := f.groupName(info.GID)
	fmt.Fprintf(w, "%s %s %s %s %s %s ",
		grow(&widths.inode, strconv.FormatUint(info.Inode, 10), false),
		grow(&widths.blocks, strconv.FormatInt(blocks1K(info), 10), false),
		filemode.String(info.FileMode),
		grow(&widths.links, strconv.FormatUint(info.Links, 10), false),
		grow(&widths.owner, user, true), grow(&widths.group, group, true))
	if info.FileMode&fs.ModeDevice != 0 {
		fmt.Fprintf(w, "%s, %s ", grow(&widths.major, strconv.FormatUint(deviceMajor(info.DeviceNumber), 10), false),
			grow(&widths.minor, strconv.FormatUint(deviceMinor(info.DeviceNumber), 10), false))
	} else {
		fmt.Fprintf(w, "%s ", grow(&widths.size, strconv.FormatInt(info.Bytes, 10), false))
	}
	modified := info.Modified.In(f.location)
	format := "%b %e %H:%M"
	if age := f.start.Sub(modified); age > 6*30*24*time.Hour || age < -time.Hour {
		format = "%b %e  %Y"
	}
	w.WriteString(strftime.Format(format, modified, false))
	w.WriteByte(' ')
	findQuoteName(w, file.Path)
	if file.Type&fs.ModeSymlink != 0 {
		if target, err := f.View().Readlink(f.ctx, file.Path); err == nil {
			w.WriteString(" -> ")
			findQuoteName(w, target)
		}
	}
	return f.written(w.WriteByte('\n'))
}

func deviceMajor(n uint64) uint64 { return n >> 8 & 0xfff }
func deviceMinor(n uint64) uint64 { return n&0xff | n>>12&0xfff00 }

// findQuoteName writes a name with C's escapes.
func findQuoteName(w *bufio.Writer, name string) {
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '\\' || c == '"' || c == ' ':
			w.WriteByte('\\')
			w.WriteByte(c)
		case strings.IndexByte("\n\b\r\t\f", c) >= 0:
			w.WriteByte('\\')
			w.WriteByte("nbrtf"[strings.IndexByte("\n\b\r\t\f", c)])
		case c > ' ' && c < 0x7f:
			w.WriteByte(c)
		default:
			w.Write([]byte{'\\', '0' + c>>6, '0' + c>>3&7, '0' + c&7})
		}
	}
}
