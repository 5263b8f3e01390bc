package minicluster

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/freeport"
	"github.com/howdah/howdah/job/failure"
)

// ports maps names to the ports of a cluster. They are stored in a file, so that a part or the
// whole cluster can restart with the same ports. The first line of the file is a checksum, and each
// other line is "name port".
type ports map[string]int

// These are the names of the JobTracker's ports. A TaskTracker's port has the TaskTracker's name.
const (
	jobTrackerRPC  = "jobtracker"
	jobTrackerHTTP = "jobtracker.http"
)

// readPorts reads the file of ports, chooses free ports for missing names, and writes the file.
func readPorts(file string, names []string) (ports, error) {
	p := ports{}
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, failure.New(failure.KindOf(err), "read ports", file, err)
	default:
		if err := p.parse(string(text)); err != nil {
			return nil, failure.New(failure.Corrupt, "read ports", file, err).Fix("delete the file to choose new ports")
		}
	}
	if err := p.choose(names); err != nil {
		return nil, err
	}
	return p, p.write(file)
}

func (p ports) parse(text string) error {
	sum, lines, _ := strings.Cut(text, "\n")
	switch {
	case sum == sumOf(lines):
	case text == "" || strings.HasPrefix(sum, sumName):
		return errors.New("the checksum is wrong")
	default: // an earlier version wrote no checksum
		lines = text
	}
	for line := range strings.Lines(lines) {
		name, port, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 || n > 65535 {
			return fmt.Errorf("line %q is not a name and a port", line)
		}
		p[name] = n
	}
	return nil
}

const sumName = "checksum "

// sumOf returns the checksum line for the other lines of the file of ports. The result cannot be
// mistaken for a line with a name and a port.
func sumOf(lines string) string {
	return fmt.Sprintf("%scrc32:%08x", sumName, crc32.ChecksumIEEE([]byte(lines)))
}

// choose chooses free ports for new names.
func (p ports) choose(names []string) error {
	for _, name := range names {
		if p[name] != 0 {
			continue
		}
		found, err := freeport.Find(1)
		if err != nil {
			return err
		}
		p[name] = found[0]
	}
	return nil
}

func (p ports) write(file string) error {
	var lines []string
	for name, port := range p {
		lines = append(lines, fmt.Sprintf("%s %d\n", name, port))
	}
	slices.Sort(lines)
	text := strings.Join(lines, "")
	if err := disk.Swap(file, []byte(sumOf(text)+"\n"+text), 0o644); err != nil {
		return failure.New(failure.KindOf(err), "write ports", file, err)
	}
	return nil
}

func (p ports) addr(name string) string { return "127.0.0.1:" + strconv.Itoa(p[name]) }
