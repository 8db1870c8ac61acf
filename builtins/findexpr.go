package builtins

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vsh-project/vsh/shell/command"
)

// findParser reads the expression.
type findParser struct {
	find *findCommand
	args []string
	at   int
	// test is the first test or action seen, for the warning about options
	// that come after it; previous the last predicate of all.
	test, previous string
	regexType      string
	depth          int
}

// findMaxNesting bounds parentheses and negations.
const findMaxNesting = 1000

// findBinary names the operators that stand between expressions.
func findBinary(arg string) bool {
	return arg == "-o" || arg == "-or" || arg == "-a" || arg == "-and" || arg == ","
}

// parse compiles the expression and adds -print where no action stands.
func (f *findCommand) parse(args []string) (findNode, error) {
	p := &findParser{find: f, args: args, regexType: "findutils-default"}
	f.depthGiven = slices.Contains(args, "-depth") || slices.Contains(args, "-d")
	var node findNode
	if len(args) == 0 {
		node = func(*findFile) (bool, error) { return true, nil }
	} else {
		var err error
		if node, err = p.list(); err != nil {
			return nil, err
		}
		if p.at < len(args) {
			return nil, f.fatalf("you have too many ')'")
		}
	}
	if f.prunes && f.deletes && !f.depthGiven {
		return nil, f.fatalf("The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you want to carry on anyway, just explicitly use the -depth option.")
	}
	if f.prints {
		return node, nil
	}
	expression := node
	return func(file *findFile) (bool, error) {
		ok, err := expression(file)
		if !ok || err != nil {
			return ok, err
		}
		return f.print(f.out, file.Path, '\n')
	}, nil
}

func (p *findParser) peek() (string, bool) {
	if p.at < len(p.args) {
		return p.args[p.at], true
	}
	return "", false
}

// list is expressions joined by commas.
func (p *findParser) list() (findNode, error) {
	left, err := p.or()
	for err == nil {
		arg, ok := p.peek()
		if !ok || arg != "," {
			return left, nil
		}
		p.at++
		var right findNode
		if right, err = p.operand(arg, p.or); err != nil {
			break
		}
		first := left
		left = func(f *findFile) (bool, error) {
			if _, err := first(f); err != nil {
				return false, err
			}
			return right(f)
		}
	}
	return nil, err
}

func (p *findParser) or() (findNode, error) {
	left, err := p.and()
	for err == nil {
		arg, ok := p.peek()
		if !ok || arg != "-o" && arg != "-or" {
			return left, nil
		}
		p.at++
		var right findNode
		if right, err = p.operand(arg, p.and); err != nil {
			break
		}
		first := left
		left = func(f *findFile) (bool, error) {
			if ok, err := first(f); ok || err != nil {
				return ok, err
			}
			return right(f)
		}
	}
	return nil, err
}

func (p *findParser) and() (findNode, error) {
	left, err := p.not()
	for err == nil {
		arg, ok := p.peek()
		if !ok || arg == ")" || arg == "," || arg == "-o" || arg == "-or" {
			return left, nil
		}
		var right findNode
		if arg == "-a" || arg == "-and" {
			p.at++
			right, err = p.operand(arg, p.not)
		} else {
			right, err = p.not()
		}
		if err != nil {
			break
		}
		first := left
		left = func(f *findFile) (bool, error) {
			if ok, err := first(f); !ok || err != nil {
				return false, err
			}
			return right(f)
		}
	}
	return nil, err
}

// operand reads what must follow an operator.
func (p *findParser) operand(operator string, read func() (findNode, error)) (findNode, error) {
	arg, ok := p.peek()
	if !ok {
		return nil, p.find.fatalf("expected an expression after '%s'", operator)
	}
	if findBinary(arg) {
		return nil, p.find.fatalf("invalid expression; you have used a binary operator '%s' with nothing before it.", arg)
	}
	if arg == ")" {
		return nil, p.find.fatalf("expected an expression between '%s' and ')'", operator)
	}
	return read()
}

