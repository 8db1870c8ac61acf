// Package grep searches streams for lines that match and prints them as GNU
// grep does: contexts, prefixes, colours, binary files.
package grep

import (
	"context"
	"io"
	"math"

	"github.com/vsh-project/vsh/internal/regex"
)

// BinaryFiles is what is done with a file that is not text.
type BinaryFiles uint8

const (
	BinaryMessage BinaryFiles = iota // say only that it matches
	BinaryText                       // treat it as text (-a)
	BinarySkip                       // it has no match (-I)
	BinaryStop                       // its search ends before the block with the NUL
	BinaryLines                      // its lines are taken all the same, NULs ending lines
)

// Unlimited is the MaxCount of a search without -m.
const Unlimited = math.MaxInt64

// Options is what a search prints. Before and After are -1 where no context
// was asked for: 0 asks for separators between groups all the same.
type Options struct {
	Invert       bool
	OnlyMatching bool
	Quiet        bool // print no lines (-q, -l, -L, -c)
	FirstOnly    bool // one selected line settles the file (-q, -l, -L)
	LineNumber   bool
	ByteOffset   bool
	WithName     bool
	NullName     bool // a name is followed by a NUL (-Z)
	AlignTabs    bool
	LineBuffered bool
	MaxCount     int64
	Before       int
	After        int
	Separator    string // between groups
	NoSeparator  bool
	NullData     bool // lines end in NUL (-z)
	Binary       BinaryFiles
	// Bytes is the C locale, where no byte is an encoding error.
	Bytes  bool
	Colors *Colors // nil: no colour
	// Sink, where set, gets the lines instead of an Output.
	Sink Sink
}

// Sink takes what a search finds. Lines come without their delimiter and are
// valid during the call.
type Sink interface {
	// Line takes a line; ended says whether it had its delimiter.
	Line(line []byte, ended bool, number, offset int64, selected bool)
	// Gap stands between groups of lines that are not adjacent.
	Gap()
}

func (o *Options) delimiter() byte {
	if o.NullData {
		return 0
	}
	return '\n'
}

// Charger is the account that the buffers of long lines are charged to.
type Charger interface {
	Charge(bytes int64) error
	Release(bytes int64)
}

// Result is what one search found.
type Result struct {
	Selected int64
	// BinaryMatch asks for the message that a binary file matches.
	BinaryMatch bool
	// Stopped says that MaxCount ended the search; Offset is where the line
	// after the last selected one begins.
	Stopped bool
	Offset  int64
	// NULAt is the offset of a NUL that made the file a binary one, or -1.
	NULAt int64
}

// Searcher searches one stream after another. Not safe for concurrent use.
type Searcher struct {
	Options *Options
	Charger Charger

	ctx     context.Context
	finder  *regex.Finder
	out     *Output
	name    string
	buffer  []byte
	charged int64
}

// NewSearcher makes a searcher for matcher.
func NewSearcher(ctx context.Context, matcher *regex.Matcher, options *Options, charger Charger) *Searcher {
	return &Searcher{Options: options, Charger: charger, ctx: ctx, finder: matcher.Finder(ctx)}
}

// Close gives the buffer back.
func (s *Searcher) Close() {
	if s.Charger != nil {
		s.Charger.Release(s.charged)
	}
	s.charged, s.buffer = 0, nil
}

// Output gathers what is printed and hands it on in large pieces.
type Output struct {
	Writer io.Writer
	buffer []byte
	err    error
}

const outputSize = 64 << 10

// Flush writes what is gathered; it returns the first error of any write.
func (o *Output) Flush() error {
	if o.err == nil && len(o.buffer) > 0 {
		_, o.err = o.Writer.Write(o.buffer)
	}
	o.buffer = o.buffer[:0]
	return o.err
}

func (o *Output) write(b []byte) {
	if len(o.buffer)+len(b) > outputSize {
		o.Flush()
		if len(b) > outputSize/2 {
			if o.err == nil {
				_, o.err = o.Writer.Write(b)
			}
			return
		}
	}
	o.buffer = append(o.buffer, b...)
}

func (o *Output) writeString(s string) { o.buffer = append(o.buffer, s...) }

func (o *Output) writeByte(c byte) { o.buffer = append(o.buffer, c) }

// Reuse makes an Output for w that keeps o's memory.
func (o *Output) Reuse(w io.Writer) Output { return Output{Writer: w, buffer: o.buffer[:0]} }
