package interp

import "strings"

// optionSet holds the set -o options, shoptSet those of shopt.
type (
	optionSet uint32
	shoptSet  uint64
)

// option numbers a set -o option, in the order set -o lists them.
type option uint8

const (
	optAllexport option = iota
	optBraceexpand
	optEmacs
	optErrexit
	optErrtrace
	optFunctrace
	optHashall
	optHistexpand
	optHistory
	optIgnoreeof
	optInteractiveComments
	optKeyword
	optMonitor
	optNoclobber
	optNoexec
	optNoglob
	optNolog
	optNotify
	optNounset
	optOnecmd
	optPhysical
	optPipefail
	optPosix
	optPrivileged
	optVerbose
	optVi
	optXtrace
)

// optionTable names the options and gives their letters (0: none), in order.
var optionTable = [...]struct {
	name   string
	letter byte
}{
	{"allexport", 'a'}, {"braceexpand", 'B'}, {"emacs", 0}, {"errexit", 'e'}, {"errtrace", 'E'},
	{"functrace", 'T'}, {"hashall", 'h'}, {"histexpand", 'H'}, {"history", 0}, {"ignoreeof", 0},
	{"interactive-comments", 0}, {"keyword", 'k'}, {"monitor", 'm'}, {"noclobber", 'C'}, {"noexec", 'n'},
	{"noglob", 'f'}, {"nolog", 0}, {"notify", 'b'}, {"nounset", 'u'}, {"onecmd", 't'}, {"physical", 'P'},
	{"pipefail", 0}, {"posix", 0}, {"privileged", 'p'}, {"verbose", 'v'}, {"vi", 0}, {"xtrace", 'x'},
}

// dashOrder is the order of the letters in $-.
const dashOrder = "abefhkmnptuvxBCEHPT"

func (s optionSet) has(o option) bool { return s&(1<<o) != 0 }

// with is the set with o switched.
func (s optionSet) with(o option, on bool) optionSet {
	if on {
		return s | 1<<o
	}
	return s &^ (1 << o)
}

// optionNamed finds a set -o option by its long name.
func optionNamed(name string) (option, bool) {
	for i, o := range optionTable {
		if o.name == name {
			return option(i), true
		}
	}
	return 0, false
}

// optionLettered finds a set option by its letter.
func optionLettered(letter byte) (option, bool) {
	for i, o := range optionTable {
		if o.letter == letter && letter != 0 {
			return option(i), true
		}
	}
	return 0, false
}

// defaultOptions are those of a shell that reads a script.
const defaultOptions = optionSet(1<<optBraceexpand | 1<<optHashall | 1<<optInteractiveComments)

// setOption switches an option with what hangs on it.
func (p *proc) setOption(o option, on bool) {
	p.options = p.options.with(o, on)
	switch {
	case o == optEmacs && on:
		p.options = p.options.with(optVi, false)
	case o == optVi && on:
		p.options = p.options.with(optEmacs, false)
	case o == optPosix:
		p.shopts = p.shopts.with(shoptInheritErrexit, on).with(shoptExpandAliases, on)
		switch v := p.vars.get(symPOSIXLYCORRECT); {
		case on && (v == nil || !v.set):
			p.vars.put(symPOSIXLYCORRECT, &variable{value: text{s: "y"}, set: true, epoch: p.epoch}, p.epoch)
		case !on && v != nil:
			p.vars.put(symPOSIXLYCORRECT, nil, p.epoch)
		}
	}
}

// dash is $-.
func (p *proc) dash() string {
	var b strings.Builder
	for i := 0; i < len(dashOrder); i++ {
		if o, ok := optionLettered(dashOrder[i]); ok && p.options.has(o) {
			b.WriteByte(dashOrder[i])
		}
	}
	if p.shellMode != 0 {
		b.WriteByte(p.shellMode)
	}
	return b.String()
}

// shopt numbers a shopt option, in the order shopt lists them.
type shopt uint8

const (
	shoptAutocd shopt = iota
	shoptAssocExpandOnce
	shoptCdableVars
	shoptCdspell
	shoptCheckhash
	shoptCheckjobs
	shoptCheckwinsize
	shoptCmdhist
	shoptCompat31
	shoptCompat32
	shoptCompat40
	shoptCompat41
	shoptCompat42
	shoptCompat43
	shoptCompat44
	shoptCompleteFullquote
	shoptDirexpand
	shoptDirspell
	shoptDotglob
	shoptExecfail
	shoptExpandAliases
	shoptExtdebug
	shoptExtglob
	shoptExtquote
	shoptFailglob
	shoptForceFignore
	shoptGlobasciiranges
	shoptGlobskipdots
	shoptGlobstar
	shoptGnuErrfmt
	shoptHistappend
	shoptHistreedit
	shoptHistverify
	shoptHostcomplete
	shoptHuponexit
	shoptInheritErrexit
	shoptInteractiveComments
	shoptLastpipe
	shoptLithist
	shoptLocalvarInherit
	shoptLocalvarUnset
	shoptLoginShell
	shoptMailwarn
	shoptNoEmptyCmdCompletion
	shoptNocaseglob
	shoptNocasematch
	shoptNoexpandTranslation
	shoptNullglob
	shoptPatsubReplacement
	shoptProgcomp
	shoptProgcompAlias
	shoptPromptvars
	shoptRestrictedShell
	shoptShiftVerbose
	shoptSourcepath
	shoptVarredirClose
	shoptXpgEcho
)

var shoptNames = [...]string{
	"autocd", "assoc_expand_once", "cdable_vars", "cdspell", "checkhash", "checkjobs", "checkwinsize", "cmdhist",
	"compat31", "compat32", "compat40", "compat41", "compat42", "compat43", "compat44", "complete_fullquote",
	"direxpand", "dirspell", "dotglob", "execfail", "expand_aliases", "extdebug", "extglob", "extquote", "failglob",
	"force_fignore", "globasciiranges", "globskipdots", "globstar", "gnu_errfmt", "histappend", "histreedit",
	"histverify", "hostcomplete", "huponexit", "inherit_errexit", "interactive_comments", "lastpipe", "lithist",
	"localvar_inherit", "localvar_unset", "login_shell", "mailwarn", "no_empty_cmd_completion", "nocaseglob",
	"nocasematch", "noexpand_translation", "nullglob", "patsub_replacement", "progcomp", "progcomp_alias",
	"promptvars", "restricted_shell", "shift_verbose", "sourcepath", "varredir_close", "xpg_echo",
}

func (s shoptSet) has(o shopt) bool { return s&(1<<o) != 0 }

// with is the set with o switched.
func (s shoptSet) with(o shopt, on bool) shoptSet {
	if on {
		return s | 1<<o
	}
	return s &^ (1 << o)
}

// shoptNamed finds a shopt option.
func shoptNamed(name string) (shopt, bool) {
	for i, n := range shoptNames {
		if n == name {
			return shopt(i), true
		}
	}
	return 0, false
}

const defaultShopts = shoptSet(1<<shoptCheckwinsize | 1<<shoptCmdhist | 1<<shoptCompleteFullquote | 1<<shoptExtquote |
	1<<shoptForceFignore | 1<<shoptGlobasciiranges | 1<<shoptGlobskipdots | 1<<shoptHostcomplete |
	1<<shoptInteractiveComments | 1<<shoptPatsubReplacement | 1<<shoptProgcomp | 1<<shoptPromptvars | 1<<shoptSourcepath)
