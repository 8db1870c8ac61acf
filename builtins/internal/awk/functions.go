package awk

import (
	"math"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// builtin is one built-in function.
type builtin struct {
	name        string
	least, most int
	run         func(m *machine, args []expr) value
}

var builtinTable []builtin

func init() {
	builtinTable = []builtin{
		{"length", 0, 1, length}, {"substr", 2, 3, substr}, {"index", 2, 2, index}, {"split", 2, 4, split}, {"sub", 2, 3, sub}, {"gsub", 2, 3, gsub},
		{"gensub", 3, 4, gensub}, {"match", 2, 3, match}, {"sprintf", 1, 1 << 16, sprintf}, {"tolower", 1, 1, tolower}, {"toupper", 1, 1, toupper},
		{"sin", 1, 1, math1(math.Sin)}, {"cos", 1, 1, math1(math.Cos)}, {"atan2", 2, 2, atan2}, {"exp", 1, 1, exponential}, {"log", 1, 1, logarithm},
		{"sqrt", 1, 1, squareRoot}, {"int", 1, 1, math1(math.Trunc)}, {"rand", 0, 0, random}, {"srand", 0, 1, srand}, {"system", 1, 1, system}, {"close", 1, 2, closeFunction},
		{"fflush", 0, 1, fflush}, {"strftime", 0, 3, strftime}, {"systime", 0, 0, systime}, {"mktime", 1, 2, mktime}, {"and", 2, 1 << 10, bits("and", func(a, b uint64) uint64 { return a & b })},
		{"or", 2, 1 << 10, bits("or", func(a, b uint64) uint64 { return a | b })}, {"xor", 2, 1 << 10, bits("xor", func(a, b uint64) uint64 { return a ^ b })}, {"lshift", 2, 2, bits("lshift", func(a, b uint64) uint64 { return a << b })},
		{"rshift", 2, 2, bits("rshift", func(a, b uint64) uint64 { return a >> b })}, {"compl", 1, 1, compl}, {"strtonum", 1, 1, strtonum}, {"asort", 1, 3, asort}, {"asorti", 1, 3, asorti},
		{"patsplit", 2, 4, patsplit}, {"isarray", 1, 1, isarray}, {"typeof", 1, 2, typeOf}, {"mkbool", 1, 1, mkbool}, {"dcgettext", 1, 3, first}, {"bindtextdomain", 1, 2, first}, {"dcngettext", 3, 5, first},
	}
}

func builtinIndex(name string) int {
	for i := range builtinTable {
		if builtinTable[i].name == name {
			return i
		}
	}
	return -1
}

// isStandard reports a function of POSIX's awk.
func isStandard(name string) bool {
	switch name {
	case "length", "substr", "index", "split", "sub", "gsub", "match", "sprintf", "tolower", "toupper", "sin", "cos", "atan2", "exp", "log", "sqrt",
		"int", "rand", "srand", "system", "close", "fflush":
		return true
	}
	return false
}

func (m *machine) argText(x expr) string {
	v := x.eval(m)
	return m.text(&v)
}

func (m *machine) argNumber(x expr) float64 {
	v := x.eval(m)
	return v.number()
}

// arrayOf is an argument that must be an array.
func (m *machine) arrayOf(x expr, function string) *array {
	switch x := x.(type) {
	case *variable:
		if x.scope != scopeSpecial {
			return (&arrayRef{base: x}).get(m)
		}
	case *access:
		return (&arrayRef{inner: x}).get(m)
	case *groupExpr:
		return m.arrayOf(x.x, function)
	}
	fatalf("%s: argument is not an array", function)
	return nil
}

// existingArray is the argument's array where it is one already.
func (m *machine) existingArray(x expr) *array {
	switch x := x.(type) {
	case *variable:
		if x.scope == scopeSpecial {
			return nil
		}
		c := x.cell(m)
		for c.array == nil && c.link != nil {
			c = c.link
		}
		return c.array
	case *access:
		if e := x.array.get(m).elements[m.subscript(x.index)]; e != nil {
			return e.array
		}
	case *groupExpr:
		return m.existingArray(x.x)
	}
	return nil
}

// count is how many characters a text has, bytes for -b.
func (m *machine) count(s string) int {
	if m.Bytes {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}

// offset is where the text's nth character starts.
func (m *machine) offset(s string, n int) int {
	if m.Bytes {
		return min(n, len(s))
	}
	return runeOffset(s, n)
}

func length(m *machine, args []expr) value {
	if len(args) == 0 {
		return num(float64(m.count(m.recordText())))
	}
	if a := m.existingArray(args[0]); a != nil {
		return num(float64(len(a.elements)))
	}
	return num(float64(m.count(m.argText(args[0]))))
}

func substr(m *machine, args []expr) value {
	s := m.argText(args[0])
	start := m.argNumber(args[1])
	count := math.Inf(1)
	if len(args) > 2 {
		count = m.argNumber(args[2])
	}
	if math.IsNaN(start) || math.IsNaN(count) {
		return str("")
	}
	start = math.Max(math.Trunc(start), 1)
	end := start + math.Trunc(count)
	if end <= start {
		return str("")
	}
	if start > float64(len(s)) {
		return str("")
	}
	from := m.offset(s, int(start)-1)
	if end-start >= float64(len(s)) {
		return str(s[from:])
	}
	return str(s[from : from+m.offset(s[from:], int(end-start))])
}

func index(m *machine, args []expr) value {
	s, t := m.argText(args[0]), m.argText(args[1])
	if m.ignoreCase {
		s, t = strings.ToLower(s), strings.ToLower(t)
	}
	i := strings.Index(s, t)
	if i < 0 {
		return num(0)
	}
	return num(float64(m.count(s[:i]) + 1))
}

// separator is split's third argument: a regular expression, or a text as FS.
func (m *machine) separator(args []expr, i int) (fs string, e *regexEntry) {
	if len(args) <= i {
		return m.fs, nil
	}
	if r, ok := args[i].(*regexExpr); ok {
		return "", m.regexOf(r.re)
	}
	v := args[i].eval(m)
	if v.kind == kRegex {
		return "", m.compile(v.s)
	}
	return m.text(&v), nil
}

func split(m *machine, args []expr) value {
	text := m.argText(args[0])
	fs, e := m.separator(args, 2)
	a := m.arrayOf(args[1], "split")
	parts, between := list{m: m}, list{m: m}
	var seps func(string)
	var sepArray *array
	if len(args) > 3 {
		sepArray = m.arrayOf(args[3], "split")
		seps = between.add
	}
	switch {
	case text == "":
	case e != nil:
		m.splitRegex(text, e, parts.add, seps)
	default:
		m.splitText(text, fs, false, parts.add, seps)
	}
	a.clear(m)
	for i, p := range parts.texts {
		a.set(m, strconv.Itoa(i+1), input(p))
	}
	if sepArray != nil {
		sepArray.clear(m)
		first := 1
		if fs == " " && e == nil && text != "" && isBlank(text[0]) {
			first = 0
		}
		for i, s := range between.texts {
			sepArray.set(m, strconv.Itoa(i+first), str(s))
		}
	}
	return num(float64(len(parts.texts)))
}

// list collects what is to become an array, within the budget.
type list struct {
	m     *machine
	texts []string
}

func (l *list) add(s string) {
	if n := len(l.texts); n == cap(l.texts) {
		l.m.bound(n * 2 * (entryCost + 16))
		l.m.looked()
	}
	l.texts = append(l.texts, s)
}

func patsplit(m *machine, args []expr) value {
	text := m.argText(args[0])
	var e *regexEntry
	if len(args) > 2 {
		fs, r := m.separator(args, 2)
		if e = r; e == nil {
			e = m.compile(fs)
		}
	} else {
		e = m.compile(m.fpatText())
	}
	a := m.arrayOf(args[1], "patsplit")
	parts, between := list{m: m}, list{m: m}
	m.splitPattern(text, e, parts.add, between.add)
	a.clear(m)
	for i, p := range parts.texts {
		a.set(m, strconv.Itoa(i+1), input(p))
	}
	if len(args) > 3 {
		seps := m.arrayOf(args[3], "patsplit")
		seps.clear(m)
		for i, s := range between.texts {
			seps.set(m, strconv.Itoa(i), str(s))
		}
	}
	return num(float64(len(parts.texts)))
}

// pattern is a regular expression argument.
func (m *machine) pattern(x expr) *regexEntry {
	if r, ok := x.(*regexExpr); ok {
		return m.regexOf(r.re)
	}
	return m.compile(m.argText(x))
}

func sub(m *machine, args []expr) value  { return m.substitute(args, false) }
func gsub(m *machine, args []expr) value { return m.substitute(args, true) }

func (m *machine) substitute(args []expr, global bool) value {
	e := m.pattern(args[0])
	replacement := m.argText(args[1])
	var target lvalue = &field{&constant{num(0)}}
	if len(args) > 2 {
		x := args[2]
		for {
			g, ok := x.(*groupExpr)
			if !ok {
				break
			}
			x = g.x
		}
		var ok bool
		if target, ok = x.(lvalue); !ok {
			target = nil
		}
		args[2] = x
	}
	var text string
	if target != nil {
		v := target.eval(m)
		text = m.text(&v)
	} else {
		text = m.argText(args[2])
	}
	pieces := parseReplacement(replacement)
	b := result{m: m}
	count, copied := 0, 0
	m.eachMatch(e, text, false, func(g []int) bool {
		b.add(text[copied:g[0]])
		for _, p := range pieces {
			if p.group == 0 {
				b.add(text[g[0]:g[1]])
			} else {
				b.add(p.text)
			}
		}
		count++
		copied = g[1]
		return global
	})
	if count == 0 {
		return num(0)
	}
	b.add(text[copied:])
	if target != nil {
		target.assign(m, str(b.String()))
	}
	return num(float64(count))
}

// eachMatch visits the matches in text from left to right until visit says
// stop. An empty match right behind a match does not count.
func (m *machine) eachMatch(e *regexEntry, text string, groups bool, visit func(g []int) bool) {
	last := -1
	var extent [2]int
	for from := 0; from <= len(text); {
		m.check()
		g := extent[:]
		if groups {
			if g = m.find(e, text, from); g == nil {
				return
			}
		} else {
			s, t, ok := m.extent(e, text, from)
			if !ok {
				return
			}
			g[0], g[1] = s, t
		}
		start, end := g[0], g[1]
		if !(start == end && start == last) {
			last = end
			if !visit(g) {
				return
			}
		}
		if from = end; start == end {
			if end >= len(text) {
				return
			}
			_, n := utf8.DecodeRuneInString(text[end:])
			from += n
		}
	}
}

// piece is a part of a replacement: a group of the match, 0 all of it, or text
// where group is negative.
type piece struct {
	text  string
	group int
}

// parseReplacement reads sub's and gsub's: & is the match, \& an ampersand, \\&
// a backslash and the match.
func parseReplacement(s string) []piece {
	var pieces []piece
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			pieces = append(pieces, piece{text: b.String(), group: -1})
			b.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '&':
			flush()
			pieces = append(pieces, piece{})
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '&':
			b.WriteByte('&')
			i++
		case s[i] == '\\' && i+2 < len(s) && s[i+1] == '\\' && s[i+2] == '&':
			b.WriteByte('\\')
			i++
		case s[i] == '\\' && i+3 < len(s) && s[i+1] == '\\' && s[i+2] == '\\' && s[i+3] == '&':
			b.WriteString(`\&`)
			i += 3
		default:
			b.WriteByte(s[i])
		}
	}
	flush()
	return pieces
}

