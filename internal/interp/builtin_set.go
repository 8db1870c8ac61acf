package interp

import (
	"fmt"
	"strings"
)

// set and shopt.

func init() {
	builtinTables = append(builtinTables, func() []builtin {
		return []builtin{
			{name: "set", special: true, run: builtinSet, usage: "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]"},
			{name: "shopt", run: builtinShopt, usage: "shopt [-pqsu] [-o] [optname ...]"},
		}
	})
}

func builtinSet(p *proc, args []string) int {
	if len(args) == 0 {
		p.listSet(!p.options.has(optPosix))
		return 0
	}
	// Every letter is looked at before any takes effect.
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" || len(a) < 2 || a[0] != '-' && a[0] != '+' {
			break
		}
		for _, c := range []byte(a[1:]) {
			if _, ok := optionLettered(c); !ok && c != 'o' {
				p.errorf("set: %c%c: invalid option", a[0], c)
				return p.usageOf("set")
			}
			if c == 'o' {
				i++
			}
		}
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			p.args, p.argsSet = args[i+1:], true
			return 0
		case a == "-" || a == "+":
			p.setOption(optXtrace, false)
			p.setOption(optVerbose, false)
			if i+1 < len(args) {
				p.args, p.argsSet = args[i+1:], true
			}
			return 0
		case a == "" || a[0] != '-' && a[0] != '+':
			p.args, p.argsSet = args[i:], true
			return 0
		}
		on := a[0] == '-'
		for _, c := range []byte(a[1:]) {
			if c != 'o' {
				o, _ := optionLettered(c)
				p.setOption(o, on)
				continue
			}
			if i+1 >= len(args) || args[i+1] == "" || args[i+1][0] == '-' || args[i+1][0] == '+' {
				p.listOptions(!on)
				continue
			}
			i++
			o, ok := optionNamed(args[i])
			if !ok {
				p.errorf("set: %s: invalid option name", args[i])
				p.endsPosix = 2
				return 2
			}
			p.setOption(o, on)
		}
	}
	return 0
}

// listOptions is set -o, or set +o when commands are asked for.
func (p *proc) listOptions(commands bool) {
	for i, o := range optionTable {
		p.showOption(o.name, p.options.has(option(i)), commands)
	}
}

func (p *proc) showOption(name string, on, command bool) {
	switch {
	case command && on:
		p.write("set -o " + name + "\n")
	case command:
		p.write("set +o " + name + "\n")
	default:
		p.write(fmt.Sprintf("%-15s\t%s\n", name, onOff(on)))
	}
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func builtinShopt(p *proc, args []string) int {
	var set, unset, quiet, commands, options bool
	o := p.shortOptions("shopt", "opqsu", args)
	for o.next() {
		switch o.letter {
		case 's':
			set = true
		case 'u':
			unset = true
		case 'q':
			quiet = true
		case 'p':
			commands = true
		case 'o':
			options = true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	if set && unset {
		p.errorf("shopt: cannot set and unset shell options simultaneously")
		return 1
	}
	table := p.shoptTable(options)
	if len(args) == 0 {
		for i, n := 0, table.len(); i < n; i++ {
			name, on := table.at(i)
			if !quiet && (!set && !unset || on == set) {
				table.show(name, on, commands)
			}
		}
		return 0
	}
	status := 0
	for _, name := range args {
		on, ok := table.get(name)
		if !ok {
			p.errorf("shopt: %s: %s", name, table.unknown)
			status = 1
			continue
		}
		switch {
		case set || unset:
			table.set(name, set)
		default:
			if !on {
				status = 1
			}
			if !quiet {
				table.show(name, on, commands)
			}
		}
	}
	return status
}

// switches is a table of options, as shopt and shopt -o see them.
type switches struct {
	len     func() int
	at      func(i int) (string, bool)
	get     func(name string) (on, ok bool)
	set     func(name string, on bool)
	show    func(name string, on, command bool)
	unknown string
}

func (p *proc) shoptTable(options bool) switches {
	if options {
		return switches{
			len: func() int { return len(optionTable) },
			at:  func(i int) (string, bool) { return optionTable[i].name, p.options.has(option(i)) },
			get: func(name string) (bool, bool) { o, ok := optionNamed(name); return p.options.has(o), ok },
			set: func(name string, on bool) {
				o, _ := optionNamed(name)
				p.setOption(o, on)
			},
			show:    p.showOption,
			unknown: "invalid option name",
		}
	}
	return switches{
		len: func() int { return len(shoptNames) },
		at:  func(i int) (string, bool) { return shoptNames[i], p.shopts.has(shopt(i)) },
		get: func(name string) (bool, bool) { o, ok := shoptNamed(name); return p.shopts.has(o), ok },
		set: func(name string, on bool) { p.setShopt(name, on) },
		show: func(name string, on, command bool) {
			if command {
				p.write("shopt -" + map[bool]string{true: "s", false: "u"}[on] + " " + name + "\n")
				return
			}
			p.write(fmt.Sprintf("%-15s\t%s\n", name, onOff(on)))
		},
		unknown: "invalid shell option name",
	}
}

// setShopt switches a shopt option with what hangs on it.
func (p *proc) setShopt(name string, on bool) {
	o, _ := shoptNamed(name)
	if o == shoptLoginShell || o == shoptRestrictedShell {
		return
	}
	p.shopts = p.shopts.with(o, on)
	switch {
	case o == shoptExtdebug:
		if on {
			p.noteArguments()
		}
		p.setOption(optFunctrace, on)
		p.setOption(optErrtrace, on)
	case on && strings.HasPrefix(name, "compat"):
		for other := shoptCompat31; other <= shoptCompat44; other++ {
			if other != o {
				p.shopts = p.shopts.with(other, false)
			}
		}
	}
}
