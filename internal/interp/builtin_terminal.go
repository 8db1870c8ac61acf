package interp

// logout and bind: what needs a login shell or a terminal is refused.

func init() {
	builtinTables = append(builtinTables, func() []builtin {
		return []builtin{
			{name: "logout", run: builtinLogout, usage: "logout [n]"},
			{name: "bind", run: builtinBind, usage: "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]"},
		}
	})
}

func builtinLogout(p *proc, args []string) int {
	p.errorf("logout: not login shell: use `exit'")
	return 1
}

// builtinBind warns, as bash does where no line is edited, and binds nothing.
func builtinBind(p *proc, args []string) int {
	p.errorf("bind: warning: line editing not enabled")
	query := ""
	o := p.shortOptions("bind", "lvpVPsSXf:q:u:m:r:x:", args)
	for o.next() {
		if o.letter == 'q' || o.letter == 'u' {
			query = o.value
		}
	}
	switch {
	case o.status != 0:
		return o.status
	case query != "":
		p.errorf("bind: `%s': unknown function name", query)
		return 1
	}
	return 0
}
