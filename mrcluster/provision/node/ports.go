package node

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"strconv"

	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
)

// ports records the ports of each service in a file, so that the next Node can reuse them.
type ports struct {
	file string
	m    map[string][]int
}

// readPorts reads the file. It ignores an invalid file because the services can use new ports.
func readPorts(file string) (*ports, error) {
	p := &ports{file, map[string][]int{}}
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failure.New(failure.KindOf(err), "read", file, err)
	}
	if err == nil && json.Unmarshal(b, &p.m) != nil {
		p.m = map[string][]int{}
	}
	return p, nil
}

// of returns the recorded ports of a service. It returns nil unless n valid ports are recorded.
func (p *ports) of(service string, n int) []int {
	known := p.m[service]
	for _, port := range known {
		if port < 1 || port > 65535 {
			return nil
		}
	}
	if len(known) != n {
		return nil
	}
	return known
}

// keep records the ports of a service. It ignores a failed write, because the next Node can choose
// other ports, and clients then get the new addresses.
func (p *ports) keep(service string, addrs []string) {
	var list []int
	for _, a := range addrs {
		_, port, _ := net.SplitHostPort(a)
		n, _ := strconv.Atoi(port)
		list = append(list, n)
	}
	p.m[service] = list
	b, _ := json.Marshal(p.m)
	_ = disk.Replace(disk.OS, p.file, b, 0o600)
}