func gensub(m *machine, args []expr) value {
	e := m.pattern(args[0])
	replacement := m.argText(args[1])
	how := args[2].eval(m)
	which := 0
	if text := m.text(&how); how.isNumber() || text == "" || text[0] != 'g' && text[0] != 'G' {
		if which = int(how.number()); which < 1 {
			which = 1
			m.warn("gensub: third argument `%s' treated as 1", text)
		}
	}
	text := m.recordText()
	if len(args) > 3 {
		text = m.argText(args[3])
	}
	pieces := parseGensub(replacement)
	b := result{m: m}
	copied, seen := 0, 0
	m.eachMatch(e, text, true, func(g []int) bool {
		if seen++; which > 0 && seen != which {
			return true
		}
		b.add(text[copied:g[0]])
		for _, p := range pieces {
			switch {
			case p.group < 0:
				b.add(p.text)
			case 2*p.group+1 < len(g) && g[2*p.group] >= 0:
				b.add(text[g[2*p.group]:g[2*p.group+1]])
			}
		}
		copied = g[1]
		return which == 0
	})
	b.add(text[copied:])
	return str(b.String())
}

// parseGensub reads gensub's replacement: \0 and & are the match, \1 to \9 its
// groups.
func parseGensub(s string) []piece {
	var pieces []piece
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			pieces = append(pieces, piece{text: b.String(), group: -1})
			b.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '&':
			flush()
			pieces = append(pieces, piece{group: 0})
		case s[i] == '\\' && i+1 < len(s) && isDigit(s[i+1]):
			flush()
			pieces = append(pieces, piece{group: int(s[i+1] - '0')})
			i++
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '&' || s[i+1] == '\\'):
			b.WriteByte(s[i+1])
			i++
		default:
			b.WriteByte(s[i])
		}
	}
	flush()
	return pieces
}

