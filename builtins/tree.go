package builtins

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/vsh-project/vsh/builtins/internal/rg"
	"github.com/vsh-project/vsh/shell/command"
	"github.com/vsh-project/vsh/vfs"
)

// treeCommand is one run of tree.
type treeCommand struct {
	*call
	all, onlyDirs, follow, fullPath, oneDevice bool
	level                                      int // 0: all
	patterns, ignores                          []string
	fold, matchDirs, metaFirst, prune          bool
	noReport, fileList                         bool
	gitIgnore                                  bool
	fileLimit                                  int
	output                                     string
	question, raw, quoted                      bool
	mode, owner, group, size, human, si, du    bool
	date, inode, device, classify              bool
	timeFormat                                 string
	sort                                       treeSort
	reverse, dirsFirst, filesFirst, changed    bool
	noIndent, color                            bool
	format                                     treeFormat
	lines                                      treeLines
	charset                                    string
	graphics                                   byte // 'A', 'S' or 0

	w       *bufio.Writer
	seen    map[copyInode]bool
	rules   []*rg.Rules
	dirs    int
	files   int
	total   int64
	charged int64
	unended bool // the last tree in JSON lacks its newline
}

type treeSort uint8

const (
	treeByName treeSort = iota
	treeByVersion
	treeByTime
	treeByChange
	treeBySize
	treeUnsorted
)

type treeFormat uint8

const (
	treeText treeFormat = iota
	treeJSON
	treeXML
)

// treeLines are the pieces that a tree's lines are drawn with.
type treeLines struct{ down, fork, last, none string }

func treeRun(c *call) error {
	t := &treeCommand{call: c, w: c.out, seen: map[copyInode]bool{}}
	operands, err := t.options(c.Arguments)
	if err != nil {
		return err
	}
	t.settle()
	if len(operands) == 0 {
		operands = []string{"."}
	}
	defer func() { c.Host().Release(t.charged) }()
	if t.output != "" {
		f, err := c.View().Open(c.ctx, t.output, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			io.WriteString(c.Stderr, "tree: invalid filename '"+t.output+"'\n")
			return command.ExitError(1)
		}
		defer f.Close()
		t.w = bufio.NewWriterSize(f, 32<<10)
		defer t.w.Flush()
	}
	return t.run(operands)
}

// complain prints an error line, which always begins with the command's own name.
func (t *treeCommand) complain(message string) error {
	io.WriteString(t.Stderr, "tree: "+message+"\n")
	return command.ExitError(1)
}

// options reads the arguments: letters may be bundled, and an option's argument
// is always the next word, or stands after = behind a long one.
func (t *treeCommand) options(args []string) (operands []string, err error) {
	only := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if only || len(arg) < 2 || arg[0] != '-' {
			operands = append(operands, arg)
			continue
		}
		if arg == "--" {
			only = true
			continue
		}
		next := func() (string, bool) {
			if i+1 == len(args) {
				return "", false
			}
			i++
			return args[i], true
		}
		if strings.HasPrefix(arg, "--") {
			if err := t.long(arg, next); err != nil {
				return nil, err
			}
			continue
		}
		for j := 1; j < len(arg); j++ {
			if err := t.letter(arg[j], next); err != nil {
				return nil, err
			}
		}
	}
	return operands, nil
}

func (t *treeCommand) letter(letter byte, next func() (string, bool)) error {
	value := func() (string, error) {
		v, ok := next()
		if !ok {
			return "", t.complain("Missing argument to -" + string(letter) + " option.")
		}
		return v, nil
	}
	var err error
	var text string
	switch letter {
	case 'a':
		t.all = true
	case 'd':
		t.onlyDirs = true
	case 'l':
		t.follow = true
	case 'f':
		t.fullPath = true
	case 'x':
		t.oneDevice = true
	case 'L':
		if text, err = value(); err == nil {
			n, wrong := strconv.Atoi(text)
			if wrong != nil || n <= 0 {
				return t.complain("Invalid level, must be greater than 0.")
			}
			t.level = n
		}
	case 'P':
		if text, err = value(); err == nil {
			t.patterns = append(t.patterns, text)
		}
	case 'I':
		if text, err = value(); err == nil {
			t.ignores = append(t.ignores, text)
		}
	case 'o':
		t.output, err = value()
	case 'T':
		_, err = value()
	case 'q':
		t.question = true
	case 'N':
		t.raw = true
	case 'Q':
		t.quoted = true
	case 'p':
		t.mode = true
	case 'u':
		t.owner = true
	case 'g':
		t.group = true
	case 's':
		t.size = true
	case 'h':
		t.human, t.size = true, true
	case 'D':
		t.date = true
	case 'F':
		t.classify = true
	case 'v':
		t.sort = treeByVersion
	case 't':
		t.sort = treeByTime
	case 'c':
		t.sort, t.changed = treeByChange, true
	case 'U':
		t.sort = treeUnsorted
	case 'r':
		t.reverse = true
	case 'i':
		t.noIndent = true
	case 'A', 'S':
		t.graphics = letter
	case 'n':
		t.color = false
	case 'C':
		t.color = true
	case 'X':
		t.format = treeXML
	case 'J':
		t.format = treeJSON
	case 'H', 'R':
		return t.complain("-" + string(letter) + " is not supported")
	default:
		return t.invalid("-`" + string(letter) + "'.")
	}
	return err
}

