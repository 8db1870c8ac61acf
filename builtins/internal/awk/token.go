// Package awk is an AWK engine: POSIX plus the gawk functions people use. It
// touches nothing but what its Config hands over.
package awk

import "fmt"

type tokenKind uint8

const (
	tEOF tokenKind = iota
	tNewline
	tNumber
	tString
	tRegex
	tName     // variable
	tFuncName // user function called as name( without a blank
	tBuiltin  // built-in function
	tKeyword
	tOp
)

// token is one lexical element; text is the keyword, the operator, the name or
// the string's value.
type token struct {
	kind tokenKind
	text string
	num  float64
	line int
	// pos is where the token starts in its source.
	pos int
}

func (t token) String() string {
	switch t.kind {
	case tEOF:
		return "end of program"
	case tNewline:
		return "newline"
	}
	return t.text
}

// place is a line of a source.
type place struct {
	source string
	line   int
}

// SyntaxError is a fault of the program's text.
type SyntaxError struct {
	// Source names the file the text came from: "cmd. line" for an argument.
	Source  string
	Line    int
	Message string
	// Text is the line at fault and Caret points into it; both are empty where
	// the message stands alone.
	Text, Caret string
	// Fatal says that the exit status is 2.
	Fatal bool
}

func (e *SyntaxError) Error() string {
	at := fmt.Sprintf("awk: %s:%d: ", e.Source, e.Line)
	if e.Caret == "" {
		return at + e.Message
	}
	return at + e.Text + "\n" + at + e.Caret + " " + e.Message
}

// Error is a fatal error of a run. Place is the line that ran, as it is written
// in front of the message.
type Error struct{ Place, Message string }

func (e *Error) Error() string { return "awk: " + e.Place + "fatal: " + e.Message }

func fatalf(format string, args ...any) { panic(&Error{Message: fmt.Sprintf(format, args...)}) }

func isKeyword(name string) bool {
	switch name {
	case "BEGIN", "END", "BEGINFILE", "ENDFILE", "function", "func", "if", "else", "while", "for", "do", "break", "continue",
		"next", "nextfile", "exit", "return", "delete", "in", "getline", "print", "printf", "switch", "case", "default":
		return true
	}
	return false
}
