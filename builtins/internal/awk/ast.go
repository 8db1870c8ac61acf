package awk

import "github.com/vsh-project/vsh/internal/regex"

// scope says where a name's cell lives.
type scope uint8

const (
	scopeGlobal scope = iota
	scopeLocal
	scopeSpecial // a variable the machine reads or writes itself
)

// expr is a prepared expression.
type expr interface{ eval(m *machine) value }

// lvalue is an expression that can be assigned to.
type lvalue interface {
	expr
	assign(m *machine, v value)
}

// stmt is a prepared statement; flow says how it ended.
type stmt interface{ exec(m *machine) flow }

type flow uint8

const (
	flowNone flow = iota
	flowBreak
	flowContinue
	flowNext
	flowNextFile
	flowExit
	flowReturn
)

type (
	constant  struct{ v value }
	regexExpr struct { // /re/ alone: $0 ~ /re/
		re *regexRef
	}
	variable struct {
		name  string
		scope scope
		index int
	}
	field  struct{ index expr }
	access struct { // array[subscripts]
		array *arrayRef
		index []expr
	}
	arrayRef struct { // a name, or an element that is an array itself
		base  *variable
		inner *access
	}
	assignExpr struct {
		to    lvalue
		op    byte // 0: plain
		value expr
	}
	condExpr  struct{ cond, then, other expr }
	andExpr   struct{ left, right expr }
	orExpr    struct{ left, right expr }
	notExpr   struct{ x expr }
	unaryExpr struct {
		op byte
		x  expr
	}
	binaryExpr struct {
		op          byte
		left, right expr
	}
	concatExpr  struct{ parts []expr }
	compareExpr struct {
		op          string
		left, right expr
	}
	matchExpr struct {
		not  bool
		left expr
		re   *regexRef
	}
	inExpr struct {
		index []expr
		array *arrayRef
	}
	incExpr struct {
		to   lvalue
		by   float64
		post bool
	}
	groupExpr   struct{ x expr } // (x): a comparison's ">" is no redirection there
	listExpr    struct{ parts []expr }
	getlineExpr struct {
		to     lvalue
		source expr
		kind   byte // 0 main input, '<' file, '|' command, '&' coprocess
	}
	callExpr struct {
		name string
		fn   *function
		args []expr
		line int
	}
	indirectExpr struct {
		name *variable
		args []expr
	}
	builtinExpr struct {
		id   int
		args []expr
		line int
	}
)

// regexRef is a regular expression: literal, or made of a value at run time.
type regexRef struct {
	literal string
	dynamic expr
	typed   bool
	// matcher is a literal's, where IGNORECASE is not set.
	matcher *regex.Matcher
	cached  *regexEntry
	mode    bool // the IGNORECASE the cached one was made for
}

type (
	exprStmt  struct{ x expr }
	printStmt struct {
		args     []expr
		format   bool
		redirect byte // 0, '>', 'a' (>>), '|', '&'
		to       expr
	}
	placedStmt struct {
		at   *place
		stmt stmt
	}
	block  struct{ list []stmt }
	ifStmt struct {
		cond        expr
		then, other stmt
	}
	whileStmt struct {
		cond expr
		body stmt
	}
	doStmt struct {
		body stmt
		cond expr
	}
	forStmt struct {
		init stmt
		cond expr
		post stmt
		body stmt
	}
	forInStmt struct {
		to    lvalue
		array *arrayRef
		body  stmt
	}
	switchStmt struct {
		value expr
		cases []switchCase
	}
	switchCase struct {
		value     expr
		re        *regexRef
		isDefault bool
		body      []stmt
	}
	jumpStmt   struct{ flow flow }
	exitStmt   struct{ status expr }
	returnStmt struct{ value expr }
	deleteStmt struct {
		array *arrayRef
		index []expr
	}
)

// rule is one pattern { action }.
type rule struct {
	pattern []expr // none, one, or two of a range
	body    stmt   // nil: print
	inRange bool
	at      *place
}

type function struct {
	name   string
	params []string
	body   stmt
	define bool
	// levels is how deep the body's syntax nests.
	levels int
}

// Program is a parsed program, used by one run only.
type Program struct {
	begin, end         []stmt
	beginFile, endFile []stmt
	rules              []*rule
	globals            map[string]int
	names              []string
	functions          map[string]*function
	sandbox            bool
}
