// Command mutate measures whether the tests of packages detect bugs. It uses a random seed to
// choose mutants, which change a condition, an operator, or an assignment in the packages. A build
// overlay replaces a file with its mutant, so the source does not change. The command fails if a
// mutant survives without an explanation in the file of equivalent mutants.
//
//	go run ./internal/mutate -n 20 -seed 1 ./jobtracker ./scheduler/...
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/overlay"
)

func main() {
	n := flag.Int("n", 20, "number of mutants")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the selection")
	match := flag.String("match", "", "draw only mutants whose name contains this text, such as a function's name")
	run := flag.String("run", "", "run only tests that match, like go test -run")
	timeout := flag.Duration("timeout", 2*time.Minute, "time limit for the tests of one mutant; a mutant "+
		"that hangs is caught")
	explained := flag.String("explained", "internal/mutate/equivalent.txt",
		"file of survivors without a visible effect, one NAME TAB REASON per line")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: mutate [flags] ./package...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	h := hunt{match: *match, run: *run, timeout: *timeout, reasons: readReasons(*explained)}
	fmt.Printf("mutate: go run ./internal/mutate -n %d -seed %d %s\n", *n, *seed, strings.Join(flag.Args(), " "))
	survivors, err := h.hunt(ctx, flag.Args(), *n, rand.New(rand.NewPCG(*seed, 0)))
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
	if survivors > 0 {
		fmt.Printf("mutants that survived: %d. Write the missing tests, or explain the mutants in the file "+
			"of -explained\n", survivors)
		os.Exit(1)
	}
}

// readReasons reads the explanations of survivors from a file. If the file is missing, there are no
// explanations.
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
	match   string
	run     string
	timeout time.Duration
	reasons map[string]string
}

// hunt chooses mutants at random until it has tested n mutants that compile or no mutants are left.
// It returns the number of unexplained survivors.
func (h *hunt) hunt(ctx context.Context, patterns []string, n int, r *rand.Rand) (survivors int, err error) {
	if err := h.green(ctx, patterns); err != nil {
		return 0, err
	}
	all, err := mutants(ctx, patterns)
	if err != nil {
		return 0, err
	}
	all = slices.DeleteFunc(all, func(m mutant) bool { return !strings.Contains(m.name, h.match) })
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
		binary, err := m.build(ctx, dir)
		if err != nil {
			return survivors, err
		}
		if binary == "" {
			continue // the mutant does not compile, so tests need not detect it
		}
		tested++
		switch err, why := h.test(ctx, &m, binary), h.reasons[m.name]; {
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

// green returns an error if a test fails in the original source, because every mutant of the test's
// package would then count as detected.
func (h *hunt) green(ctx context.Context, patterns []string) error {
	args := append([]string{"test", "-vet=off", "-run", h.run}, patterns...)
	if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("the tests fail without a mutant: %w\n%s", err, out)
	}
	return nil
}

// test runs binary, the compiled tests of a mutant's package. It returns nil if the tests pass,
// which means that the mutant survived.
func (h *hunt) test(ctx context.Context, m *mutant, binary string) error {
	ctx, stop := context.WithTimeout(ctx, h.timeout+time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, binary, "-test.failfast", "-test.timeout", h.timeout.String(), "-test.run", h.run)
	cmd.Dir = filepath.Dir(m.file)
	return cmd.Run()
}

// build compiles the tests of a mutant's package. It returns an empty name if the mutant does not
// compile.
func (m *mutant) build(ctx context.Context, dir string) (binary string, err error) {
	changes, err := overlay.Write(dir, m.file, m.source)
	if err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "mutant.test")
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", changes,
		"-o", binary, ".")
	cmd.Dir = filepath.Dir(m.file)
	if cmd.Run() != nil {
		return "", ctx.Err()
	}
	return binary, nil
}
