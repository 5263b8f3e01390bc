//go:build integration

package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"
	"time"

	"golang.org/x/sys/unix"

	"github.com/howdah/howdah/experiments/lab"
	"github.com/howdah/howdah/integration/bench/measure"
)

// machine describes where and when the measurement runs.
type machine struct {
	Commit, Date, Processor, Kernel, Load string
	Cores                                 int
	MemoryGiB                             float64
}

func (m *machine) String() string {
	return fmt.Sprintf("commit %s, %s, %s, %d cores, %.0f GiB of memory, Linux %s, load average %s", m.Commit, m.Date,
		m.Processor, m.Cores, m.MemoryGiB, m.Kernel, m.Load)
}

func thisMachine(ctx context.Context) (*machine, error) {
	b := &bench{ctx: ctx}
	_, commit, err := measure.Run(b.command("git", "describe", "--always", "--dirty", "--exclude=*"))
	if err != nil {
		return nil, err
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil, err
	}
	cpu, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil, err
	}
	processor := "unknown processor"
	if _, rest, ok := strings.Cut(string(cpu), "model name"); ok {
		line, _, _ := strings.Cut(rest, "\n")
		processor = strings.TrimLeft(line, "\t: ")
	}
	var info unix.Sysinfo_t
	var name unix.Utsname
	if err := errors.Join(unix.Sysinfo(&info), unix.Uname(&name)); err != nil {
		return nil, err
	}
	average, _, _ := strings.Cut(string(load), " ")
	return &machine{Commit: string(bytes.TrimSpace(commit)), Date: time.Now().Format("2 January 2006"),
		Processor: processor, Kernel: unix.ByteSliceToString(name.Release[:]), Load: average, Cores: runtime.NumCPU(),
		MemoryGiB: float64(info.Totalram) * float64(info.Unit) / (1 << 30)}, nil
}

//go:embed page.tmpl
var pageText string

var page = template.Must(template.New("").Parse(pageText))

// page writes the page and its picture.
func (b *bench) page(dir string, m *machine) error {
	var out bytes.Buffer
	err := page.Execute(&out, struct {
		*machine
		Bytes                  int64
		Runs, Small            int
		Table, Use, Some, None string
		Options, Missing       []string
	}{m, b.size, b.runs, smallSize, b.table(), b.useTable(), someMatch, noMatch, b.options, b.missing})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	picture, file := filepath.Join(dir, "peers.svg"), filepath.Join(dir, "peers.md")
	if err := errors.Join(lab.Draw(b.plot(), picture), os.WriteFile(file, out.Bytes(), 0o644)); err != nil {
		return err
	}
	fmt.Println("wrote", file, "and", picture)
	return nil
}

// plot returns a bar chart with a group of bars for each job.
func (b *bench) plot() lab.Plot {
	p := lab.Plot{Title: fmt.Sprintf("Median of %d runs, %d MB of input", b.runs, b.size/1e6), Y: "seconds",
		Kind: lab.Bars, LogY: true}
	for _, peer := range b.peers {
		s := lab.Series{Name: peer.name()}
		for _, j := range b.jobs {
			s.Labels = append(s.Labels, j.name)
			y := 0.0
			if r := b.of(peer, j); r != nil {
				y = measure.Median(r.seconds)
			}
			s.Y = append(s.Y, y)
		}
		p.Series = append(p.Series, s)
	}
	return p
}
