package patch

import (
	"bytes"
	"fmt"
)

// RunEd applies an ed script as diff writes it: the commands a, c, d, i and the
// two substitutions that bring a lone dot into the text.
func RunEd(lines [][]byte, script []byte) ([][]byte, error) {
	r := reader{text: script}
	current := len(lines)
	for {
		command := r.next()
		if command == nil {
			return lines, nil
		}
		from, to, rest, ok := span(command, -1)
		if !ok {
			from, rest = current, command
		}
		if to < 0 || !ok {
			to = from
		}
		if len(rest) == 0 || from > to || to > len(lines) {
			return nil, fmt.Errorf("ed FAILED")
		}
		var added [][]byte
		if c := rest[0]; c == 'a' || c == 'c' || c == 'i' {
			for {
				text := r.next()
				if text == nil || string(text) == ".\n" {
					break
				}
				added = append(added, text)
			}
		}
		switch rest[0] {
		case 'a':
			from, to = from+1, from
		case 'i':
			from, to = max(from, 1), max(from, 1)-1
		case 'c', 'd':
			if from < 1 {
				return nil, fmt.Errorf("ed FAILED")
			}
		case 's':
			if current < 1 {
				return nil, fmt.Errorf("ed FAILED")
			}
			at := to
			lines[at-1] = bytes.Clone(lines[at-1])
			if bytes.HasPrefix(lines[at-1], []byte(".")) {
				lines[at-1] = lines[at-1][1:]
			}
			current = at
			continue
		default:
			return nil, fmt.Errorf("ed FAILED")
		}
		tail := append([][]byte{}, lines[to:]...)
		lines = append(append(append([][]byte{}, lines[:from-1]...), added...), tail...)
		current = from - 1 + len(added)
	}
}