func (p *findParser) not() (findNode, error) {
	if p.depth++; p.depth > findMaxNesting {
		return nil, p.find.fatalf("invalid expression; it is nested too deep")
	}
	defer func() { p.depth-- }()
	arg, ok := p.peek()
	switch {
	case !ok:
		return nil, p.find.fatalf("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '%s'", p.previous)
	case findBinary(arg):
		return nil, p.find.fatalf("invalid expression; you have used a binary operator '%s' with nothing before it.", arg)
	case arg == ")":
		return nil, p.find.fatalf("invalid expression; you have too many ')'")
	case arg == "!" || arg == "-not":
		p.at++
		inner, err := p.operand(arg, p.not)
		if err != nil {
			return nil, err
		}
		return func(f *findFile) (bool, error) {
			ok, err := inner(f)
			return !ok && err == nil, err
		}, nil
	case arg == "(":
		return p.parenthesis()
	case !findStartsExpression(arg, false):
		p.find.errorf("paths must precede expression: `%s'", arg)
		if p.previous != "" {
			if _, err := p.find.View().Lstat(p.find.ctx, arg); err == nil {
				p.find.warnf("possible unquoted pattern after predicate `%s'?", p.previous)
			}
		}
		return nil, command.ExitError(1)
	}
	p.at++
	return p.predicate(arg)
}