func match(m *machine, args []expr) value {
	text := m.argText(args[0])
	e := m.pattern(args[1])
	var a *array
	if len(args) > 2 {
		a = m.arrayOf(args[2], "match")
		a.clear(m)
	}
	g := m.find(e, text, 0)
	if g == nil {
		m.rstart, m.rlength = 0, -1
		return num(0)
	}
	position := func(offset int) float64 { return float64(m.count(text[:offset]) + 1) }
	m.rstart = position(g[0])
	m.rlength = float64(m.count(text[g[0]:g[1]]))
	if a != nil {
		for i := 0; 2*i+1 < len(g); i++ {
			if g[2*i] < 0 {
				continue
			}
			key := strconv.Itoa(i)
			a.set(m, key, input(text[g[2*i]:g[2*i+1]]))
			a.set(m, key+m.subsep+"start", num(position(g[2*i])))
			a.set(m, key+m.subsep+"length", num(float64(m.count(text[g[2*i]:g[2*i+1]]))))
		}
	}
	return num(m.rstart)
}

func sprintf(m *machine, args []expr) value {
	values := make([]value, len(args))
	for i, x := range args {
		values[i] = x.eval(m)
	}
	return str(m.sprintf(m.text(&values[0]), values[1:]))
}

func tolower(m *machine, args []expr) value { return str(strings.ToLower(m.argText(args[0]))) }
func toupper(m *machine, args []expr) value { return str(strings.ToUpper(m.argText(args[0]))) }
func first(m *machine, args []expr) value   { return str(m.argText(args[0])) }

