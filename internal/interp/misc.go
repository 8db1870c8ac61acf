package interp

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/vfs"
)

// commandPID is the process id of a command about to run.
func (p *proc) commandPID() int { return p.session.newPID() }

// reportPanic reports a registered command's panic.
func (p *proc) reportPanic(name string, reason any) {
	p.writeError(p.prefix() + name + ": internal error: " + strings.SplitN(strings.TrimSpace(errorText(reason)), "\n", 2)[0] + "\n")
}

func errorText(reason any) string {
	switch x := reason.(type) {
	case error:
		return x.Error()
	case string:
		return x
	}
	return "panic"
}

// lookIn finds a program by the PATH of an environment, until stop.
func lookIn(p *proc, name string, environment []string, stop func() bool) (string, error) {
	if strings.Contains(name, "/") {
		info, err := p.view.Stat(p.ctx, name)
		if err == nil && info.IsDir() {
			err = vfs.EACCES
		}
		if err == nil {
			err = p.view.Access(p.ctx, name, vfs.AccessExecute)
		}
		if err != nil {
			return "", err
		}
		return name, nil
	}
	list := standardPath
	for _, pair := range environment {
		if v, ok := strings.CutPrefix(pair, "PATH="); ok {
			list = v
		}
	}
	path, ok := p.searchIn(list, name, stop)
	if !ok {
		return "", vfs.ENOENT
	}
	return path, p.view.Access(p.ctx, path, vfs.AccessExecute)
}

// columns is the width select lays its menu out for.
func (p *proc) columns() int {
	if s, ok := p.get("COLUMNS"); ok {
		if n, err := strconv.Atoi(s); err == nil && n > 0 {
			return n
		}
	}
	return 80
}

// readLine reads a line from descriptor 0, as read -r with an empty IFS does.
// ok is false at the end of input.
func (p *proc) readLine() (string, bool) {
	f := p.files.get(0)
	if f == nil {
		return "", false
	}
	var line []byte
	for {
		b, err := f.peek(p.ctx, 0)
		if err != nil {
			return string(line), false
		}
		end := bytes.IndexByte(b, '\n')
		piece := b
		if end >= 0 {
			piece = b[:end]
		}
		piece = bytes.ReplaceAll(piece, []byte{0}, nil)
		if p.cancelled() || !p.gather(len(piece)) {
			return "", false
		}
		line = append(line, piece...)
		if end >= 0 {
			f.discard(end + 1)
			return string(line), true
		}
		f.discard(len(b))
	}
}
