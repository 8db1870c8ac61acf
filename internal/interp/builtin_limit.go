package interp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ulimit: a table of values that scripts may read and set; the bounds that hold
// are the session's own.

func init() {
	builtinTables = append(builtinTables, func() []builtin {
		return []builtin{{name: "ulimit", run: builtinUlimit, usage: "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]"}}
	})
}

const unlimited = math.MaxInt64

// resource is one limit that ulimit shows; value is in the unit shown.
type resource struct {
	letter     byte
	name, unit string
	soft, hard int64
}

// resources are the limits in the order of ulimit -a.
func (s *Session) resources() []resource {
	return []resource{
		{'R', "real-time non-blocking time", "microseconds", unlimited, unlimited},
		{'c', "core file size", "blocks", 0, unlimited},
		{'d', "data seg size", "kbytes", unlimited, unlimited},
		{'e', "scheduling priority", "", 0, 0},
		{'f', "file size", "blocks", unlimited, unlimited},
		{'i', "pending signals", "", 8192, 8192},
		{'l', "max locked memory", "kbytes", 8192, 8192},
		{'m', "max memory size", "kbytes", unlimited, unlimited},
		{'n', "open files", "", int64(s.config.MaxDescriptors), int64(s.config.MaxDescriptors)},
		{'p', "pipe size", "512 bytes", 8, 8},
		{'q', "POSIX message queues", "bytes", 819200, 819200},
		{'r', "real-time priority", "", 0, 0},
		{'s', "stack size", "kbytes", 8192, unlimited},
		{'t', "cpu time", "seconds", unlimited, unlimited},
		{'u', "max user processes", "", int64(s.config.MaxProcesses), int64(s.config.MaxProcesses)},
		{'v', "virtual memory", "kbytes", unlimited, unlimited},
		{'x', "file locks", "", unlimited, unlimited},
	}
}

// limits are the resources as this process has set them.
func (p *proc) resourceLimits() []resource {
	list := p.session.resources()
	for i := range list {
		if v, ok := p.limits.get("S" + string(list[i].letter)); ok {
			list[i].soft = v
		}
		if v, ok := p.limits.get("H" + string(list[i].letter)); ok {
			list[i].hard = v
		}
	}
	return list
}

// limitRequest is one resource asked for, or given a value.
type limitRequest struct {
	letter byte
	value  string
	given  bool
}

func builtinUlimit(p *proc, args []string) int {
	soft, hard, all := false, false, false
	var wanted []limitRequest
	o := p.shortOptions("ulimit", "SHac;d;e;f;i;l;m;n;p;q;r;s;t;u;v;x;R;", args)
	for o.next() {
		switch o.letter {
		case 'S':
			soft = true
		case 'H':
			hard = true
		case 'a':
			all = true
		default:
			wanted = append(wanted, limitRequest{o.letter, o.value, o.given})
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	list := p.resourceLimits()
	text := func(r *resource) string {
		v := r.soft
		if hard && !soft {
			v = r.hard
		}
		if v == unlimited {
			return "unlimited"
		}
		return strconv.FormatInt(v, 10)
	}
	line := func(r *resource) {
		unit := fmt.Sprintf("(-%c) ", r.letter)
		if r.unit != "" {
			unit = fmt.Sprintf("(%s, -%c) ", r.unit, r.letter)
		}
		p.write(fmt.Sprintf("%-20s %20s%s\n", r.name, unit, text(r)))
	}
	if all {
		for i := range list {
			line(&list[i])
		}
		return 0
	}
	if len(wanted) == 0 {
		wanted = append(wanted, limitRequest{letter: 'f'})
		if len(args) > 0 {
			wanted[0].value, wanted[0].given = args[0], true
		}
	}
	for _, w := range wanted {
		for i := range list {
			r := &list[i]
			switch {
			case r.letter != w.letter:
			case w.given:
				if status := p.setLimit(r, w.value, soft, hard); status != 0 {
					return status
				}
			case len(wanted) > 1:
				line(r)
			default:
				p.unheeded = true
				p.write(text(r) + "\n")
			}
		}
	}
	return 0
}

// setLimit gives a resource another value. Nobody raises a hard limit.
func (p *proc) setLimit(r *resource, value string, soft, hard bool) int {
	var n int64
	switch value {
	case "unlimited":
		n = unlimited
	case "hard":
		n = r.hard
	case "soft":
		n = r.soft
	case "": // bash takes no digits for 0
	default:
		v, ok := legalNumber(value)
		if strings.Trim(value, "0123456789") != "" || !ok && value == "" {
			p.errorf("ulimit: %s: invalid number", value)
			return 1
		}
		if !ok {
			p.errorf("ulimit: %s: limit out of range", value)
			return 1
		}
		n = v
	}
	if !soft && !hard {
		soft, hard = true, true
	}
	refused := ""
	switch {
	case r.letter == 'p':
		refused = "Invalid argument"
	case hard && n > r.hard, r.letter == 'n' && n > int64(p.session.config.MaxDescriptors):
		refused = "Operation not permitted"
	case soft && !hard && n > r.hard:
		refused = "Invalid argument"
	}
	if refused != "" {
		p.errorf("ulimit: %s: cannot modify limit: %s", r.name, refused)
		return 1
	}
	m := p.limits.writable(p)
	if soft {
		m["S"+string(r.letter)] = n
	}
	if hard {
		m["H"+string(r.letter)] = n
	}
	return 0
}