func math1(f func(float64) float64) func(*machine, []expr) value {
	return func(m *machine, args []expr) value { return num(f(m.argNumber(args[0]))) }
}

func atan2(m *machine, args []expr) value {
	return num(math.Atan2(m.argNumber(args[0]), m.argNumber(args[1])))
}

func logarithm(m *machine, args []expr) value {
	n := m.argNumber(args[0])
	if n < 0 {
		m.warn("log: received negative argument %s", m.formatNumber(n, "%.6g"))
		return num(math.Copysign(math.NaN(), -1))
	}
	return num(math.Log(n))
}

func squareRoot(m *machine, args []expr) value {
	n := m.argNumber(args[0])
	if n < 0 {
		m.warn("sqrt: received negative argument %s", m.formatNumber(n, "%.6g"))
		return num(math.Copysign(math.NaN(), -1))
	}
	return num(math.Sqrt(n))
}

func exponential(m *machine, args []expr) value {
	n := m.argNumber(args[0])
	result := math.Exp(n)
	if math.IsInf(result, 1) && !math.IsInf(n, 1) {
		m.warn("exp: argument %s is out of range", m.formatNumber(n, "%.6g"))
	}
	return num(result)
}

func random(m *machine, _ []expr) value {
	if m.random == nil {
		m.random = &generator{}
		m.random.seed(1)
	}
	return num(m.random.float())
}

