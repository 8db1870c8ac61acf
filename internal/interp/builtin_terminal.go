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

func builtinBind(p *proc, args []string) int {
	p.errorf("bind: warning: line editing not enabled")
	return 1
}
