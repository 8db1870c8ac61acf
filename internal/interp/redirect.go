package interp

import (
	"context"
	"io"
	"strconv"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/vsh-project/vsh/internal/budget"
	"github.com/vsh-project/vsh/internal/parse"
	"github.com/vsh-project/vsh/vfs"
)

// redirection is one prepared redirection.
type redirection struct {
	op syntax.RedirOperator
	// fd is the descriptor on the left, -1 for none; variable the {name} form.
	fd       int
	variable string
	target   *word
	document *word
	// apart says that the process that performs it shows: expanding the target
	// may change variables, or a descriptor is moved.
	apart bool
	// text and tree give the target as written, for messages.
	text *compiler
	tree *syntax.Word
}

func (c *compiler) redirections(list []*syntax.Redirect) []*redirection {
	if len(list) == 0 {
		return nil
	}
	out := make([]*redirection, 0, len(list))
	for _, r := range list {
		n := &redirection{op: r.Op, fd: -1}
		if r.N != nil {
			if fd, err := strconv.Atoi(r.N.Value); err == nil {
				n.fd = fd
			} else {
				n.variable = parse.DescriptorVariable(r.N.Value)
			}
		}
		n.text, n.tree = c, r.Word
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			n.document = c.document(r)
		default:
			n.target = c.word(r.Word)
		}
		n.apart = mayAssign(r.Word) || mayAssign(r.Hdoc) || strings.HasSuffix(r.Word.Lit(), "-") && len(r.Word.Lit()) > 1
		out = append(out, n)
	}
	return out
}

// mayAssign reports whether the expansion of w may change a variable.
func mayAssign(w *syntax.Word) bool {
	found := false
	if w == nil {
		return false
	}
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ArithmExp:
			found = true
		case *syntax.ParamExp:
			found = found || n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull)
		case *syntax.CmdSubst:
			return false
		}
		return !found
	})
	return found
}

// apart reports whether programs and subshells must perform these redirections
// in processes of their own.
func apart(list []*redirection) bool {
	for _, r := range list {
		if r.apart {
			return true
		}
	}
	return false
}

// source is the target as written.
func (r *redirection) source() string { return r.text.source(r.tree.Pos(), r.tree.End()) }

// undoList holds what restore puts back.
type undoList struct {
	list []numbered
	// forked says that the process has nothing to put back.
	forked bool
}

// install makes fd refer to file and remembers what was there. A nil undo
// makes it last.
func (p *proc) install(fd int, file *openFile, undo *undoList) bool {
	if file != nil && fd >= p.session.config.MaxDescriptors {
		file.close()
		p.errorf("%d: Bad file descriptor", fd)
		return false
	}
	if file != nil && p.files.get(fd) == nil && p.files.count() >= p.session.config.MaxDescriptors {
		file.close()
		p.errorf("%d: Too many open files", fd)
		return false
	}
	old := p.files.put(fd, file)
	if undo != nil {
		undo.list = append(undo.list, numbered{fd, old})
	} else if old != nil {
		old.close()
	}
	return true
}

// restore undoes redirections.
func (p *proc) restore(undo *undoList) {
	for i := len(undo.list) - 1; i >= 0; i-- {
		u := undo.list[i]
		if old := p.files.put(u.fd, u.file); old != nil {
			old.close()
		}
	}
	undo.list = nil
}

// redirect performs redirections in order. false: one failed, its message is
// out; what was done is in undo.
func (p *proc) redirect(list []*redirection, undo *undoList) bool {
	for _, r := range list {
		if !r.perform(p, undo) {
			return false
		}
	}
	return true
}

func (r *redirection) perform(p *proc, undo *undoList) bool {
	switch r.op {
	case syntax.Hdoc, syntax.DashHdoc:
		body, ok := r.document.text(p)
		if !ok {
			return false
		}
		return r.hereDocument(p, body, undo)
	case syntax.WordHdoc:
		body, ok := r.target.text(p)
		if !ok {
			return false
		}
		return r.hereDocument(p, body+"\n", undo)
	}
	fields, ok := r.target.fields(p, nil)
	if !ok {
		return false
	}
	if len(fields) != 1 {
		p.errorf("%s: ambiguous redirect", r.source())
		return false
	}
	word := fields[0]
	switch r.op {
	case syntax.DplIn, syntax.DplOut:
		return r.duplicate(p, word, undo)
	case syntax.RdrAll, syntax.AppAll:
		return r.both(p, word, r.op == syntax.AppAll, undo)
	case syntax.RdrIn:
		return r.file(p, word, vfs.O_RDONLY, 0, undo)
	case syntax.RdrInOut:
		return r.file(p, word, vfs.O_RDWR|vfs.O_CREATE, 0, undo)
	case syntax.AppOut:
		return r.file(p, word, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_APPEND, 1, undo)
	case syntax.RdrClob:
		return r.file(p, word, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 1, undo)
	}
	f, ok := p.openOutput(word)
	return ok && r.install(p, f, 1, undo)
}

// openOutput opens the target of >, with noclobber looked at.
func (p *proc) openOutput(path string) (*openFile, bool) {
	flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	if p.options.has(optNoclobber) {
		info, err := p.view.Stat(p.ctx, path)
		switch {
		case err != nil:
			flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_EXCL
		case info.Mode().IsRegular():
			p.errorf("%s: cannot overwrite existing file", path)
			return nil, false
		}
	}
	f, err := p.open(path, flag)
	if err != nil {
		p.fileError(path, err)
		return nil, false
	}
	return f, true
}