func (p *findParser) parenthesis() (findNode, error) {
	p.at++
	p.previous = "("
	arg, ok := p.peek()
	switch {
	case !ok:
		return nil, p.find.fatalf("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('")
	case arg == ")":
		return nil, p.find.fatalf("invalid expression; empty parentheses are not allowed.")
	}
	inner, err := p.list()
	if err != nil {
		return nil, err
	}
	if arg, ok = p.peek(); !ok || arg != ")" {
		return nil, p.find.fatalf("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
	}
	p.at++
	return inner, nil
}

// argument is a predicate's argument.
func (p *findParser) argument(name string) (string, error) {
	arg, ok := p.peek()
	if !ok {
		return "", p.find.fatalf("missing argument to `%s'", name)
	}
	p.at++
	return arg, nil
}

// predicate compiles one predicate with its arguments.
func (p *findParser) predicate(name string) (node findNode, err error) {
	known := name
	if strings.HasPrefix(name, "-newer") && len(name) > len("-newer") {
		known = "-newerXY"
	}
	read, kind := findPredicate(known)
	if name == "--help" || name == "--version" {
		read, kind = findPredicate(name[1:])
	}
	if read == nil {
		return nil, p.find.fatalf("unknown predicate `%s'", name)
	}
	if kind == findGlobal && p.test != "" && p.find.warnings {
		p.find.warnf("warning: you have specified the global option %s after the argument %s, but global options are not positional, i.e., %s affects tests specified before it as well as those specified after it.  Please specify global options before other arguments.", name, p.test, name)
	}
	node, err = read(p, name)
	if p.previous = name; kind >= findTest && p.test == "" {
		p.test = name
	}
	if err == nil && node == nil {
		node = func(*findFile) (bool, error) { return true, nil }
	}
	return node, err
}

type findKind uint8

const (
	findGlobal     findKind = iota // an option for the whole run, wherever it stands
	findPositional                 // an option for what follows it
	findTest
	findAction
)

// findPredicate finds a predicate's reader.
func findPredicate(name string) (func(p *findParser, name string) (findNode, error), findKind) {
	switch name {
	case "-depth", "-d", "-ignore_readdir_race", "-noignore_readdir_race", "-mount", "-xdev", "-noleaf":
		return (*findParser).flag, findGlobal
	case "-maxdepth", "-mindepth":
		return (*findParser).bound, findGlobal
	case "-files0-from":
		return (*findParser).filesFrom, findGlobal
	case "-help", "-version":
		return (*findParser).about, findGlobal
	case "-daystart", "-follow", "-warn", "-nowarn":
		return (*findParser).flag, findPositional
	case "-regextype":
		return (*findParser).setRegexType, findPositional
	case "-true", "-false":
		return (*findParser).constant, findTest
	case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-lname", "-ilname":
		return (*findParser).pattern, findTest
	case "-regex", "-iregex":
		return (*findParser).regex, findTest
	case "-type", "-xtype":
		return (*findParser).fileType, findTest
	case "-size":
		return (*findParser).size, findTest
	case "-empty":
		return (*findParser).empty, findTest
	case "-perm":
		return (*findParser).perm, findTest
	case "-links", "-inum", "-uid", "-gid":
		return (*findParser).number, findTest
	case "-user", "-group":
		return (*findParser).owner, findTest
	case "-nouser", "-nogroup":
		return (*findParser).noOwner, findTest
	case "-readable", "-writable", "-executable":
		return (*findParser).access, findTest
	case "-samefile":
		return (*findParser).sameFile, findTest
	case "-newer", "-anewer", "-cnewer":
		return (*findParser).newer, findTest
	case "-newerXY":
		return (*findParser).newerXY, findTest
	case "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin":
		return (*findParser).age, findTest
	case "-used":
		return (*findParser).used, findTest
	case "-fstype":
		return (*findParser).fsType, findTest
	case "-context":
		return (*findParser).context, findTest
	case "-print", "-print0", "-fprint", "-fprint0":
		return (*findParser).printPath, findAction
	case "-printf", "-fprintf":
		return (*findParser).printFormat, findAction
	case "-ls", "-fls":
		return (*findParser).ls, findAction
	case "-prune":
		return (*findParser).prune, findAction
	case "-quit":
		return (*findParser).quit, findAction
	case "-delete":
		return (*findParser).delete, findAction
	case "-exec", "-execdir", "-ok", "-okdir":
		return (*findParser).exec, findAction
	}
	return nil, 0
}

func (p *findParser) flag(name string) (findNode, error) {
	f := p.find
	switch name {
	case "-d", "-depth":
		f.depthFirst = true
		if name == "-d" && f.warnings {
			f.warnf("warning: the -d option is deprecated; please use -depth instead, because the latter is a POSIX-compliant feature.")
		}
	case "-ignore_readdir_race":
		f.ignoreRace = true
	case "-noignore_readdir_race":
		f.ignoreRace = false
	case "-mount", "-xdev":
		f.oneDevice = true
	case "-follow":
		f.links = findFollow
	case "-warn":
		f.warnings = true
	case "-nowarn":
		f.warnings = false
	case "-daystart":
		if !f.daystart {
			f.daystart = true
			f.day = findDayStart(f.start.In(f.location))
		}
	}
	return nil, nil
}

func (p *findParser) bound(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	n, ok := findDigits(arg)
	if ok && n == findTooLarge {
		return nil, p.find.fatalf("%s: Numerical result out of range", arg)
	}
	if !ok {
		return nil, p.find.fatalf("Expected a positive decimal integer argument to %s, but got %s", name, quote(arg))
	}
	if name == "-maxdepth" {
		p.find.maxDepth = n
	} else {
		p.find.minDepth = n
	}
	return nil, nil
}

// findTooLarge stands for every number beyond an int32.
const findTooLarge = 1 << 31

// findDigits reads digits alone.
func findDigits(s string) (int, bool) {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = min(n*10+int(s[i]-'0'), findTooLarge)
	}
	return n, s != ""
}

func (p *findParser) filesFrom(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	p.find.filesFrom, p.find.hasFilesFrom = arg, true
	return nil, nil
}

func (p *findParser) about(name string) (findNode, error) {
	if strings.HasSuffix(name, "help") {
		fmt.Fprintf(p.find.out, "Usage: %s\n", p.find.program.usage)
	} else {
		writeVersion(p.find.out, "find")
	}
	return nil, errDone
}

func (p *findParser) setRegexType(name string) (findNode, error) {
	arg, err := p.argument(name)
	if err != nil {
		return nil, err
	}
	if _, ok := findRegexSyntax(arg); !ok {
		return nil, p.find.fatalf("Unknown regular expression type %s; valid types are %s.", quote(arg), findRegexTypes())
	}
	p.regexType = arg
	return nil, nil
}

func (p *findParser) constant(name string) (findNode, error) {
	is := name == "-true"
	return func(*findFile) (bool, error) { return is, nil }, nil
}
