package vfs

// Words is the text GNU programs print for an error's cause, e.g. "No such
// file or directory".
func Words(err error) string { panic("not yet") }

// FromAfero lifts any afero filesystem to an FS. A storage of ours (one with a
// method FS() FS) gives its own.
func FromAfero(storage Storage) FS { panic("not yet") }

// Face is the afero.Fs over an FS that our storages embed, so that they can
// be handed over as a Storage.
type Face struct{ fs FS }

// NewFace makes the face of f.
func NewFace(f FS) *Face { return &Face{fs: f} }

// FS gives what the face was made of.
func (f *Face) FS() FS { return f.fs }
