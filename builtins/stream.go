package builtins

import (
	"io"

	"github.com/vsh-project/vsh/vfs"
)

// statStream describes an open stream where it is a file of the shell, else
// nil (a pipe, a text of the embedder).
func statStream(stream any) *vfs.Info {
	if s, ok := stream.(interface{ File() vfs.File }); ok {
		stream = s.File()
	}
	f, ok := stream.(interface{ Stat() (*vfs.Info, error) })
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	return info
}

// regularFile gives the open regular file behind a stream, its length and its
// offset; ok is false for anything else.
func regularFile(stream io.Reader) (f io.Seeker, size, offset int64, ok bool) {
	info := statStream(stream)
	f, seekable := stream.(io.Seeker)
	if info == nil || !seekable || !info.FileMode.IsRegular() {
		return nil, 0, 0, false
	}
	offset, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0, 0, false
	}
	return f, info.Bytes, offset, true
}

// displayName is how a message calls an operand.
func displayName(operand string) string {
	if operand == "-" {
		return "standard input"
	}
	return operand
}
