// Package sudoku is Hadoop's example of the same name. It solves sudoku puzzles without running a
// job.
package sudoku

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/dlx"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// App returns Hadoop's sudoku example.
func App() *mapreduce.App {
	return &mapreduce.App{
		Name:  "sudoku",
		Short: "solves sudokus from files with a number or ? for each cell",
		Usage: "<file>...",
		Run:   run,
	}
}

func run(ctx context.Context, r mapreduce.Runner, args []string) error {
	if len(args) == 0 {
		return failure.New(failure.Usage, "sudoku", "", errors.New("Include a puzzle on the command line."))
	}
	for _, name := range args {
		b, err := read(name)
		if err != nil {
			return err
		}
		out := bufio.NewWriter(r.Stdout())
		fmt.Fprintf(out, "Solving %s\n", name)
		n := 0
		b.solve(func(solution board) bool {
			fmt.Fprintln(out, solution)
			n++
			return ctx.Err() == nil && out.Flush() == nil
		})
		if err := ctx.Err(); err != nil {
			return failure.New(failure.Interrupted, "solve", name, err)
		}
		fmt.Fprintf(out, "Found %d solutions\n", n)
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// board contains the rows of a puzzle. An empty cell is 0.
type board [][]int

// maxSize is the maximum length of a board's side.
const maxSize = 36

func read(name string) (board, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, failure.New(failure.KindOf(err), "read", name, err)
	}
	defer f.Close()
	b, err := parse(f)
	if err != nil {
		return nil, failure.New(failure.User, "read", name, err)
	}
	return b, nil
}

func parse(in io.Reader) (b board, err error) {
	s := bufio.NewScanner(in)
	for s.Scan() {
		if len(b) == maxSize {
			return nil, fmt.Errorf("more than %d lines", maxSize)
		}
		words := strings.Fields(s.Text())
		row := make([]int, len(words))
		for x, w := range words {
			if w == "?" {
				continue
			}
			if row[x], err = strconv.Atoi(w); err != nil || row[x] < 1 {
				return nil, fmt.Errorf("line %d: %q is neither a number nor ?", len(b)+1, w)
			}
		}
		b = append(b, row)
	}
	if len(b) == 0 {
		return nil, errors.Join(errors.New("it is empty"), s.Err())
	}
	for y, row := range b {
		if len(row) != len(b) {
			return nil, fmt.Errorf("line %d has %d cells, want %d", y+1, len(row), len(b))
		}
		for _, n := range row {
			if n > len(b) {
				return nil, fmt.Errorf("line %d: %d is above %d", y+1, n, len(b))
			}
		}
	}
	return b, s.Err()
}

// String returns the board as Hadoop's example prints it.
func (b board) String() string {
	var s strings.Builder
	for _, row := range b {
		for _, n := range row {
			fmt.Fprintf(&s, "%d ", n)
		}
		s.WriteByte('\n')
	}
	return s.String()
}

// solve calls f with each solution until f returns false. Each column, row, and box of a solution
// contains each number once.
func (b board) solve(f func(board) bool) {
	size := len(b)
	high := int(math.Sqrt(float64(size))) // a box is size/high cells wide
	wide := size / high
	t := dlx.New(4*size*size, 0)
	type cell struct{ x, y, n int }
	var cells []cell
	for x := range size {
		for y := range size {
			for n := range size {
				if given := b[y][x]; given == 0 || given == n+1 {
					box := x/wide*wide + y/high
					t.Add(x*size+n, size*size+y*size+n, 2*size*size+box*size+n, 3*size*size+size*x+y)
					cells = append(cells, cell{x, y, n + 1})
				}
			}
		}
	}
	t.Solve(nil, func(rows []int) bool {
		out := make(board, size)
		for y := range out {
			out[y] = make([]int, size)
		}
		for _, r := range rows {
			out[cells[r].y][cells[r].x] = cells[r].n
		}
		return f(out)
	})
}
