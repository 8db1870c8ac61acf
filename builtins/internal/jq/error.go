package jq

import "fmt"

// Error is a value that a program raised and nothing caught.
type Error struct{ Value Value }

func (e *Error) Error() string {
	if s, ok := e.Value.(string); ok {
		return s
	}
	text, _ := toJSON(nil, e.Value)
	return text
}

func raise(format string, args ...any) error {
	return &Error{validText(fmt.Sprintf(format, args...))}
}

const excerptSize = 15

// typeError is "TYPE (VALUE) complaint".
func typeError(v Value, complaint string) error {
	return raise("%s (%s) %s", typeName(v), excerpt(v, excerptSize), complaint)
}

func typeError2(a, b Value, complaint string) error {
	return raise("%s (%s) and %s (%s) %s", typeName(a), excerpt(a, excerptSize), typeName(b), excerpt(b, excerptSize), complaint)
}
