package node

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"strconv"

	"github.com/howdah/howdah/job/failure"
)

// ports remembers where services have served, also for a Node that comes after this one.
type ports struct {
	file string
	m    map[string][]int
}

// readPorts reads the file. One that makes no sense is of no use, and new ports are as good.
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

// of gives the n ports of a service, nil if it has never served.
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

// keep remembers where a service serves. If that cannot be written its next start is at other ports, which others will be told.
func (p *ports) keep(service string, addrs []string) {
	var list []int
	for _, a := range addrs {
		_, port, _ := net.SplitHostPort(a)
		n, _ := strconv.Atoi(port)
		list = append(list, n)
	}
	p.m[service] = list
	b, _ := json.Marshal(p.m)
	_ = writeWhole(p.file, b)
}