func (r *redirection) file(p *proc, path string, flag, standard int, undo *undoList) bool {
	f, err := p.open(path, flag)
	if err != nil {
		p.fileError(path, err)
		return false
	}
	return r.install(p, f, standard, undo)
}

// install puts file where the redirection's left side says.
func (r *redirection) install(p *proc, file *openFile, standard int, undo *undoList) bool {
	fd := r.fd
	if r.variable != "" {
		fd = p.files.free(10)
		if fd >= p.session.config.MaxDescriptors {
			file.close()
			p.errorf("redirection error: cannot duplicate fd: Invalid argument")
			return false
		}
		if !p.assignWord("exec", r.variable, strconv.Itoa(fd)) {
			p.errorf("%s: cannot assign fd to variable", r.variable)
			file.close()
			return false
		}
		if !p.shopts.has(shoptVarredirClose) {
			undo = nil // stays open
		}
	} else if fd < 0 {
		fd = standard
	}
	return p.install(fd, file, undo)
}

// both is &>word and &>>word.
func (r *redirection) both(p *proc, path string, add bool, undo *undoList) bool {
	var f *openFile
	if add {
		var err error
		if f, err = p.open(path, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_APPEND); err != nil {
			p.fileError(path, err)
			return false
		}
	} else {
		var ok bool
		if f, ok = p.openOutput(path); !ok {
			return false
		}
	}
	return p.install(1, f, undo) && p.install(2, f.retain(), undo)
}

// duplicate is <&word and >&word.
func (r *redirection) duplicate(p *proc, word string, undo *undoList) bool {
	standard := 0
	if r.op == syntax.DplOut {
		standard = 1
	}
	if word == "-" {
		fd := r.fd
		if r.variable != "" {
			value := p.referenced(r.variable)
			n, err := strconv.Atoi(value)
			if err != nil {
				p.errorf("%s: ambiguous redirect", r.variable)
				return false
			}
			fd, undo = n, nil
		} else if fd < 0 {
			fd = standard
		}
		return p.install(fd, nil, undo)
	}
	digits := strings.TrimSuffix(word, "-")
	from, err := strconv.Atoi(digits)
	if err != nil || strings.Trim(digits, "0123456789") != "" {
		if r.op == syntax.DplOut && r.fd < 0 && r.variable == "" {
			return r.both(p, word, false, undo)
		}
		p.errorf("%s: ambiguous redirect", r.source())
		return false
	}
	f := p.files.get(from)
	if f == nil {
		fd := r.fd
		if fd < 0 {
			fd = standard
		}
		if digits != word && undo != nil && !undo.forked && r.variable == "" && p.files.get(fd) != nil { // bash fails to keep it first
			p.writeError(p.name + ": redirection error: cannot duplicate fd: Bad file descriptor\n")
		}
		p.errorf("%d: Bad file descriptor", from)
		return false
	}
	if !r.install(p, f.retain(), standard, undo) {
		return false
	}
	if digits != word && (r.variable != "" || r.fd != from && (r.fd >= 0 || from != standard)) {
		return p.install(from, nil, undo)
	}
	return true
}

// hereDocument installs a here-document or here-string.
func (r *redirection) hereDocument(p *proc, body string, undo *undoList) bool {
	account := p.session.config.Budget
	if err := account.Charge(int64(len(body))); err != nil {
		p.limit(err.Error())
		return false
	}
	f := newOpenFile(&document{rest: body, size: int64(len(body)), account: account})
	f.flag = vfs.O_RDONLY
	return r.install(p, f, 0, undo)
}

// document is the stream of a here-document.
type document struct {
	mu      sync.Mutex
	rest    string
	size    int64
	account *budget.Budget
}

func (d *document) Read(_ context.Context, b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

func (d *document) Write(context.Context, []byte) (int, error) { return 0, vfs.EBADF }

func (d *document) Close() error { d.account.Release(d.size); return nil }

// Peek shows the next bytes.
func (d *document) Peek(context.Context) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.rest) == 0 {
		return nil, io.EOF
	}
	return []byte(d.rest[:min(len(d.rest), 4<<10)]), nil
}

// Discard consumes them.
func (d *document) Discard(n int) {
	d.mu.Lock()
	d.rest = d.rest[min(n, len(d.rest)):]
	d.mu.Unlock()
}

// redirected is a compound command with redirections.
type redirected struct {
	line         int
	body         node
	redirections []*redirection
	check        bool
	// process says that the body is ( ), whose failure is looked at afterwards.
	process bool
}

func (n *redirected) run(p *proc) {
	if p.checkpoint() {
		return
	}
	p.line = n.line
	if s, ok := n.body.(*subshell); ok && !s.direct && apart(n.redirections) {
		s.runRedirected(p, n.redirections)
		if n.process && p.status != 0 && p.flow == flowNone {
			p.failed()
		}
		return
	}
	opened, mark := len(p.opened), p.scratched
	var undo undoList
	failed := false
	if p.redirect(n.redirections, &undo) {
		n.body.run(p)
		failed = n.process && p.status != 0
	} else if p.flow == flowNone {
		p.done(1)
		if n.check {
			p.failed()
		}
	}
	p.restore(&undo)
	p.unscratch(mark)
	if len(p.opened) > opened {
		p.closeSubstitutions(opened)
	}
	if s, ok := n.body.(*subshell); failed && ok && !s.direct && p.flow == flowNone {
		p.failed()
	}
}