func srand(m *machine, args []expr) value {
	old := m.seed
	if len(args) > 0 {
		m.seed = m.argNumber(args[0])
	} else {
		m.seed = float64(m.Now().Unix())
	}
	m.random = &generator{}
	m.random.seed(uint32(int64(m.seed)))
	return num(old)
}

func system(m *machine, args []expr) value {
	text := m.argText(args[0])
	m.flushAll()
	return num(float64(m.runCommand(text, m.Stdin, m.Stdout)))
}

func closeFunction(m *machine, args []expr) value {
	if len(args) > 1 {
		return num(float64(m.closeEnd(m.argText(args[0]), m.argText(args[1]))))
	}
	return num(float64(m.closeName(m.argText(args[0]))))
}

func fflush(m *machine, args []expr) value {
	if len(args) > 0 {
		name := m.argText(args[0])
		if s := m.streams[name]; s != nil && s.w != nil {
			s.w.Flush()
			return num(0)
		}
		if name != "" {
			return num(-1)
		}
	}
	m.flushAll()
	return num(0)
}

func (m *machine) location() *time.Location {
	if e := m.globalArray("ENVIRON").elements["TZ"]; e != nil {
		return m.Location(m.text(&e.v))
	}
	return time.UTC
}

func strftime(m *machine, args []expr) value {
	format := "%a %b %e %H:%M:%S %Z %Y"
	if e := m.globalArray("PROCINFO").elements["strftime"]; e != nil {
		format = m.text(&e.v)
	}
	when := m.Now()
	location := m.location()
	if len(args) > 0 {
		format = m.argText(args[0])
	}
	if len(args) > 1 {
		when = time.Unix(int64(m.argNumber(args[1])), 0)
	}
	if len(args) > 2 {
		if v := args[2].eval(m); v.truth() {
			location = time.FixedZone("GMT", 0)
		}
	}
	if format == "" {
		return str("")
	}
	return str(m.Strftime(format, when.In(location)))
}

func systime(m *machine, _ []expr) value { return num(float64(m.Now().Unix())) }

func mktime(m *machine, args []expr) value {
	parts := strings.Fields(m.argText(args[0]))
	location := m.location()
	if len(args) > 1 {
		if v := args[1].eval(m); v.truth() {
			location = time.UTC
		}
	}
	if len(parts) < 6 {
		return num(-1)
	}
	var n [6]int
	for i := range n {
		v, err := strconv.Atoi(parts[i])
		if err != nil || v > 1<<20 || v < -1<<20 {
			return num(-1)
		}
		n[i] = v
	}
	return num(float64(time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, location).Unix()))
}

