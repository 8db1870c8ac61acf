package awk

import (
	"bufio"
	"context"
	"io"
	"strconv"
	"strings"
	"time"
)

// Config is everything a run touches.
type Config struct {
	// Escapes is told of assignments' escapes that mean nothing, or is nil.
	Escapes        *Escapes
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Arguments are ARGV without the program's name.
	Arguments []string
	Name      string // ARGV[0], and what messages begin with
	// Environment is ENVIRON, as NAME=value.
	Environment []string
	// Assignments are -v's, NAME=value with escapes; FS is -F's.
	Assignments []string
	FS          *string
	// Open opens a file to read, Create one to write or append to.
	Open   func(name string) (io.ReadCloser, error)
	Create func(name string, add bool) (io.WriteCloser, error)
	// Run runs a shell command to its end, with ENVIRON as it is then.
	Run func(ctx context.Context, text string, environment []string, stdin io.Reader, stdout io.Writer) (status int, err error)
	// Strerror is the text of an error's cause.
	Strerror func(error) string
	Now      func() time.Time
	Location func(tz string) *time.Location
	// Strftime formats a time.
	Strftime func(format string, t time.Time) string
	// Charge pays for memory before it is allocated.
	Charge  func(bytes int64) error
	Release func(bytes int64)
	// Bytes counts bytes for characters (-b).
	Bytes    bool
	PID      int
	UID, GID int
}

// cell holds a variable: a scalar or an array. A parameter that was passed an
// unset variable keeps a link to it, so that it may become an array.
type cell struct {
	v     value
	array *array
	link  *cell
}

// machine is one run.
type machine struct {
	*Config
	ctx     context.Context
	program *Program
	out     *bufio.Writer

	globals []*cell
	frame   []*cell
	depth   int
	levels  int

	// The record and its fields. Fields are split when first asked for.
	record     string
	recordCell value
	fields     []value
	split      bool
	rebuild    bool // $0 is older than the fields
	fieldsPaid int  // how many fields the budget was charged for
	nf         int

	fs, ofs, ors, rs, subsep string
	convfmt, ofmt            string
	fieldwidths, fpat        string
	splitBy                  byte // 'f' FS, 'w' FIELDWIDTHS, 'p' FPAT
	ignoreCase               bool
	opened                   int // streams so far
	nr, fnr                  value
	rstart, rlength          float64
	rt, filename             value
	argind, errno            value

	at      *place // the line that runs
	input   *inputs
	streams map[string]*stream
	readers map[string]*reader
	regexes map[regexKey]*regexEntry
	// random is made when it is first needed.
	random  *generator
	seed    float64
	result  value // of a return
	status  int
	steps   int
	charged int64
}

// flowPanic carries a jump out of nested expressions (next inside a function).
type flowPanic struct{ flow flow }

// Calls nest as deep as maxCallDepth, and as the levels of their bodies' syntax
// allow together, so that the stack of Go stays bounded.
const (
	maxCallDepth  = 20000
	maxCallLevels = 2000 * maxNesting
	// callCharge is what a level is charged.
	callCharge = 4 << 10
)

// Run runs a program to its end and returns its exit status. An *Error is a
// fatal error of the program, already complete; other errors are Stdout's or
// ctx's.
func Run(ctx context.Context, program *Program, config *Config) (status int, err error) {
	m := &machine{
		Config: config, ctx: ctx, program: program, out: bufio.NewWriterSize(config.Stdout, 32<<10),
		fs: " ", ofs: " ", ors: "\n", rs: "\n", subsep: "\x1c", convfmt: "%.6g", ofmt: "%.6g", splitBy: 'f',
		rlength: -1, nr: num(0), fnr: num(0), streams: map[string]*stream{}, readers: map[string]*reader{}, regexes: map[regexKey]*regexEntry{},
		split: true,
	}
	m.rt, m.filename, m.argind, m.errno = str(""), str(""), num(0), str("")
	m.globals = make([]*cell, len(program.names), len(program.names)+16)
	for i := range m.globals {
		m.globals[i] = &cell{}
	}
	defer func() {
		m.Release(m.charged)
		if r := recover(); r != nil {
			switch r := r.(type) {
			case *Error:
				r.Place = m.where()
				m.finish()
				status, err = 2, r
			case ioError:
				m.abandon()
				status, err = 2, r.error
			default:
				m.abandon()
				panic(r)
			}
		}
	}()
	m.setup()
	m.run()
	if err := m.finish(); err != nil {
		return 2, err
	}
	return m.status, nil
}

