package task

import (
	"bytes"
	"os"
	"strconv"
)

// processMemory returns the sizes of the address space and of the resident set, in bytes.
func processMemory() (virtual, physical int64) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0
	}
	f := bytes.Fields(b)
	if len(f) < 2 {
		return 0, 0
	}
	page := int64(os.Getpagesize())
	v, _ := strconv.ParseInt(string(f[0]), 10, 64)
	p, _ := strconv.ParseInt(string(f[1]), 10, 64)
	return v * page, p * page
}
