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

// SyntaxError is a fault of the program's text.
type SyntaxError struct {
	Line    int
	Message string
	// Source names the file the text came from: "cmd. line" for an argument.
	Source string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d: %s", e.Source, e.Line, e.Message)
}

// Error is a fatal error of a run.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

func fatalf(format string, args ...any) { panic(&Error{fmt.Sprintf(format, args...)}) }

func isKeyword(name string) bool {
	switch name {
	case "BEGIN", "END", "BEGINFILE", "ENDFILE", "function", "func", "if", "else", "while", "for", "do", "break", "continue",
		"next", "nextfile", "exit", "return", "delete", "in", "getline", "print", "printf", "switch", "case", "default":
		return true
	}
	return false
}