// ioError is a failed write or a cancelled context: it ends the run.
type ioError struct{ error }

// check looks at the context now and then.
func (m *machine) check() {
	if m.steps++; m.steps&0xff == 0 {
		m.looked()
	}
}

// looked ends the run when its context has ended.
func (m *machine) looked() {
	if err := m.ctx.Err(); err != nil {
		panic(ioError{err})
	}
}

// charge pays for bytes a script has made, until the run's end.
func (m *machine) charge(n int64) {
	if err := m.Charge(n); err != nil {
		fatalf("%s", err)
	}
	m.charged += n
}

func (m *machine) refund(n int64) {
	if n > m.charged {
		n = m.charged
	}
	m.charged -= n
	m.Release(n)
}

func (m *machine) setup() {
	m.input = newInputs(m)
	if m.FS != nil {
		if len(*m.FS) > 1 {
			m.Escapes.inRegex("", *m.FS)
		}
		m.setSpecial(specialIndex("FS"), str(*m.FS))
	}
	environ := m.globalArray("ENVIRON")
	for _, pair := range m.Environment {
		name, v, _ := strings.Cut(pair, "=")
		environ.set(m, name, input(v))
	}
	argv := m.globalArray("ARGV")
	argv.set(m, "0", str(m.Name))
	for i, a := range m.Arguments {
		argv.set(m, m.formatNumber(float64(i+1), ""), input(a))
	}
	m.global("ARGC").v = num(float64(len(m.Arguments) + 1))
	info := m.globalArray("PROCINFO")
	info.set(m, "version", str("5.2.1"))
	info.set(m, "pid", num(float64(m.PID)))
	info.set(m, "uid", num(float64(m.UID)))
	info.set(m, "gid", num(float64(m.GID)))
	info.set(m, "FS", str("FS"))
	m.globalArray("FUNCTAB")
	for _, a := range m.Assignments {
		m.commandLineAssign(a)
	}
}

func (m *machine) global(name string) *cell {
	i := m.program.global(name)
	for len(m.globals) <= i {
		m.globals = append(m.globals, &cell{})
	}
	return m.globals[i]
}

func (m *machine) globalArray(name string) *array {
	c := m.global(name)
	if c.array == nil {
		c.array = newArray()
	}
	return c.array
}

// commandLineAssign runs NAME=value of an operand or of -v.
func (m *machine) commandLineAssign(text string) {
	name, v, _ := strings.Cut(text, "=")
	v = Unescape(v, m.Escapes)
	if !isAssignment(text) {
		fatalf("`%s' is not a legal variable name", name)
	}
	if builtinIndex(name) >= 0 {
		fatalf("cannot use gawk builtin `%s' as variable name", name)
	}
	if i := specialIndex(name); i >= 0 {
		m.setSpecial(i, input(v))
		return
	}
	if m.program.Defines(name) {
		fatalf("cannot use function name `%s' as variable name", name)
	}
	c := m.global(name)
	if c.array != nil {
		fatalf("attempt to use array `%s' in a scalar context", name)
	}
	c.v = input(v)
}

// Unescape resolves the escapes of an assignment's value or of -F's; warnings
// is told of those that mean nothing.
func Unescape(s string, warnings *Escapes) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '\n':
			i++
		case s[i] == '\\' && i+1 < len(s):
			i += unescape(&b, s[i+1:], func(c byte) { warnings.plain("", c) })
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isAssignment(text string) bool {
	i := strings.IndexByte(text, '=')
	if i <= 0 || isDigit(text[0]) {
		return false
	}
	for k := 0; k < i; k++ {
		if !isNameByte(text[k]) {
			return false
		}
	}
	return true
}