func (t *treeCommand) invalid(what string) error {
	t.complain("Invalid argument " + what)
	io.WriteString(t.Stderr, "Usage: "+t.program.usage+"\n")
	return command.ExitError(1)
}

func (t *treeCommand) long(arg string, next func() (string, bool)) error {
	name, text, attached := strings.Cut(arg[2:], "=")
	value := func() (string, error) {
		if attached {
			return text, nil
		}
		v, ok := next()
		if !ok {
			return "", t.complain("Missing argument to --" + name)
		}
		return v, nil
	}
	var err error
	switch name {
	case "help":
		return t.showHelp()
	case "version":
		return t.showVersion()
	case "inodes":
		t.inode = true
	case "device":
		t.device = true
	case "noreport":
		t.noReport = true
	case "nolinks", "fflinks":
	case "dirsfirst":
		t.dirsFirst = true
	case "filesfirst":
		t.filesFirst = true
	case "ignore-case":
		t.fold = true
	case "matchdirs":
		t.matchDirs = true
	case "metafirst":
		t.metaFirst = true
	case "prune":
		t.prune = true
	case "si":
		t.si, t.human, t.size = true, true, true
	case "du":
		t.du, t.size = true, true
	case "fromfile":
		t.fileList = true
	case "gitignore":
		t.gitIgnore = true
	case "filelimit":
		if text, err = value(); err == nil {
			t.fileLimit, _ = strconv.Atoi(text)
		}
	case "charset":
		t.charset, err = value()
	case "timefmt":
		t.timeFormat, err = value()
		t.date = true
	case "sort":
		if text, err = value(); err == nil {
			for i, kind := range [...]string{"name", "version", "mtime", "ctime", "size"} {
				if strings.EqualFold(kind, text) {
					t.sort = treeSort(i)
					return nil
				}
			}
			io.WriteString(t.Stderr, "tree: Sort type '"+text+"' not valid, should be one of: ")
			t.out.WriteString("name,version,size,mtime,ctime\n")
			return command.ExitError(1)
		}
	case "info": // there are no .info files to show
	case "infofile", "gitfile", "hintro", "houtro":
		return t.complain("--" + name + " is not supported")
	default:
		return t.invalid("`" + arg + "'.")
	}
	return err
}

func (t *treeCommand) settle() {
	t.lines = treeLines{down: "|   ", fork: "|-- ", last: "`-- ", none: "    "}
	charset := strings.ToLower(t.charset)
	switch {
	case t.graphics == 'A':
		t.lines = treeLines{"x   ", "tqq ", "mqq ", "    "}
	case t.graphics == 'S':
		t.lines = treeLines{"\xb3   ", "\xc3\xc4\xc4 ", "\xc0\xc4\xc4 ", "    "}
	case charset == "utf-8" || charset == "utf8" || charset == "" && !t.cLocale():
		// The blanks after the line down do not break.
		t.lines = treeLines{"│\u00a0\u00a0 ", "├── ", "└── ", "    "}
	case charset == "latin1" || charset == "l1" || strings.HasPrefix(charset, "iso-8859-1") || charset == "cp819" || charset == "ibm819":
		t.lines.last = "&middot;-- "
	}
}

func (t *treeCommand) run(operands []string) error {
	switch t.format {
	case treeJSON:
		t.w.WriteString("[")
		if !t.noIndent {
			t.w.WriteByte('\n')
		}
	case treeXML:
		t.w.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + t.newline() + "<tree>" + t.newline())
	}
	for _, name := range operands {
		if err := t.root(name); err != nil {
			return err
		}
	}
	if t.unended {
		t.w.WriteString(t.newline())
	}
	return t.report()
}

func (t *treeCommand) newline() string {
	if t.noIndent && t.format != treeText {
		return ""
	}
	return "\n"
}

// root prints the tree of one operand.
func (t *treeCommand) root(name string) error {
	shown := name
	if len(name) > 1 {
		name = strings.TrimSuffix(name, "/")
		if name == "" {
			name = "/"
		}
	}
	n := &treeNode{name: shown, path: name}
	var err error
	if t.fileList {
		err = t.readList(n)
	} else {
		err = t.describe(n, true)
	}
	if err == nil && n.info != nil && !n.directory {
		err = vfs.ENOTDIR
	}
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if err != nil {
		return t.rootFailed(n)
	}
	if n.info != nil {
		t.seen[copyID(n.info)] = true
	}
	status := t.status
	if err := t.load(n, 1); err != nil {
		return err
	}
	if n.unread {
		t.status = status // an operand's fault does not count
		return t.rootFailed(n)
	}
	if t.prune || t.du {
		if err := t.loadAll(n, 1); err != nil {
			return err
		}
	}
	return t.printRoot(n)
}