func bits(name string, f func(a, b uint64) uint64) func(*machine, []expr) value {
	return func(m *machine, args []expr) value {
		var result uint64
		numbers := make([]float64, len(args))
		for i, x := range args {
			numbers[i] = m.argNumber(x)
		}
		for i, n := range numbers {
			switch {
			case n < 0 && strings.HasSuffix(name, "shift"):
				fatalf("%s(%f, %f): negative values are not allowed", name, numbers[0], numbers[1])
			case n < 0:
				fatalf("%s: argument %d negative value %s is not allowed", name, i+1, m.formatNumber(n, "%.6g"))
			}
			if i == 0 {
				result = uint64(n)
			} else {
				result = f(result, uint64(n))
			}
		}
		return num(float64(result))
	}
}

func compl(m *machine, args []expr) value {
	n := m.argNumber(args[0])
	if n < 0 {
		fatalf("compl(%f): negative value is not allowed", n)
	}
	return num(float64(^uint64(n) & (1<<53 - 1)))
}

func strtonum(m *machine, args []expr) value {
	v := args[0].eval(m)
	if v.kind == kNumber {
		return v
	}
	s := m.text(&v)
	negative := strings.HasPrefix(s, "-")
	t := strings.TrimLeft(s, "+-")
	sign := 1.0
	if negative {
		sign = -1
	}
	switch {
	case len(t) > 2 && t[0] == '0' && t[1]|0x20 == 'x':
		n := 0.0
		for i := 2; i < len(t) && isHex(t[i]); i++ {
			n = n*16 + float64(hexValue(t[i]))
		}
		return num(sign * n)
	case len(t) > 1 && t[0] == '0' && strings.Trim(t, "01234567") == "":
		n := 0.0
		for i := 0; i < len(t); i++ {
			n = n*8 + float64(t[i]-'0')
		}
		return num(sign * n)
	}
	return num(stringNumber(s))
}

func asort(m *machine, args []expr) value  { return m.sortInto(args, false) }
func asorti(m *machine, args []expr) value { return m.sortInto(args, true) }

func (m *machine) sortInto(args []expr, indices bool) value {
	name := "asort"
	order := "@val_type_asc"
	if indices {
		name, order = "asorti", "@ind_str_asc"
	}
	source := m.arrayOf(args[0], name)
	target := source
	if len(args) > 1 {
		target = m.arrayOf(args[1], name)
	}
	if len(args) > 2 {
		order = m.argText(args[2])
	}
	list := make([]*entry, 0, len(source.elements))
	for _, e := range source.elements {
		list = append(list, e)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].order < list[j].order })
	m.sortEntries(list, order)
	result := newArray()
	for i, e := range list {
		key := strconv.Itoa(i + 1)
		if indices {
			result.set(m, key, str(e.key))
		} else {
			n := result.get(m, key)
			n.v, n.array = e.v, e.array
		}
	}
	target.clear(m)
	target.elements, target.next = result.elements, result.next
	return num(float64(len(list)))
}

func isarray(m *machine, args []expr) value { return boolean(m.existingArray(args[0]) != nil) }

func typeOf(m *machine, args []expr) value {
	if m.existingArray(args[0]) != nil {
		return str("array")
	}
	if r, ok := args[0].(*regexExpr); ok && r.re.typed {
		return str("regexp")
	}
	if a, ok := args[0].(*access); ok {
		e := a.array.get(m).elements[m.subscript(a.index)]
		if e == nil || e.v.kind == kUnset {
			return str("untyped")
		}
	}
	v := args[0].eval(m)
	switch v.kind {
	case kUnset:
		if _, ok := args[0].(*variable); ok {
			return str("untyped")
		}
		return str("unassigned")
	case kNumber:
		return str("number")
	case kBool:
		return str("number|bool")
	case kRegex:
		return str("regexp")
	case kInput:
		if v.look(); v.looks == 1 {
			return str("strnum")
		}
	}
	return str("string")
}

func mkbool(m *machine, args []expr) value {
	v := args[0].eval(m)
	b := boolean(v.truth())
	b.kind = kBool
	return b
}
