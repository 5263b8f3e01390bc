// Command breakages checks that the experiments notice bugs in the papers' algorithms. It plants each
// bug of breakages.yaml alone, with a build overlay, so that the source does not change. It then
// runs the bug's experiments. At least one relation of each bug must change to FAILS, unless the bug's
// entry states why none does. Without bugs, none of these experiments may have such a relation.
//
//	make breakages
//	make breakages ARGS='-match DHFS'
package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/howdah/howdah/internal/overlay"
)

//go:embed breakages.yaml
var file []byte

// A breakage is a bug that replaces a text, which must occur exactly once in its file.
type breakage struct {
	Name        string   `yaml:"name"`
	Paper       string   `yaml:"paper"`
	Breaks      string   `yaml:"breaks"` // what is wrong, with the place in the paper
	File        string   `yaml:"file"`   // relative to the root of the repository
	Old         string   `yaml:"old"`
	New         string   `yaml:"new"`
	Experiments []string `yaml:"experiments"` // experiments that should notice the bug
	// Whole runs the experiments without --quick. It is for bugs whose effect is too small for the few
	// repetitions of quick runs.
	Whole bool `yaml:"whole"`
	// Misses states why no experiment notices the bug; "" means that one must. If one notices the bug
	// nevertheless, the command fails, because the reason no longer holds.
	Misses string `yaml:"misses"`
}

// verdict compares the experiments that notice the bug with what its entry expects.
func (b *breakage) verdict(red []string) (text string, ok bool) {
	switch {
	case len(red) > 0 && b.Misses != "":
		return "NOTICED", false
	case len(red) > 0:
		return "noticed", true
	case b.Misses != "":
		return "missed", true
	}
	return "MISSED", false
}

func main() {
	match := flag.String("match", "", "plant only bugs whose name or paper contains this text")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *match); err != nil {
		fmt.Fprintln(os.Stderr, "breakages:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, match string) error {
	all, err := read()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(b breakage) bool { return !strings.Contains(b.Paper+" "+b.Name, match) })
	dir, err := os.MkdirTemp("", "breakages")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := trial{dir: dir}
	if err := t.intact(ctx, all); err != nil {
		return err
	}
	wrong := 0
	for i := range all {
		b := &all[i]
		red, err := t.plant(ctx, b)
		if err != nil {
			return err
		}
		verdict, ok := b.verdict(red)
		if !ok {
			wrong++
		}
		fmt.Printf("%-7s  %-16s %-22s %s\n", verdict, b.Paper, b.Name, cmp.Or(strings.Join(red, ", "), b.Misses))
	}
	fmt.Printf("%d bugs, %d not as expected\n", len(all), wrong)
	if wrong > 0 {
		return errors.New("experiments missed a bug that they should notice (MISSED), or noticed one that they are " +
			"known to miss (NOTICED)")
	}
	return nil
}

func read() (all []breakage, err error) {
	d := yaml.NewDecoder(bytes.NewReader(file))
	d.KnownFields(true)
	return all, d.Decode(&all)
}

// trial runs experiments with and without bugs.
type trial struct {
	dir string // directory for the binary and the changed file
}

// intact returns an error if a relation of an experiment fails without any bug.
func (t *trial) intact(ctx context.Context, all []breakage) error {
	binary, err := t.build(ctx, "")
	if err != nil {
		return err
	}
	for _, whole := range []bool{false, true} {
		var ids []string
		for i := range all {
			if all[i].Whole == whole {
				ids = append(ids, all[i].Experiments...)
			}
		}
		slices.Sort(ids)
		red, err := t.fails(ctx, binary, slices.Compact(ids), whole)
		if err != nil {
			return err
		}
		if len(red) > 0 {
			return fmt.Errorf("relations fail without any bug: %s", strings.Join(red, ", "))
		}
	}
	return nil
}

// plant returns the experiments that notice the bug, with the number of relations that fail.
func (t *trial) plant(ctx context.Context, b *breakage) (red []string, err error) {
	source, err := b.apply()
	if err != nil {
		return nil, err
	}
	changes, err := overlay.Write(t.dir, b.File, source)
	if err != nil {
		return nil, err
	}
	binary, err := t.build(ctx, changes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name, err)
	}
	return t.fails(ctx, binary, b.Experiments, b.Whole)
}

// apply returns the file with the bug.
func (b *breakage) apply() ([]byte, error) {
	source, err := os.ReadFile(b.File)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(source, []byte(b.Old)); n != 1 {
		return nil, fmt.Errorf("%s: %s contains the text to replace %d times, not once", b.Name, b.File, n)
	}
	return bytes.Replace(source, []byte(b.Old), []byte(b.New), 1), nil
}

// build builds howdah-lab, with an overlay unless changes is "".
func (t *trial) build(ctx context.Context, changes string) (binary string, err error) {
	binary = filepath.Join(t.dir, "howdah-lab")
	out, err := exec.CommandContext(ctx, "go", "build", "-overlay", changes, "-o", binary, "./cmd/howdah-lab").
		CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
}

// fails runs the experiments and returns those with failed relations.
func (t *trial) fails(ctx context.Context, binary string, ids []string, whole bool) (red []string, err error) {
	for _, id := range ids {
		args := []string{"experiment", "run", id}
		if !whole {
			args = append(args, "--quick")
		}
		out, err := exec.CommandContext(ctx, binary, args...).CombinedOutput()
		n := bytes.Count(out, []byte("[FAILS]"))
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || n == 0) || err == nil && n > 0 {
			return nil, fmt.Errorf("run %s: %w\n%s", id, err, out)
		}
		if n > 0 {
			red = append(red, fmt.Sprintf("%s (%d)", id, n))
		}
	}
	return red, nil
}
