package daemon

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"github.com/howdah/howdah/internal/procfs"
)

// readCPU reads the CPU times of the node, and of this process and its descendants, from /proc.
func readCPU() (t cpuTimes, err error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return t, err
	}
	if t.all, t.busy, err = parseNode(b); err != nil {
		return t, err
	}
	table, err := procfs.ReadTree(os.Getpid())
	if err != nil {
		return t, err
	}
	for _, p := range table {
		t.own += p.Ticks
	}
	return t, nil
}

// parseNode parses the first line of /proc/stat: cpu user nice system idle iowait irq softirq steal
// guest guest_nice. It ignores the guest times because the kernel includes them in user and nice.
func parseNode(b []byte) (all, busy int64, err error) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	f := bytes.Fields(line)
	if len(f) < 5 || string(f[0]) != "cpu" {
		return 0, 0, errors.New("/proc/stat has an unknown format")
	}
	for i, x := range f[1:min(len(f), 9)] {
		n, err := strconv.ParseInt(string(x), 10, 64)
		if err != nil {
			return 0, 0, err
		}
		all += n
		if i != 3 && i != 4 {
			busy += n
		}
	}
	return all, busy, nil
}
