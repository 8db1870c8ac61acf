package interp

import (
	"encoding/binary"
	"io"
	"strconv"
	"strings"
)

// Symbols with behaviour of their own, in fixed places: those below
// symbolsWithHooks have something to do when they change.
const (
	symIFS symbol = iota
	symPATH
	symHOME
	symOPTIND
	symGLOBIGNORE
	symPOSIXLYCORRECT
	symBASHXTRACEFD
	symRANDOM
	symSECONDS
	symBASHARGV0
	symDIRSTACK
	symBASHALIASES
	symBASHCMDS
	symbolsWithHooks
)

const (
	symLINENO = iota + symbolsWithHooks
	symSRANDOM
	symEPOCHSECONDS
	symEPOCHREALTIME
	symBASHPID
	symBASHCOMMAND
	symBASHSUBSHELL
	symPIPESTATUS
	symFUNCNAME
	symBASHSOURCE
	symBASHLINENO
	symBASHARGC
	symBASHARGV
	symGROUPS
	symSHELLOPTS
	symBASHOPTS
	symHISTCMD
	symCOMPWORDBREAKS
	symUnderscore
	symPWD
	symOLDPWD
	symPS4
	symOPTARG
	symREPLY
	symBASHREMATCH
	symMAPFILE
	symSHLVL
	symOPTERR
	symENV
	symbolsFixed
)

var fixedNames = [symbolsFixed]string{
	"IFS", "PATH", "HOME", "OPTIND", "GLOBIGNORE", "POSIXLY_CORRECT", "BASH_XTRACEFD", "RANDOM", "SECONDS", "BASH_ARGV0",
	"DIRSTACK", "BASH_ALIASES", "BASH_CMDS", "LINENO", "SRANDOM", "EPOCHSECONDS", "EPOCHREALTIME", "BASHPID", "BASH_COMMAND", "BASH_SUBSHELL",
	"PIPESTATUS", "FUNCNAME", "BASH_SOURCE", "BASH_LINENO", "BASH_ARGC", "BASH_ARGV", "GROUPS", "SHELLOPTS", "BASHOPTS",
	"HISTCMD", "COMP_WORDBREAKS", "_", "PWD", "OLDPWD", "PS4", "OPTARG", "REPLY",
	"BASH_REMATCH", "MAPFILE", "SHLVL", "OPTERR", "BASH_ENV",
}

// dynamicAttributes says which variables dynamic computes, and what declare
// shows of them.
var dynamicAttributes = [...]struct {
	symbol symbol
	attrs  attr
}{
	{symRANDOM, attrInteger}, {symSECONDS, attrInteger}, {symBASHARGV0, 0}, {symDIRSTACK, attrIndexed}, {symLINENO, 0},
	{symSRANDOM, attrInteger}, {symEPOCHSECONDS, 0}, {symEPOCHREALTIME, 0}, {symBASHPID, attrInteger},
	{symBASHCOMMAND, 0}, {symBASHSUBSHELL, 0}, {symPIPESTATUS, attrIndexed}, {symFUNCNAME, attrIndexed},
	{symBASHSOURCE, attrIndexed}, {symBASHLINENO, attrIndexed}, {symBASHARGC, attrIndexed}, {symBASHARGV, attrIndexed},
	{symGROUPS, attrIndexed}, {symSHELLOPTS, attrReadonly}, {symBASHOPTS, attrReadonly}, {symHISTCMD, attrInteger},
	{symCOMPWORDBREAKS, 0}, {symBASHALIASES, attrAssoc}, {symBASHCMDS, attrAssoc},
}

