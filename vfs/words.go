package vfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/afero"
)

// Errno is the error number behind err: its own, or the one that a sentinel of
// io/fs, os, context or afero stands for. It is 0 when there is none.
func Errno(err error) syscall.Errno {
	if err == nil {
		return 0
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	for _, s := range [...]struct {
		sentinel error
		errno    syscall.Errno
	}{
		{fs.ErrNotExist, ENOENT}, {fs.ErrExist, EEXIST}, {fs.ErrPermission, EACCES},
		{fs.ErrInvalid, EINVAL}, {fs.ErrClosed, EBADF}, {afero.ErrFileClosed, EBADF},
		{afero.ErrOutOfRange, EINVAL}, {afero.ErrTooLarge, EFBIG},
		{afero.ErrNoSymlink, ENOTSUP}, {afero.ErrNoReadlink, ENOTSUP},
		{errors.ErrUnsupported, ENOTSUP}, {io.ErrShortWrite, EIO}, {io.ErrNoProgress, EIO},
		{io.ErrClosedPipe, EPIPE}, {os.ErrDeadlineExceeded, syscall.ETIMEDOUT},
	} {
		if errors.Is(err, s.sentinel) {
			return s.errno
		}
	}
	return 0
}

// cause strips what names an operation or a path, which may be a host's.
func cause(err error) error {
	for {
		switch e := err.(type) {
		case *fs.PathError:
			err = e.Err
		case *os.LinkError:
			err = e.Err
		case *os.SyscallError:
			err = e.Err
		default:
			return err
		}
	}
}

// Words is the text GNU programs print for an error's cause, e.g. "No such
// file or directory".
func Words(err error) string {
	if err == nil {
		return "Success"
	}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal.Error()
	}
	if errno := Errno(err); errno != 0 {
		return strerror(errno)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return strerror(syscall.ETIMEDOUT)
	case errors.Is(err, context.Canceled):
		return strerror(syscall.ECANCELED)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "Unexpected end of file"
	}
	for {
		err = cause(err)
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// strerror is glibc's text of an error number, on every system the same.
func strerror(errno syscall.Errno) string {
	switch errno {
	case syscall.E2BIG:
		return "Argument list too long"
	case syscall.EACCES:
		return "Permission denied"
	case syscall.EAGAIN:
		return "Resource temporarily unavailable"
	case syscall.EBADF:
		return "Bad file descriptor"
	case syscall.EBUSY:
		return "Device or resource busy"
	case syscall.ECANCELED:
		return "Operation canceled"
	case syscall.ECHILD:
		return "No child processes"
	case syscall.ECONNREFUSED:
		return "Connection refused"
	case syscall.ECONNRESET:
		return "Connection reset by peer"
	case syscall.EDEADLK:
		return "Resource deadlock avoided"
	case syscall.EDOM:
		return "Numerical argument out of domain"
	case syscall.EDQUOT:
		return "Disk quota exceeded"
	case syscall.EEXIST:
		return "File exists"
	case syscall.EFAULT:
		return "Bad address"
	case syscall.EFBIG:
		return "File too large"
	case syscall.EHOSTUNREACH:
		return "No route to host"
	case syscall.EILSEQ:
		return "Invalid or incomplete multibyte or wide character"
	case syscall.EINTR:
		return "Interrupted system call"
	case syscall.EINVAL:
		return "Invalid argument"
	case syscall.EIO:
		return "Input/output error"
	case syscall.EISDIR:
		return "Is a directory"
	case syscall.ELOOP:
		return "Too many levels of symbolic links"
	case syscall.EMFILE:
		return "Too many open files"
	case syscall.EMLINK:
		return "Too many links"
	case syscall.ENAMETOOLONG:
		return "File name too long"
	case syscall.ENFILE:
		return "Too many open files in system"
	case syscall.ENODEV:
		return "No such device"
	case syscall.ENOENT:
		return "No such file or directory"
	case syscall.ENOEXEC:
		return "Exec format error"
	case syscall.ENOLCK:
		return "No locks available"
	case syscall.ENOMEM:
		return "Cannot allocate memory"
	case syscall.ENOSPC:
		return "No space left on device"
	case syscall.ENOSYS:
		return "Function not implemented"
	case syscall.ENOTDIR:
		return "Not a directory"
	case syscall.ENOTEMPTY:
		return "Directory not empty"
	case syscall.ENOTTY:
		return "Inappropriate ioctl for device"
	case syscall.ENXIO:
		return "No such device or address"
	case syscall.EOVERFLOW:
		return "Value too large for defined data type"
	case syscall.EPERM:
		return "Operation not permitted"
	case syscall.EPIPE:
		return "Broken pipe"
	case syscall.ERANGE:
		return "Numerical result out of range"
	case syscall.EROFS:
		return "Read-only file system"
	case syscall.ESPIPE:
		return "Illegal seek"
	case syscall.ESRCH:
		return "No such process"
	case syscall.ESTALE:
		return "Stale file handle"
	case syscall.ETIMEDOUT:
		return "Connection timed out"
	case syscall.EXDEV:
		return "Invalid cross-device link"
	}
	// ENOTSUP and EOPNOTSUPP are one number on Linux, two elsewhere, so a
	// switch cannot name both.
	if errno == syscall.ENOTSUP || errno == syscall.EOPNOTSUPP {
		return "Operation not supported"
	}
	if errno == syscall.EWOULDBLOCK {
		return "Resource temporarily unavailable"
	}
	text := errno.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
