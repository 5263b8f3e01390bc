package procfs

import (
	"io/fs"
	"os"
	"syscall"
)

// ReadFile is like os.ReadFile for a file that the kernel generates. If the content is shorter than
// buf, the result is part of buf, and ReadFile makes three system calls. os.ReadFile makes eight,
// because it treats the kernel's files as if they could block.
func ReadFile(path string, buf []byte) ([]byte, error) {
	fd, err := Retry(func() (int, error) { return syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	n, err := Retry(func() (int, error) { return syscall.Read(fd, buf) })
	syscall.Close(fd)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	if n == len(buf) {
		return os.ReadFile(path)
	}
	return buf[:n], nil
}

// Retry repeats a system call while signals interrupt it.
func Retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != syscall.EINTR {
			return n, err
		}
	}
}