func (t *treeCommand) rootFailed(n *treeNode) error {
	if n.info != nil {
		t.files++
		if info, err := t.View().Lstat(t.ctx, n.path); err == nil {
			n.info, n.size = info, info.Bytes
		}
	} else {
		t.status = 2
	}
	switch t.format {
	case treeJSON:
		if t.unended {
			t.w.WriteString(t.newline())
		}
		t.unended = false
		if n.info != nil {
			t.openJSON(n, 1)
		} else {
			t.w.WriteString(`,"name":"` + treeJSONText(n.name) + `"`)
		}
		t.w.WriteString(`,"contents":[{"error": "error opening dir"}` + "\n\n  ]}\n")
	case treeXML:
		tag := "unknown"
		if n.info != nil {
			tag = treeType(n)
			t.openXML(n, 1)
		} else {
			t.w.WriteString(` name="` + treeXMLText(n.name) + `"`)
		}
		t.w.WriteString("><error>error opening dir</error>\n  </" + tag + ">\n")
	default:
		if meta := t.meta(n); meta != "" {
			t.w.WriteString(meta + "  ")
		}
		t.w.WriteString(t.showName(n.name) + "  [error opening dir]\n")
	}
	return nil
}

func (t *treeCommand) report() error {
	switch t.format {
	case treeJSON:
		if !t.noReport {
			t.w.WriteString("," + t.newline() + t.jsonIndent(1) + `{"type":"report"`)
			if t.du {
				t.w.WriteString(`,"size":` + strconv.FormatInt(t.total, 10))
			}
			t.w.WriteString(`,"directories":` + strconv.Itoa(t.dirs))
			if !t.onlyDirs {
				t.w.WriteString(`,"files":` + strconv.Itoa(t.files))
			}
			t.w.WriteString("}")
		}
		t.w.WriteString(t.newline() + "]\n")
	case treeXML:
		if !t.noReport {
			indent, nl := t.jsonIndent(1), t.newline()
			t.w.WriteString(indent + "<report>" + nl)
			if t.du {
				t.w.WriteString(indent + indent + "<size>" + strconv.FormatInt(t.total, 10) + "</size>" + nl)
			}
			t.w.WriteString(indent + indent + "<directories>" + strconv.Itoa(t.dirs) + "</directories>" + nl)
			if !t.onlyDirs {
				t.w.WriteString(indent + indent + "<files>" + strconv.Itoa(t.files) + "</files>" + nl)
			}
			t.w.WriteString(indent + "</report>" + nl)
		}
		t.w.WriteString("</tree>\n")
	default:
		if t.noReport {
			return nil
		}
		t.w.WriteByte('\n')
		if t.du {
			t.w.WriteString(t.sizeText(t.total) + " used in ")
		}
		t.w.WriteString(strconv.Itoa(t.dirs) + " director" + treePlural(t.dirs, "y", "ies"))
		if !t.onlyDirs {
			t.w.WriteString(", " + strconv.Itoa(t.files) + " file" + treePlural(t.files, "", "s"))
		}
		t.w.WriteByte('\n')
	}
	return nil
}

func treePlural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (t *treeCommand) jsonIndent(depth int) string {
	if t.noIndent {
		return ""
	}
	return strings.Repeat("  ", depth)
}

func treeProgram(string) *program {
	return &program{
		output: outputStyle{unchecked: true},
		usage: `tree [OPTION]... [DIRECTORY]...
Draw the tree of each DIRECTORY, or of the current one.

  -a  hidden files too     -d  directories only     -l  follow links to directories
  -f  full paths           -x  stay on the device   -L N  at most N levels
  -P PATTERN, -I PATTERN   only, or no, files that match; | separates patterns
  --ignore-case  --matchdirs  -P speaks of directories too
  --prune        no empty directories               --gitignore  mind .gitignore
  --filelimit N  open no directory with more than N entries
  --fromfile     the operands are lists of paths, "." is standard input
  --noreport     no counts at the end               -o FILE  write to FILE
  -p -u -g -s -h --si -D --inodes --device  mode, owner, group, size, date, numbers
  --du           sizes of directories with what they hold
  --timefmt F    dates by strftime's format F       --metafirst  these before the lines
  -F  mark kinds as ls -F  -Q  quote names  -N  names as they are  -q  ? for unprintable
  -t -c -v -U -r --sort=name|version|size|mtime|ctime  --dirsfirst  --filesfirst
  -i  no lines  -A, -S  other lines  --charset=X  -C  colours  -n  none
  -J  JSON      -X  XML
  --help  --version`,
		run: treeRun,
	}
}
