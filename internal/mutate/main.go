// Command mutate asks whether a package's tests would notice a bug. It draws mutants by a seed from all conditions and
// assignments of the package, runs the tests against each through a build overlay (the source stays as it is), and fails if
// one survives that is not explained.
//
//	go run ./internal/mutate -n 20 -seed 1 -explained FILE ./jobtracker
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 20, "mutants to draw")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the draw")
	run := flag.String("run", "", "only tests that match, as go test -run")
	timeout := flag.Duration("timeout", 2*time.Minute, "limit for the tests of one mutant; a mutant that hangs is caught")
	explained := flag.String("explained", "", "file of survivors that change nothing that can be seen: lines of NAME TAB REASON")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: mutate [flags] ./package")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	h := hunt{pkg: flag.Arg(0), run: *run, timeout: *timeout, reasons: readReasons(*explained)}
	fmt.Printf("mutate: go run ./internal/mutate -n %d -seed %d %s\n", *n, *seed, flag.Arg(0))
	survivors, err := h.hunt(ctx, *n, rand.New(rand.NewPCG(*seed, 0)))
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
	if survivors > 0 {
		fmt.Printf("%d mutants survived: write the test that is missing, or explain them in the file given by -explained\n", survivors)
		os.Exit(1)
	}
}

// readReasons reads the explained survivors; a file that is not there explains nothing.
func readReasons(file string) map[string]string {
	reasons := map[string]string{}
	f, err := os.Open(file)
	if err != nil {
		return reasons
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, why, ok := strings.Cut(s.Text(), "\t"); ok && !strings.HasPrefix(name, "#") {
			reasons[name] = why
		}
	}
	return reasons
}

type hunt struct {
	pkg, run string
	timeout  time.Duration
	reasons  map[string]string
}

// hunt draws until n mutants that compile were tested, or there are no more, and counts the unexplained survivors.
func (h *hunt) hunt(ctx context.Context, n int, r *rand.Rand) (survivors int, err error) {
	all, err := mutants(h.pkg)
	if err != nil {
		return 0, err
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	tested, caught := 0, 0
	for _, m := range all {
		if tested == n {
			break
		}
		overlay, err := m.write(dir)
		if err != nil {
			return survivors, err
		}
		if h.goTest(ctx, overlay, "-run", "^$") != nil {
			continue // does not compile: no bug that a test would have to find
		}
		tested++
		switch err, why := h.goTest(ctx, overlay, "-run", h.run), h.reasons[m.name]; {
		case ctx.Err() != nil:
			return survivors, ctx.Err()
		case err != nil:
			caught++
			fmt.Printf("caught    %s\n", m.name)
		case why != "":
			fmt.Printf("explained %s: %s\n", m.name, why)
		default:
			survivors++
			fmt.Printf("SURVIVED  %s at %s\n", m.name, m.pos)
		}
	}
	fmt.Printf("%d sites, %d mutants tested, %d caught, %d survived unexplained\n", len(all), tested, caught, survivors)
	return survivors, nil
}

func (h *hunt) goTest(ctx context.Context, overlay string, args ...string) error {
	ctx, stop := context.WithTimeout(ctx, h.timeout+time.Minute)
	defer stop()
	args = append([]string{"test", "-count=1", "-vet=off", "-failfast", "-timeout", h.timeout.String(), "-overlay", overlay}, args...)
	return exec.CommandContext(ctx, "go", append(args, h.pkg)...).Run()
}

// write leaves the mutated file and the overlay that puts it in the original's place.
func (m *mutant) write(dir string) (overlay string, err error) {
	file := filepath.Join(dir, "mutant.go")
	if err := os.WriteFile(file, m.source, 0o600); err != nil {
		return "", err
	}
	b, err := json.Marshal(map[string]map[string]string{"Replace": {m.file: file}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, b, 0o600)
}
