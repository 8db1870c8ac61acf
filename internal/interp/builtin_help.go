package interp

import (
	"fmt"
	"sort"
	"strings"
)

// help, in words of our own.

func init() {
	builtinTables = append(builtinTables, func() []builtin {
		return []builtin{{name: "help", run: builtinHelp, usage: "help [-dms] [pattern ...]"}}
	})
}

// helpTopic is what help tells of a builtin or a reserved word. usage is empty
// for builtins, whose table has it.
type helpTopic struct {
	name, usage, short, long string
}

// helpTopics are all topics in order of their names.
func helpTopics() []helpTopic {
	return []helpTopic{
		{"%", "job_spec [&]", "Resume a job.", "Needs job control, which a script does not have."},
		{"(( ... ))", "(( expression ))", "Evaluate arithmetic as a command.", "The status is 0 unless EXPRESSION is 0."},
		{".", "", "Run a file in the current shell.", "FILENAME is looked for in PATH unless it holds a slash. Its ARGUMENTS are its positional parameters."},
		{":", "", "Do nothing.", "Arguments are expanded; the status is 0."},
		{"[", "", "Evaluate a condition.", "As test, with a closing ] as the last argument."},
		{"[[ ... ]]", "[[ expression ]]", "Evaluate a condition without word splitting.", "Takes what test takes, and &&, ||, ( ), patterns right of == and !=, and regular expressions right of =~."},
		{"alias", "", "Define or show aliases.", "With NAME=VALUE an alias is defined, with NAME shown; without arguments, or with -p, all are listed."},
		{"bg", "", "Resume jobs in the background.", "Needs job control, which a script does not have."},
		{"bind", "", "Bind keys.", "There is no line editing here; the builtin refuses."},
		{"break", "", "Leave loops.", "Leaves N loops that enclose it, 1 if N is left out."},
		{"builtin", "", "Run a builtin.", "A function of the same name is passed over."},
		{"caller", "", "Show who called.", "Prints line and file of the call; with EXPR, a number of calls up, also the function's name."},
		{"case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac", "Choose commands by pattern.", "The first clause with a PATTERN that matches WORD runs. ;& goes on with the next clause, ;;& with the next that matches."},
		{"cd", "", "Change the working directory.", "DIR is HOME if left out, OLDPWD for -. CDPATH is searched.\n  -L  keep symbolic links in the name (the default)\n  -P  resolve them"},
		{"command", "", "Run a command, passing over functions.", "  -p  search a standard PATH\n  -v  say what would run\n  -V  say it in a sentence"},
		{"compgen", "", "List possible completions of a word.", "Takes the options of complete and prints what they yield for WORD."},
		{"complete", "", "Declare how arguments are completed.", "  -p  print specifications\n  -r  remove them\nSpecifications are kept and printed; nothing here completes words."},
		{"compopt", "", "Change options of a completion.", "  -o OPTION  switch on\n  +o OPTION  switch off"},
		{"continue", "", "Go on with a loop's next round.", "N counts the enclosing loops, 1 if left out."},
		{"coproc", "coproc [NAME] COMMAND [REDIRECTIONS]", "Run a command with a pipe to and from it.", "The array NAME (COPROC) holds the descriptors to read from and write to, NAME_PID the process."},
		{"declare", "", "Declare variables and their attributes.", "  -a -A  indexed, associative array\n  -f -F  functions, or their names only\n  -g     global, inside a function\n  -i     integer\n  -l -u  lower, upper case\n  -n     reference to another variable\n  -p     print\n  -r     readonly\n  -t     trace\n  -x     export\nA + takes an attribute away."},
		{"dirs", "", "Show the directory stack.", "  -c  clear it\n  -l  without ~\n  -p  one a line\n  -v  with numbers\n  +N -N  the Nth from the left, from the right"},
		{"disown", "", "Forget jobs.", "  -a  all jobs\n  -h  keep them, but send no HUP\n  -r  running ones"},
		{"echo", "", "Print arguments.", "  -n  no newline\n  -e  resolve backslash escapes\n  -E  do not"},
		{"enable", "", "Switch builtins on and off.", "  -a  list all\n  -n  switch off\n  -p  list\n  -s  special ones only"},
		{"eval", "", "Run arguments as shell input.", "The arguments are joined by blanks."},
		{"exec", "", "Replace the shell by a command.", "Without COMMAND the redirections stay.\n  -a NAME  its $0\n  -c       empty environment\n  -l       as a login shell"},
		{"exit", "", "End the shell.", "N is its status, that of the last command if left out."},
		{"export", "", "Export variables to programs.", "  -f  functions\n  -n  export no longer\n  -p  list"},
		{"false", "", "Fail.", "The status is 1."},
		{"fc", "", "List the history.", "  -l  list\n  -n  without numbers\n  -r  newest first\nEditing needs an editor and is refused."},
		{"fg", "", "Move a job to the foreground.", "Needs job control, which a script does not have."},
		{"for", "for NAME [in WORDS ... ] ; do COMMANDS; done", "Run commands for each word.", "Without in, the words are the positional parameters."},
		{"for ((", "for (( EXP1; EXP2; EXP3 )); do COMMANDS; done", "Loop with arithmetic.", "EXP1 is evaluated once, EXP2 before each round, EXP3 after it."},
		{"function", "function NAME { COMMANDS ; } or NAME () { COMMANDS ; }", "Define a function.", "Its arguments are positional parameters while it runs."},
		{"getopts", "", "Parse options.", "Puts the next option into NAME and its argument into OPTARG; fails at their end."},
		{"hash", "", "Remember where commands are.", "  -d  forget\n  -l  list as commands\n  -p PATH  remember that\n  -r  forget all\n  -t  show"},
		{"help", "", "Tell about builtins.", "  -d  short descriptions\n  -m  as a page\n  -s  synopses only"},
		{"history", "", "List and change the history.", "  -c  clear\n  -d OFFSET  remove\n  -s  add\n  -a -n -r -w  files"},
		{"if", "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi", "Run commands by a condition.", "The status of the first COMMANDS decides."},
		{"jobs", "", "List jobs.", "  -l  with process ids\n  -n  what has changed\n  -p  process ids only\n  -r -s  running, stopped"},
		{"kill", "", "Send a signal to jobs or processes.", "  -l  list names\n  -n -s  the signal, TERM if left out"},
		{"let", "", "Evaluate arithmetic.", "Each ARG is an expression; the status is 1 if the last is 0."},
		{"local", "", "Make local variables.", "Takes declare's options. local - keeps the shell's options."},
		{"logout", "", "End a login shell.", "Refused elsewhere."},
		{"mapfile", "", "Read lines into an array.", "  -d DELIM  instead of newline\n  -n COUNT  at most so many\n  -O ORIGIN  first index\n  -s COUNT  skip\n  -t  without the delimiter\n  -u FD\n  -C CALLBACK -c QUANTUM  call it every so many lines"},
		{"popd", "", "Take a directory off the stack.", "  -n  do not change directory\n  +N -N  that one"},
		{"printf", "", "Print by a format.", "  -v VAR  into a variable"},
		{"pushd", "", "Put a directory on the stack.", "  -n  do not change directory\n  +N -N  rotate the stack"},
		{"pwd", "", "Print the working directory.", "  -L  as it was reached\n  -P  without symbolic links"},
		{"read", "", "Read a line into variables.", "  -a ARRAY  its words into an array\n  -d DELIM  instead of newline\n  -n -N  so many characters\n  -r  backslashes mean nothing\n  -t TIMEOUT\n  -u FD"},
		{"readarray", "", "Read lines into an array.", "Another name of mapfile."},
		{"readonly", "", "Make variables readonly.", "  -a -A  arrays\n  -f  functions\n  -p  list"},
		{"return", "", "Leave a function or a sourced file.", "N is the status, that of the last command if left out."},
		{"select", "select NAME [in WORDS ... ;] do COMMANDS; done", "Offer a menu.", "The line read is in REPLY, the word chosen in NAME."},
		{"set", "", "Set options and positional parameters.", "Each letter switches an option on after -, off after +. -o NAME does it by name."},
		{"shift", "", "Drop positional parameters.", "N of them, 1 if left out."},
		{"shopt", "", "Switch optional behaviour.", "  -o  the options of set\n  -p  print as commands\n  -q  only the status\n  -s -u  on, off"},
		{"source", "", "Run a file in the current shell.", "Another name of the builtin “.”."},
		{"suspend", "", "Suspend the shell.", "Needs job control, which a script does not have."},
		{"test", "", "Evaluate a condition.", "Files: -e -f -d -r -w -x -s -L …, -nt -ot -ef; strings: -n -z = != < >; numbers: -eq -ne -lt -le -gt -ge; ! -a -o ( )."},
		{"time", "time [-p] PIPELINE", "Report the time a pipeline takes.", "TIMEFORMAT decides how; -p asks for POSIX's form."},
		{"times", "", "Show the time used.", "By the shell and its children, user and system."},
		{"trap", "", "Handle signals and events.", "ARG runs when SIGNAL_SPEC comes; - puts back, an empty one ignores. EXIT, DEBUG, ERR and RETURN are events.\n  -l  list names\n  -p  print"},
		{"true", "", "Succeed.", "The status is 0."},
		{"type", "", "Say what a name is.", "  -a  all meanings\n  -f  no functions\n  -P -p  paths\n  -t  one word"},
		{"typeset", "", "Declare variables and their attributes.", "Another name of declare."},
		{"ulimit", "", "Show and set limits.", "  -a  all\n  -H -S  hard, soft\nThe values are the shell's own; its real bounds are set by who runs it."},
		{"umask", "", "Show or set the mask of new files.", "  -p  as a command\n  -S  symbolic"},
		{"unalias", "", "Remove aliases.", "  -a  all"},
		{"unset", "", "Remove variables and functions.", "  -f  functions\n  -n  a reference itself\n  -v  variables"},
		{"until", "until COMMANDS; do COMMANDS-2; done", "Loop until a condition holds.", "COMMANDS-2 runs as long as COMMANDS fails."},
		{"variables", "variables - Names and meanings of some shell variables", "Variables of the shell.", "BASH_VERSION, HOME, IFS, OLDPWD, OPTARG, OPTIND, PATH, PPID, PS4, PWD, RANDOM, REPLY, SECONDS, UID and others are set by it."},
		{"wait", "", "Wait for jobs.", "  -n  for the first to end\n  -p VAR  its id\n  -f  until it has ended"},
		{"while", "while COMMANDS; do COMMANDS-2; done", "Loop while a condition holds.", "COMMANDS-2 runs as long as COMMANDS succeeds."},
		{"{ ... }", "{ COMMANDS ; }", "Group commands.", "They run in the current shell."},
	}
}

