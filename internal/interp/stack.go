package interp

import "strconv"

// FUNCNAME, BASH_SOURCE, BASH_LINENO and caller read the stack of frames.

// lineNumber is LINENO.
func (p *proc) lineNumber() int { return p.line }

// calls visits the frames of functions and sourced files, innermost first.
func (p *proc) calls(visit func(f *frame)) {
	for f := p.frame; f != nil; f = f.parent {
		if f.kind != frameTemporary {
			visit(f)
		}
	}
}

// currentSource is BASH_SOURCE[0]: the file that the running code came from.
func (p *proc) currentSource() string {
	for f := p.frame; f != nil; f = f.parent {
		if f.kind != frameTemporary {
			return f.file
		}
	}
	return p.source
}

// callNames is FUNCNAME. The main program appears as "main" when it is a file.
func (p *proc) callNames() []string {
	var names []string
	p.calls(func(f *frame) { names = append(names, f.name) })
	if p.source != "" {
		names = append(names, "main")
	}
	return names
}

// callSources is BASH_SOURCE.
func (p *proc) callSources() []string {
	var files []string
	p.calls(func(f *frame) { files = append(files, f.file) })
	if p.source != "" {
		files = append(files, p.source)
	}
	return files
}

// callLines is BASH_LINENO: where each call stands.
func (p *proc) callLines() []string {
	var lines []string
	p.calls(func(f *frame) { lines = append(lines, strconv.Itoa(f.line)) })
	if p.source != "" {
		lines = append(lines, "0")
	}
	return lines
}

// callArgumentCounts and callArguments are BASH_ARGC and BASH_ARGV. bash fills
// them for functions and sourced files with extdebug only, and puts below what
// the positional parameters are when they are first looked at outside functions.
func (p *proc) callArgumentCounts() []string {
	p.noteArguments()
	var counts []string
	p.argumentFrames(func(args []string) { counts = append(counts, strconv.Itoa(len(args))) })
	return counts
}

func (p *proc) callArguments() []string {
	p.noteArguments()
	var values []string
	p.argumentFrames(func(args []string) {
		for i := len(args) - 1; i >= 0; i-- {
			values = append(values, args[i])
		}
	})
	return values
}

// noteArguments keeps the positional parameters for the bottom of BASH_ARGV.
func (p *proc) noteArguments() {
	if !p.noted && (p.functionFrame() == nil || p.shopts.has(shoptExtdebug)) {
		p.noted, p.argv = true, p.args
	}
}

// argumentFrames visits the arguments of the calls that BASH_ARGV tells of.
func (p *proc) argumentFrames(visit func(args []string)) {
	if p.shopts.has(shoptExtdebug) {
		p.calls(func(f *frame) {
			if f.kind == frameFunction || f.args != nil {
				visit(f.args)
			}
		})
	}
	if p.noted {
		visit(p.argv)
	}
}

// bashopts is BASHOPTS.
func (p *proc) bashopts() string {
	s := ""
	for i, name := range shoptNames {
		if p.shopts.has(shopt(i)) {
			if s != "" {
				s += ":"
			}
			s += name
		}
	}
	return s
}

// runs makes c BASH_COMMAND. Inside a trap it stays what was interrupted.
func (p *proc) runs(c commandText) {
	if p.trapping == 0 && !p.exiting {
		p.command = c
	}
}

// commandText is BASH_COMMAND.
func (p *proc) commandText() string {
	if p.command.tree == nil {
		return ""
	}
	return p.command.print()
}