// dynamic is v, the variable s, with its present value.
func (p *proc) dynamic(s symbol, v *variable) *variable {
	c := &variable{attrs: v.attrs, level: v.level, set: true}
	number := func(n int64) { c.value.s = strconv.FormatInt(n, 10) }
	list := func(values ...string) {
		c.indexed = &indexed{epoch: p.epoch}
		for i, s := range values {
			t, _ := c.indexed.slot(int64(i))
			*t = text{s: s}
		}
	}
	now := p.session.config.Now()
	switch s {
	case symRANDOM:
		number(int64(p.nextRandom()))
	case symSRANDOM:
		var b [4]byte
		io.ReadFull(p.session.config.Random, b[:])
		number(int64(binary.LittleEndian.Uint32(b[:])))
	case symSECONDS:
		number(p.secondsBase + int64(now.Sub(p.secondsFrom).Seconds()))
	case symEPOCHSECONDS:
		number(now.Unix())
	case symEPOCHREALTIME:
		c.value.s = strconv.FormatInt(now.Unix(), 10) + "." + strconv.Itoa(now.Nanosecond()/1000 + 1000000)[1:]
	case symLINENO:
		number(int64(p.lineNumber()))
	case symBASHPID:
		number(int64(p.pid))
	case symBASHSUBSHELL:
		number(int64(p.subshell))
	case symBASHCOMMAND:
		c.value.s = p.commandText()
	case symBASHARGV0:
		c.value.s = p.name
	case symHISTCMD:
		c.value.s = "0"
	case symCOMPWORDBREAKS:
		c.value.s = " \t\n\"'@><=;|&(:"
	case symSHELLOPTS:
		var on []string
		for i, o := range optionTable {
			if p.options.has(option(i)) {
				on = append(on, o.name)
			}
		}
		c.value.s = strings.Join(on, ":")
	case symBASHOPTS:
		c.value.s = p.bashopts()
	case symPIPESTATUS:
		if p.pipeStatus == nil {
			list(strconv.Itoa(p.pipeOne))
			break
		}
		values := make([]string, len(p.pipeStatus))
		for i, n := range p.pipeStatus {
			values[i] = strconv.Itoa(n)
		}
		list(values...)
	case symDIRSTACK:
		list(append([]string{p.view.Directory()}, p.directories...)...)
	case symGROUPS:
		id := p.view.Identity()
		values := []string{strconv.Itoa(id.GID)}
		for _, g := range id.Groups {
			if g != id.GID {
				values = append(values, strconv.Itoa(g))
			}
		}
		list(values...)
	case symFUNCNAME:
		if p.functionFrame() == nil {
			c.set = false
			break
		}
		list(p.callNames()...)
	case symBASHSOURCE:
		list(p.callSources()...)
	case symBASHLINENO:
		list(p.callLines()...)
	case symBASHARGC:
		list(p.callArgumentCounts()...)
	case symBASHARGV:
		list(p.callArguments()...)
	case symBASHALIASES:
		c.assoc = newAssoc(p.epoch)
		for _, name := range sortedKeys(p.aliases.entries) {
			t, _ := c.assoc.slot(name)
			*t = text{s: p.aliases.entries[name]}
		}
	case symBASHCMDS:
		c.assoc = newAssoc(p.epoch)
		for _, name := range sortedKeys(p.hashed.entries) {
			t, _ := c.assoc.slot(name)
			*t = text{s: p.hashed.entries[name].path}
		}
	}
	return c
}

// changed does what hangs on an assignment to s, or on its unsetting.
func (p *proc) changed(s symbol) {
	v := p.vars.get(s)
	value := ""
	if v != nil {
		value = v.value.s
	}
	switch s {
	case symPATH:
		p.hashed.entries = nil
	case symOPTIND:
		p.getopts = 0
	case symRANDOM:
		if v.is(attrDynamic) {
			n, _ := strconv.ParseInt(value, 10, 64)
			p.random, p.lastRandom = uint32(n), 0
		}
	case symSECONDS:
		if v.is(attrDynamic) {
			p.secondsBase, _ = strconv.ParseInt(value, 10, 64)
			p.secondsFrom = p.session.config.Now()
		}
	case symBASHARGV0:
		if v.is(attrDynamic) {
			p.name = value
		}
	case symGLOBIGNORE:
		p.shopts = p.shopts.with(shoptDotglob, v != nil && value != "")
	case symPOSIXLYCORRECT:
		p.setOption(optPosix, v != nil && v.set)
	case symBASHALIASES:
		if v.is(attrDynamic) {
			p.aliasesChanged(v)
		}
	case symBASHCMDS:
		if v.is(attrDynamic) {
			p.hashedChanged(v)
		}
	}
}

// aliasesChanged makes aliases of the elements of BASH_ALIASES. One that is
// gone stays an alias, as in bash.
func (p *proc) aliasesChanged(v *variable) {
	v.assoc.each(func(name, value string) bool {
		old, known := p.aliases.get(name)
		switch {
		case known && old == value:
		case !validAlias(name):
			p.errorf("`%s': invalid alias name", name)
		case p.charge(aliasCost + int64(len(value))):
			p.aliases.writable(p)[name] = value
		}
		return true
	})
}

// hashedChanged remembers the commands of BASH_CMDS.
func (p *proc) hashedChanged(v *variable) {
	v.assoc.each(func(name, path string) bool {
		if old, known := p.hashed.get(name); (!known || old.path != path) && p.charge(hashCost) {
			p.hashed.writable(p)[name] = hashEntry{path: path}
		}
		return true
	})
}

// nextRandom is RANDOM's next value: bash's generator (Park and Miller), both
// halves of its 31 bits folded, never the same twice in a row.
func (p *proc) nextRandom() uint32 {
	for {
		seed := int64(p.random)
		if seed == 0 {
			seed = 123459876
		}
		h, l := seed/127773, seed%127773
		t := 16807*l - 2836*h
		if t < 0 {
			t += 0x7fffffff
		}
		p.random = uint32(t)
		n := (p.random >> 16) ^ (p.random & 65535)
		n &= 32767
		if n != p.lastRandom {
			p.lastRandom = n
			return n
		}
	}
}
