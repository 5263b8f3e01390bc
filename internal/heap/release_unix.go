//go:build unix

package heap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// release returns the memory of b's whole pages to the operating system. After that, the content of b is
// undefined.
func release(b []byte) {
	page := os.Getpagesize()
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (page - 1)
	if n := (len(b) - skip) &^ (page - 1); n > 0 {
		_ = unix.Madvise(b[skip:skip+n], unix.MADV_DONTNEED) // after an error, the memory remains until a collection
	}
}
