package minicluster

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/internal/freeport"
	"github.com/howdah/howdah/job/failure"
)

// ports holds the ports of a cluster by name. A file keeps them when a part or the whole cluster
// restarts. Each line of the file is "name port".
type ports map[string]int

// These are the names of the JobTracker's ports. A TaskTracker's port has the TaskTracker's name.
const (
	jobTrackerRPC  = "jobtracker"
	jobTrackerHTTP = "jobtracker.http"
)

// readPorts reads the file of ports and chooses free ports for missing names.
func readPorts(file string, names []string) (ports, error) {
	p := ports{}
	f, err := os.Open(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, failure.New(failure.KindOf(err), "read ports", file, err)
	default:
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			name, port, _ := strings.Cut(s.Text(), " ")
			n, err := strconv.Atoi(port)
			if err != nil || n < 1 || n > 65535 {
				return nil, failure.New(failure.Corrupt, "read ports", file, fmt.Errorf("line %q is not a name and a port",
					s.Text())).
					Fix("delete the file to choose new ports")
			}
			p[name] = n
		}
	}
	if err := p.choose(names); err != nil {
		return nil, err
	}
	return p, p.write(file)
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
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		return failure.New(failure.KindOf(err), "write ports", file, err)
	}
	return nil
}

func (p ports) addr(name string) string { return "127.0.0.1:" + strconv.Itoa(p[name]) }
