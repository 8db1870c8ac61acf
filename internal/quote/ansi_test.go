package quote

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The answers are bash 5.2's for printf %s $'…'.
func TestUnquote(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`a\nb`, "\x61\x0a\x62"},
		{`\x41\x4`, "\x41\x04"},
		{`\x{1F600}z`, ""},
		{`\x{41}z`, "\x41\x7a"},
		{`\xg`, "\x5c\x78\x67"},
		{`\u00e9\u4e2d\U1F600`, "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80"},
		{`\101\0\102`, "\x41"},
		{`\7\77\777`, "\x07\x3f\xff"},
		{`\cA\ca\c?\c[\c\\x`, "\x01\x01\x7f\x1b\x1c\x78"},
		{`\q\"\'\?\\`, "\x5c\x71\x22\x27\x3f\x5c"},
		{`\e\E\a\b\f\r\t\v`, "\x1b\x1b\x07\x08\x0c\x0d\x09\x0b"},
		{`\u`, "\x5c\x75"},
		{`\U110000`, "\xf4\x90\x80\x80"},
		{`\ud800`, "\xed\xa0\x80"},
		{`a\x00b`, "\x61"},
		{`\x{}`, ""},
		{`\x{zz}`, ""},
		{`\c@a`, ""},
	} {
		assert.Equal(t, c.want, Unquote(c.text), c.text)
	}
}
