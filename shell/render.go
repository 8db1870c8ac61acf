package shell

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// render is what a model reads: the output, and one line about what the output
// does not say.
func (v *toolValue) render(timeout time.Duration) string {
	var notes []string
	switch {
	case v.TimedOut:
		notes = append(notes, "timed out after "+seconds(timeout))
	case v.Cancelled:
		notes = append(notes, "cancelled")
	case v.ExitCode != 0:
		notes = append(notes, "exit code: "+strconv.Itoa(v.ExitCode))
	}
	if v.Truncated {
		cut := fmt.Sprintf("%d bytes and %d lines cut", v.CutBytes, v.CutLines)
		switch {
		case v.FullOutput != "" && v.FullOutputBytes > 0:
			cut += fmt.Sprintf(": first %d bytes in %s", v.FullOutputBytes, v.FullOutput)
		case v.FullOutput != "":
			cut += ": full text in " + v.FullOutput
		}
		notes = append(notes, cut)
	}
	if v.PreviousDirectory != "" {
		notes = append(notes, "directory: "+v.Directory)
	}
	if len(notes) == 0 {
		if v.Output == "" {
			return "[no output]"
		}
		return v.Output
	}
	text := v.Output
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + "[" + strings.Join(notes, "; ") + "]"
}

// seconds writes a duration as a model would say it.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// meta is what a terminal card shows besides command and output.
func (v *toolValue) meta() any {
	return struct {
		ExitCode   int    `json:"exit_code"`
		TimedOut   bool   `json:"timed_out"`
		Cancelled  bool   `json:"cancelled"`
		Truncated  bool   `json:"truncated"`
		Directory  string `json:"directory"`
		FullOutput string `json:"full_output,omitempty"`
	}{v.ExitCode, v.TimedOut, v.Cancelled, v.Truncated, v.Directory, v.FullOutput}
}

// stripEscapes removes the sequences of ECMA-48: CSI, the strings (OSC, DCS,
// SOS, PM, APC) up to their end or the end of the text, and the escapes of two
// or three characters.
func stripEscapes(text string) string {
	if strings.IndexByte(text, 0x1b) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		at := strings.IndexByte(text, 0x1b)
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		text = text[at+escapeLength(text[at:]):]
	}
	b.WriteString(text)
	return b.String()
}

// escapeLength is the length of the sequence that text, which starts with
// ESC, begins with.
func escapeLength(text string) int {
	if len(text) < 2 {
		return len(text)
	}
	i := 2
	switch text[1] {
	case '[':
		for i < len(text) && text[i] >= 0x20 && text[i] <= 0x3f {
			i++
		}
		if i < len(text) && text[i] >= 0x40 && text[i] <= 0x7e {
			i++
		}
		return i
	case ']', 'P', 'X', '^', '_':
		for ; i < len(text); i++ {
			switch {
			case text[i] == 0x07:
				return i + 1
			case text[i] == 0x1b && i+1 < len(text) && text[i+1] == '\\':
				return i + 2
			case text[i] == '\n':
				// An unfinished string must not swallow what follows.
				return i
			}
		}
		return i
	}
	i = 1
	for i < len(text) && text[i] >= 0x20 && text[i] <= 0x2f {
		i++
	}
	if i < len(text) && text[i] >= 0x30 && text[i] <= 0x7e {
		i++
	}
	return i
}
