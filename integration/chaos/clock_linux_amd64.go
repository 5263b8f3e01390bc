package chaos

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ShiftClock makes one process's wall clock jump. From then on, it differs from the machine's by
// the given number of whole seconds. The monotonic clock, other processes, and the process's future
// children keep their time. The caller must have permission to trace the process.
//
// The Go runtime reads the clocks through a function in the vDSO, the page of code that the kernel
// maps into every process. ShiftClock writes another function into the process's own copy of that
// page, just as a debugger writes a breakpoint.
func ShiftClock(pid int, by time.Duration) error {
	if !stopped(pid) {
		defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return err
	}
	lo, hi, err := vdso(pid)
	if err != nil {
		return err
	}
	mem, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer mem.Close()
	image := make([]byte, hi-lo)
	if _, err := mem.ReadAt(image, int64(lo)); err != nil {
		return err
	}
	at, err := clockGettime(image)
	if err != nil {
		return err
	}
	code := shifted(int64(by / time.Second))
	// The code of an earlier shift differs only in the number of seconds, so threads may be
	// executing it.
	if old := image[at : at+len(code)]; !bytes.Equal(old[:numberAt], code[:numberAt]) {
		if err := awayFrom(pid, lo, hi); err != nil {
			return err
		}
	}
	_, err = mem.WriteAt(code, int64(lo)+int64(at))
	return err
}

const numberAt = 13 // offset of the seconds in the code of shifted

// shifted returns the machine code of clock_gettime(clock, *time), which asks the kernel and adds
// seconds to the result for CLOCK_REALTIME.
func shifted(seconds int64) []byte {
	code := []byte{
		0xb8, 228, 0, 0, 0, // mov eax, SYS_clock_gettime
		0x0f, 0x05, // syscall
		0x85, 0xff, // test edi, edi
		0x75, 13, // jne to ret
		0x48, 0xb9, // mov rcx, seconds
	}
	code = binary.LittleEndian.AppendUint64(code, uint64(seconds))
	return append(code,
		0x48, 0x01, 0x0e, // add [rsi], rcx
		0xc3) // ret
}

// stopped reports whether a signal has stopped the process.
func stopped(pid int) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return bytes.Contains(b, []byte(") T "))
}

// vdso returns the address range of the process's vDSO.
func vdso(pid int) (lo, hi uint64, err error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(maps)) {
		if strings.HasSuffix(line, "[vdso]\n") {
			_, err := fmt.Sscanf(line, "%x-%x", &lo, &hi)
			return lo, hi, err
		}
	}
	return 0, 0, fmt.Errorf("process %d has no vDSO", pid)
}

// clockGettime returns the offset of the clock_gettime function in image, a copy of the vDSO.
func clockGettime(image []byte) (int, error) {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return 0, err
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return 0, err
	}
	for _, s := range symbols {
		if s.Name == "__vdso_clock_gettime" && s.Value+64 < uint64(len(image)) {
			return int(s.Value), nil
		}
	}
	return 0, fmt.Errorf("the vDSO has no clock_gettime")
}

// awayFrom lets the stopped process continue until no thread is executing code from lo to hi.
func awayFrom(pid int, lo, hi uint64) error {
	for range 100 {
		inside, err := anyThread(pid, lo, hi)
		if err != nil || !inside {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			return err
		}
	}
	return fmt.Errorf("process %d does not leave its vDSO", pid)
}

// anyThread reports whether any thread of a process is executing code from lo to hi. It also
// returns true if a thread has not stopped yet.
func anyThread(pid int, lo, hi uint64) (bool, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	if err != nil {
		return false, err
	}
	for _, name := range threads {
		b, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return false, err
		}
		fields := strings.Fields(string(b)) // "running", or numbers that end with the program counter
		pc, err := strconv.ParseUint(fields[len(fields)-1], 0, 64)
		if err != nil || pc >= lo && pc < hi {
			return true, nil
		}
	}
	return false, nil
}
