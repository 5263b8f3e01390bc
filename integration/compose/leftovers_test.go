//go:build integration

package compose

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// takeAway removes all objects of the project and fails the test if any are left.
func (p *project) takeAway() {
	if p.t.Failed() {
		p.t.Logf("%s", tail(p.try("--profile", "pool", "ps").out+p.try("--profile", "pool", "logs", "--no-color",
			"--tail", "40").out, 20000))
	}
	p.try("--profile", "pool", "--profile", "client", "down", "-v", "--remove-orphans")
	if images := p.images(); len(images) > 0 {
		_ = exec.Command("docker", append([]string{"rmi", "-f"}, images...)...).Run()
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		left := p.left()
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			p.t.Errorf("left behind:\n%s", strings.Join(left, "\n"))
			return
		}
	}
}

// images lists the project's own images. An image has one of the project's names, or only the
// project's label if a rebuild has taken the name.
func (p *project) images() []string {
	named := docker(p.t, "images", "--format", "{{.Repository}}:{{.Tag}}", "--filter", "reference="+p.name+"-*")
	return append(strings.Fields(named), strings.Fields(docker(p.t, "images", "-q", "--filter", p.label()))...)
}

// left lists the objects of the project that still exist.
func (p *project) left() []string {
	left := p.images()
	for _, kind := range [][]string{{"ps", "-a"}, {"network", "ls"}, {"volume", "ls"}} {
		for _, id := range strings.Fields(docker(p.t, append(kind, "-q", "--filter", p.label())...)) {
			left = append(left, kind[0]+" "+id)
		}
	}
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // groups appear and disappear during the walk
		}
		id := strings.TrimSuffix(strings.TrimPrefix(d.Name(), "docker-"), ".scope")
		if p.seen[id] {
			left = append(left, path)
			return fs.SkipDir
		}
		return nil
	})
	return left
}