// helpNames are the topics' names.
func helpNames() []string {
	topics := helpTopics()
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.name
	}
	return names
}

// synopsis is a topic's line of usage.
func (p *proc) synopsis(t helpTopic) string {
	if t.usage != "" {
		return t.usage
	}
	if b := p.session.builtins[t.name]; b != nil {
		return b.usage
	}
	return t.name
}

// wantsHelp reports whether a builtin called with --help tells about itself;
// for the others it is an operand.
func wantsHelp(name string, args []string) bool {
	if len(args) == 0 || args[0] != "--help" {
		return false
	}
	switch name {
	case "echo", "test", "[", ":", "true", "false":
		return false
	}
	return true
}

// showHelp is what NAME --help prints.
func (p *proc) showHelp(name string) {
	for _, t := range helpTopics() {
		if t.name == name {
			p.writeHelp(t)
		}
	}
}

func (p *proc) writeHelp(t helpTopic) {
	p.write(t.name + ": " + p.synopsis(t) + "\n    " + t.short + "\n    \n")
	for _, line := range strings.Split(t.long, "\n") {
		p.write("    " + line + "\n")
	}
}

func builtinHelp(p *proc, args []string) int {
	var short, page, usage bool
	o := p.shortOptions("help", "dms", args)
	for o.next() {
		switch o.letter {
		case 'd':
			short = true
		case 'm':
			page = true
		case 's':
			usage = true
		}
	}
	if o.status != 0 {
		return o.status
	}
	args = o.args
	topics := helpTopics()
	sort.SliceStable(topics, func(i, j int) bool { return topics[i].name < topics[j].name })
	if len(args) == 0 {
		p.unheeded = true
		p.listHelp(topics)
		return 0
	}
	pattern := args[0]
	for _, a := range args {
		if strings.ContainsAny(a, "*?[") {
			p.write("Shell commands matching keyword `" + a + "'\n\n")
		}
	}
	found := false
	for _, a := range args {
		pattern = a
		matched := false
		// A name is a prefix of topics only if it is none itself.
		for pass := 0; pass < 2 && !matched; pass++ {
			for _, t := range topics {
				exact := t.name == a || p.matchesCase(a, t.name, true)
				if pass == 0 && !exact || pass == 1 && !strings.HasPrefix(t.name, a) {
					continue
				}
				found, matched = true, true
				switch {
				case short:
					p.write(t.name + " - " + t.short + "\n")
				case page:
					p.write("NAME\n    " + t.name + " - " + t.short + "\n\nSYNOPSIS\n    " + p.synopsis(t) + "\n\nDESCRIPTION\n")
					for _, line := range strings.Split(t.short+"\n\n"+t.long, "\n") {
						p.write("    " + line + "\n")
					}
				case usage:
					p.write(t.name + ": " + p.synopsis(t) + "\n")
				default:
					p.writeHelp(t)
				}
			}
		}
	}
	if !found {
		p.errorf("help: no help topics match `%s'.  Try `help help' or `man -k %s' or `info %s'.", pattern, pattern, pattern)
		return 1
	}
	return 0
}

// listHelp prints the synopses in two columns.
func (p *proc) listHelp(topics []helpTopic) {
	p.write("These commands are built into the shell. Type `help NAME' to read about one.\nA star says that the builtin is disabled.\n\n")
	half := (len(topics) + 1) / 2
	cell := func(i, width int) string {
		star := " "
		if off, _ := p.disabled.get(topics[i].name); off {
			star = "*"
		}
		s := star + p.synopsis(topics[i])
		if len(s) > width {
			s = s[:width-1] + ">"
		}
		return s
	}
	for i := range half {
		if i+half < len(topics) {
			p.write(fmt.Sprintf("%-39s %s\n", cell(i, 38), cell(i+half, 38)))
		} else {
			p.write(cell(i, 38) + "\n")
		}
	}
}
