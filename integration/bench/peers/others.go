//go:build integration

package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/howdah/howdah/integration/bench/measure"
)

// The versions of the Python packages. If they change, new figures are not comparable with earlier
// ones.
const (
	duckDBVersion = "2.0.0"
	sparkVersion  = "4.0.1"
)

//go:embed duckdb.py
var duckDBProgram string

//go:embed spark.py
var sparkProgram string

// single contains the methods that all programs other than MapReduce runtimes share.
type single struct{}

func (single) stop()           {}
func (single) mapReduce() bool { return false }

// handwritten is the program that only counts words.
type handwritten struct {
	single
	b *bench
}

func (p *handwritten) name() string     { return "hand-written Go" }
func (p *handwritten) available() error { return nil }
func (p *handwritten) binary() string   { return filepath.Join(p.b.dir, "handwritten") }
func (p *handwritten) runs(j *job) bool { return j.name == "wordcount" }

func (p *handwritten) start() error {
	_, _, err := measure.Run(p.b.command("go", "build", "-tags", "integration", "-o", p.binary(),
		"github.com/howdah/howdah/integration/bench/handwritten"))
	return err
}

func (p *handwritten) run(_ *job, in, out string) (time.Duration, error) {
	if err := os.Mkdir(out, 0o755); err != nil {
		return 0, err
	}
	c, _, err := measure.Run(p.b.command(p.binary(), in, filepath.Join(out, "part-0")))
	return c.Wall, err
}

// gnu is GNU sort and grep.
type gnu struct {
	single
	b *bench
}

func (p *gnu) name() string     { return "GNU tools" }
func (p *gnu) start() error     { return nil }
func (p *gnu) runs(j *job) bool { return j.name == "terasort" || j.pattern != "" }

func (p *gnu) available() error {
	for _, tool := range []string{"sort", "grep", "uniq"} {
		out, err := p.b.command(tool, "--version").Output()
		if err != nil || !bytes.Contains(out, []byte("GNU")) {
			return fmt.Errorf("%s is not GNU's", tool)
		}
	}
	return nil
}

func (p *gnu) run(j *job, in, out string) (time.Duration, error) {
	if err := os.Mkdir(out, 0o755); err != nil {
		return 0, err
	}
	part := filepath.Join(out, "part-0")
	if j.pattern == "" {
		return p.pipe(part, []string{"sort", "-S", "2G", "--parallel=2", "-T", p.b.dir, in})
	}
	return p.pipe(part, []string{"grep", "-oE", j.pattern, in}, []string{"sort"}, []string{"uniq", "-c"},
		[]string{"sort", "-rn"})
}

// pipe runs commands as a pipeline, and writes the output of the last command to the file out. It
// returns the time until all have exited.
func (p *gnu) pipe(out string, commands ...[]string) (time.Duration, error) {
	f, err := os.Create(out)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	ctx, kill := context.WithCancel(p.b.ctx)
	defer kill()
	var all []*exec.Cmd
	for _, c := range commands {
		cmd := exec.CommandContext(ctx, c[0], c[1:]...)
		cmd.Env, cmd.Stderr = append(os.Environ(), "LC_ALL=C"), os.Stderr
		if len(all) > 0 {
			if cmd.Stdin, err = all[len(all)-1].StdoutPipe(); err != nil {
				return 0, err
			}
		}
		all = append(all, cmd)
	}
	all[len(all)-1].Stdout = f
	start := time.Now()
	for _, cmd := range all {
		if err = cmd.Start(); err != nil {
			kill()
			break
		}
	}
	for _, cmd := range slices.Backward(all) { // Wait closes the pipe that the next command reads
		if cmd.Process == nil {
			continue
		}
		one := cmd.Wait()
		if exit, ok := errors.AsType[*exec.ExitError](one); ok && exit.ExitCode() == 1 && cmd.Args[0] == "grep" {
			one = nil // no match
		}
		if one != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", cmd, one))
		}
	}
	return time.Since(start), err
}

// python runs jobs with a Python package.
type python struct {
	single
	b                    *bench
	title, pack, version string
	program              string   // source
	needs                []string // other programs
}

func (b *bench) duckDB() peer {
	return &python{b: b, title: "DuckDB", pack: "duckdb", version: duckDBVersion, program: duckDBProgram}
}

func (b *bench) spark() peer {
	return &python{b: b, title: "Spark", pack: "pyspark", version: sparkVersion, program: sparkProgram,
		needs: []string{"java"}}
}

func (p *python) name() string { return p.title + " " + p.version }
func (p *python) runs(j *job) bool {
	return j.name == "wordcount" || j.name == "terasort" || j.pattern != ""
}
func (p *python) venv() string   { return filepath.Join(p.b.dir, p.pack+"-"+p.version) }
func (p *python) file() string   { return filepath.Join(p.venv(), "job.py") }
func (p *python) python() string { return filepath.Join(p.venv(), "bin", "python") }

// available installs the package in its own virtual environment, unless an earlier run has done so.
func (p *python) available() error {
	for _, tool := range append([]string{"python3"}, p.needs...) {
		if _, err := exec.LookPath(tool); err != nil {
			return err
		}
	}
	version := fmt.Sprintf("import %s; print(%[1]s.__version__)", p.pack)
	_, out, err := measure.Run(p.b.command(p.python(), "-c", version))
	if err == nil && strings.TrimSpace(string(out)) == p.version {
		return nil
	}
	for _, args := range [][]string{{"python3", "-m", "venv", "--clear", p.venv()},
		{p.python(), "-m", "pip", "install", "-q", p.pack + "==" + p.version}} {
		if _, _, err := measure.Run(p.b.command(args[0], args[1:]...)); err != nil {
			return err
		}
	}
	return nil
}

func (p *python) start() error { return os.WriteFile(p.file(), []byte(p.program), 0o644) }

func (p *python) run(j *job, in, out string) (time.Duration, error) {
	target := out // a directory of part files
	if p.pack == "duckdb" {
		if err := os.Mkdir(out, 0o755); err != nil {
			return 0, err
		}
		target = filepath.Join(out, "part-0")
	}
	cmd := p.b.command(p.python(), p.file(), j.example, in, target, j.pattern)
	cmd.Env = append(os.Environ(), "SPARK_LOCAL_DIRS="+filepath.Join(p.b.dir, "spark"))
	cmd.Dir = p.b.dir
	c, _, err := measure.Run(cmd)
	return c.Wall, err
}
