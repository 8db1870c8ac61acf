package interp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vsh-project/vsh/internal/parse"
)

// evalKind says what a text that is parsed while the script runs is.
type evalKind uint8

const (
	evalEval evalKind = iota
	evalTrap
	evalExit
	evalDebug
	evalError
	evalReturn
)

// parser reads a source with the process's present options and aliases.
func (p *proc) parser(name string, source []byte, firstLine int) *parse.Parser {
	return p.newParser(name, source, firstLine, false)
}

// fileParser is parser for what bash reads as a file and not as a string.
func (p *proc) fileParser(name string, source []byte, firstLine int) *parse.Parser {
	return p.newParser(name, source, firstLine, true)
}

func (p *proc) newParser(name string, source []byte, firstLine int, file bool) *parse.Parser {
	return parse.New(name, source, parse.Options{
		File:          file,
		Alias:         p.aliases.get,
		ExpandAliases: func() bool { return p.shopts.has(shoptExpandAliases) },
		ExtGlob:       func() bool { return p.shopts.has(shoptExtglob) },
		Posix:         func() bool { return p.options.has(optPosix) },
		FirstLine:     firstLine,
		MaxSize:       p.session.config.MaxSource,
		MaxDepth:      p.session.config.MaxNesting,
	})
}

// evaluateText runs text in the current process: eval, a trap's handler. The
// caller counts the call level. false: a syntax error has ended it.
func (p *proc) evaluateText(text string, kind evalKind) bool {
	if text == "" {
		p.status = 0
		return true
	}
	label := [...]string{evalEval: "eval", evalTrap: "trap", evalExit: "exit trap", evalDebug: "debug trap", evalError: "error trap", evalReturn: "return trap"}[kind]
	if kind != evalExit {
		p.traceLevel++
		defer func() { p.traceLevel-- }()
	}
	first := max(p.endLine, p.line, 1)
	switch kind {
	case evalTrap, evalExit: // those of signals count their own lines
		first = 1
	case evalDebug, evalReturn: // the command may be a loop's head, above what ran last
		first = max(p.line, 1)
	}
	return p.runSource(p.parser(label, []byte(text), first), label, []byte(text), "")
}

// runSource runs a source line by line, as bash reads it: what stands before a
// syntax error has run. label stands before "line N" in messages about syntax:
// "-c", "eval", or "" for a file, whose name file then is. false: a syntax error
// has ended it.
func (p *proc) runSource(lines *parse.Parser, label string, source []byte, file string) bool {
	empty := true
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if p.syntaxError(err, label) {
				empty = false
				continue
			}
			return false
		}
		if p.options.has(optVerbose) {
			text := string(source[line.Start:line.End])
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			p.writeError(text)
		}
		for _, w := range line.Warnings {
			p.line = w.Line
			p.errorf("%s", w.Text)
		}
		if len(line.Stmts) == 0 {
			continue
		}
		empty = false
		if p.options.has(optNoexec) {
			continue
		}
		cost := int64(line.End-line.Start) * treeCost
		if !p.charge(cost) {
			return true
		}
		c := &compiler{session: p.session, lines: line, file: file}
		body := c.block(line.Stmts)
		if label == "-c" && p.subshell == 0 && len(bytes.TrimSpace(source[min(line.End, len(source)):])) == 0 {
			// The last command of bash -c takes the shell's own process.
			_, p.sole = body.(*simple)
		}
		body.run(p)
		p.sole = false
		p.release(cost)
		if p.flow == flowAbort && p.subshell == p.baseSubshell && !(p.abandoned && (label != "" || p.frame != nil)) {
			p.flow, p.abandoned = flowNone, false
			p.done(p.status)
		}
		if label == "" && p.frame == nil && p.options.has(optOnecmd) {
			p.exit(p.status)
		}
		if p.flow != flowNone {
			return true
		}
	}
	if empty {
		p.status = 0
	}
	return true
}

// treeCost is what a byte of source costs as a prepared tree, charged while it
// runs; functions charge theirs for themselves.
const treeCost = 24

// syntaxError reports an error of the parser. true: the source goes on with its
// next line.
func (p *proc) syntaxError(err error, label string) bool {
	var e *parse.Error
	if !errors.As(err, &e) {
		p.errorf("%s", err)
		p.done(2)
		return false
	}
	name := p.name
	if s := p.currentSource(); s != "" {
		name = s
	}
	if label != "" {
		name += ": " + label
	}
	p.flushOut()
	for _, m := range e.Lines {
		p.writeError(fmt.Sprintf("%s: line %d: %s\n", name, m.Line, m.Text))
	}
	nested := label != "" && label != "-c" || p.frame != nil && p.frame.kind == frameSource
	p.done(e.Exit(label == "-c", nested, p.status))
	switch {
	case e.Limit:
		p.exit(2)
	case nested && e.Status == parse.StatusSubstitution:
		// An error inside $( ) takes eval's and source's shell with it.
		if p.run.options.Command && p.subshell == 0 {
			p.exit(127)
		} else {
			p.exit(1)
		}
	}
	return e.Status == parse.StatusRecovered
}