func (m *machine) run() {
	if m.runSpecial("BEGIN", m.program.begin) == flowExit {
		m.runEnd()
		return
	}
	if len(m.program.rules) > 0 || len(m.program.end) > 0 || len(m.program.beginFile) > 0 || len(m.program.endFile) > 0 {
		if m.records() == flowExit {
			m.runEnd()
			return
		}
	}
	m.runEnd()
}

// runEnd runs END's actions, also after an exit elsewhere.
func (m *machine) runEnd() { m.runSpecial("END", m.program.end) }

// runSpecial runs the actions of BEGIN or END, which a function cannot leave by
// next.
func (m *machine) runSpecial(name string, actions []stmt) flow {
	f := m.guard(func() flow { return m.runAll(actions) })
	switch f {
	case flowNext:
		fatalf("`next' cannot be called from a `%s' rule", name)
	case flowNextFile:
		fatalf("`nextfile' cannot be called from a `%s' rule", name)
	}
	return f
}

// where is the line that runs, as it stands in front of a message.
func (m *machine) where() string {
	text := ""
	if m.at != nil {
		text = m.at.source + ":" + strconv.Itoa(m.at.line) + ": "
	}
	if n := m.fnr.number(); n > 0 {
		text += "(FILENAME=" + m.text(&m.filename) + " FNR=" + m.formatNumber(n, "") + ") "
	}
	return text
}

func (m *machine) runAll(list []stmt) flow {
	for _, s := range list {
		if f := s.exec(m); f != flowNone {
			return f
		}
	}
	return flowNone
}

// guard turns a jump out of nested calls into its flow.
func (m *machine) guard(f func() flow) (result flow) {
	depth, levels, frame := m.depth, m.levels, m.frame
	defer func() {
		if r := recover(); r != nil {
			jump, ok := r.(flowPanic)
			if !ok {
				panic(r)
			}
			m.refund(int64(m.depth-depth) * callCharge)
			m.depth, m.levels, m.frame = depth, levels, frame
			result = jump.flow
		}
	}()
	return f()
}

// records runs the rules over the input.
func (m *machine) records() flow {
	if len(m.program.rules) == 0 && len(m.program.end) == 0 && len(m.program.beginFile) == 0 && len(m.program.endFile) == 0 {
		return flowNone
	}
	for {
		ok := false
		f := m.guard(func() flow {
			ok = m.input.next(m)
			return flowNone
		})
		if f == flowExit {
			return f
		}
		if !ok {
			return flowNone
		}
		for {
			f = m.guard(m.runRules)
			if f != flowContinue {
				break
			}
		}
		switch f {
		case flowExit:
			return f
		case flowNextFile:
			m.input.skipFile(m)
		}
	}
}

func (m *machine) runRules() flow {
	m.check()
	for _, r := range m.program.rules {
		if !m.selects(r) {
			continue
		}
		if r.body == nil {
			m.write(m.out, m.recordText())
			m.write(m.out, m.ors)
			continue
		}
		switch f := r.body.exec(m); f {
		case flowNone, flowBreak, flowContinue, flowReturn:
		default:
			return f
		}
	}
	return flowNone
}

func (m *machine) selects(r *rule) bool {
	m.at = r.at
	switch len(r.pattern) {
	case 0:
		return true
	case 1:
		v := r.pattern[0].eval(m)
		return v.truth()
	}
	if !r.inRange {
		v := r.pattern[0].eval(m)
		if !v.truth() {
			return false
		}
		r.inRange = true
	}
	v := r.pattern[1].eval(m)
	if v.truth() {
		r.inRange = false
	}
	return true
}

func (m *machine) write(w io.Writer, s string) {
	if _, err := io.WriteString(w, s); err != nil {
		panic(ioError{err})
	}
}
