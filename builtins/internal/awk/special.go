package awk

import (
	"strings"
)

// specials are the variables that the machine itself reads or writes.
var specials = [...]string{"NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT", "RSTART", "RLENGTH", "RT", "FILENAME", "IGNORECASE", "FIELDWIDTHS", "FPAT", "ARGIND", "ERRNO", "TEXTDOMAIN", "LINT", "BINMODE"}

const (
	sNF = iota
	sNR
	sFNR
	sFS
	sOFS
	sORS
	sRS
	sSUBSEP
	sCONVFMT
	sOFMT
	sRSTART
	sRLENGTH
	sRT
	sFILENAME
	sIGNORECASE
	sFIELDWIDTHS
	sFPAT
	sARGIND
	sERRNO
	sTEXTDOMAIN
	sLINT
	sBINMODE
)

func specialIndex(name string) int {
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return -1
	}
	for i, s := range specials {
		if s == name {
			return i
		}
	}
	return -1
}

func (m *machine) special(i int) value {
	switch i {
	case sNF:
		m.splitFields()
		return num(float64(m.nf))
	case sNR:
		return m.nr
	case sFNR:
		return m.fnr
	case sFS:
		return str(m.fs)
	case sOFS:
		return str(m.ofs)
	case sORS:
		return str(m.ors)
	case sRS:
		return str(m.rs)
	case sSUBSEP:
		return str(m.subsep)
	case sCONVFMT:
		return str(m.convfmt)
	case sOFMT:
		return str(m.ofmt)
	case sRSTART:
		return num(m.rstart)
	case sRLENGTH:
		return num(m.rlength)
	case sRT:
		return m.rt
	case sFILENAME:
		return m.filename
	case sIGNORECASE:
		return boolean(m.ignoreCase)
	case sFIELDWIDTHS:
		return str(m.fieldwidths)
	case sFPAT:
		if m.fpat == "" {
			return str("[^[:space:]]+")
		}
		return str(m.fpat)
	case sARGIND:
		return m.argind
	case sERRNO:
		return m.errno
	case sTEXTDOMAIN:
		return str("messages")
	}
	return num(0)
}

func (m *machine) setSpecial(i int, v value) {
	switch i {
	case sNF:
		m.setNF(v.number())
	case sNR:
		m.nr = v
	case sFNR:
		m.fnr = v
	case sFS:
		m.splitFields() // the record at hand keeps the separator it was read with
		m.fs = m.text(&v)
		m.splitFieldsBy('f', "FS")
	case sOFS:
		m.ofs = m.text(&v)
	case sORS:
		m.ors = m.text(&v)
	case sRS:
		m.rs = m.text(&v)
	case sSUBSEP:
		m.subsep = m.text(&v)
	case sCONVFMT:
		m.convfmt = m.text(&v)
	case sOFMT:
		m.ofmt = m.text(&v)
	case sRSTART:
		m.rstart = v.number()
	case sRLENGTH:
		m.rlength = v.number()
	case sRT:
		m.rt = v
	case sFILENAME:
		m.filename = v
	case sIGNORECASE:
		m.ignoreCase = v.truth()
	case sFIELDWIDTHS:
		m.splitFields()
		m.fieldwidths = m.text(&v)
		m.checkWidths()
		m.splitFieldsBy('w', "FIELDWIDTHS")
	case sFPAT:
		m.splitFields()
		m.fpat = m.text(&v)
		m.splitFieldsBy('p', "FPAT")
	case sARGIND:
		m.argind = v
	case sERRNO:
		m.errno = v
	}
}

// splitFieldsBy says what cuts the next records, in PROCINFO too.
func (m *machine) splitFieldsBy(how byte, name string) {
	m.splitBy = how
	m.globalArray("PROCINFO").set(m, "FS", str(name))
}

// checkWidths refuses what is no list of [SKIP:]WIDTH, whose last may be *.
func (m *machine) checkWidths() {
	parts := strings.Fields(m.fieldwidths)
	for i, part := range parts {
		if part == "*" && i == len(parts)-1 {
			return
		}
		if strings.Trim(part, "0123456789:") != "" || strings.Trim(part, ":") == "" {
			fatalf("invalid FIELDWIDTHS value, for field %d, near `%s'", i+1, part)
		}
	}
}

// setRecord makes text $0; its fields are split when they are asked for.
func (m *machine) setRecord(text string) {
	m.record, m.recordCell = text, input(text)
	m.split, m.rebuild = false, false
}

// recordText is $0, made anew of the fields when they have changed.
func (m *machine) recordText() string {
	if m.rebuild {
		b := result{m: m}
		for i := 1; i <= m.nf; i++ {
			if i > 1 {
				b.add(m.ofs)
			}
			b.add(m.text(&m.fields[i-1]))
		}
		m.record = b.String()
		m.recordCell, m.rebuild = input(m.record), false
	}
	return m.record
}

func (m *machine) field(i int) value {
	if i == 0 {
		m.recordText()
		return m.recordCell
	}
	m.splitFields()
	if i > m.nf {
		return value{}
	}
	return m.fields[i-1]
}

func (m *machine) setField(i int, v value) {
	if i == 0 {
		m.setRecord(m.text(&v))
		return
	}
	m.splitFields()
	if i > m.nf {
		m.growFields(i)
	}
	m.fields[i-1] = v
	m.rebuild = true
}

func (m *machine) growFields(n int) {
	m.roomForFields(n)
	for len(m.fields) < n {
		m.fields = append(m.fields, value{})
	}
	for k := m.nf; k < n; k++ {
		m.fields[k] = input("")
	}
	m.nf = n
}

// fieldCost is what a field takes while their list grows.
const fieldCost = 64

// roomForFields pays for n fields; that many are kept for later records.
func (m *machine) roomForFields(n int) {
	if n <= m.fieldsPaid || n < 1024 {
		return
	}
	n = max(n, 2*m.fieldsPaid)
	m.charge(int64(n-m.fieldsPaid) * fieldCost)
	m.fieldsPaid = n
	m.looked()
}

func (m *machine) setNF(n float64) {
	m.splitFields()
	if n < 0 {
		fatalf("NF set to negative value")
	}
	if n > 1<<22 {
		fatalf("NF set to too large a value")
	}
	if int(n) > m.nf {
		m.growFields(int(n))
	}
	m.nf = int(n)
	m.rebuild = true
}
