//go:build integration

// Command handwritten counts the words of a file without any framework. Benchmarks that compare
// runtimes use it to measure the cost of the work itself. Each processor counts a part of the file
// in its own hash table. The output has a line "WORD TAB COUNT" for each word, in order.
//
//	go run -tags integration ./integration/bench/handwritten IN OUT
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: handwritten IN OUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "handwritten:", err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	text, err := mapped(in)
	if err != nil {
		return err
	}
	counts := count(text, runtime.NumCPU())
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	return errors.Join(write(f, counts), f.Close())
}

// mapped maps a file into memory and returns its contents, which stay mapped until the process
// exits.
func mapped(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
}

// expectedWords is the maximum initial size of a table.
const expectedWords = 1 << 18

// count returns the number of occurrences of each word. The map contains pointers to the counts, so
// that counting a known word allocates nothing.
func count(text []byte, workers int) map[string]*int64 {
	tables := make([]map[string]*int64, workers)
	var group sync.WaitGroup
	for i := range tables {
		part := text[cut(text, i, workers):cut(text, i+1, workers)]
		group.Go(func() {
			table := make(map[string]*int64, min(len(part)/8, expectedWords))
			countPart(part, table)
			tables[i] = table
		})
	}
	group.Wait()
	for _, table := range tables[1:] {
		for word, n := range table {
			if sum := tables[0][word]; sum != nil {
				*sum += *n
			} else {
				tables[0][word] = n
			}
		}
	}
	return tables[0]
}

// cut returns the offset at which part i starts. This is the first offset, at or after i/workers of
// the text, that follows white space.
func cut(text []byte, i, workers int) int {
	at := len(text) / workers * i
	if i == workers {
		at = len(text)
	}
	for at > 0 && at < len(text) && !space[text[at-1]] {
		at++
	}
	return at
}

// space contains the characters at which Hadoop's wordcount splits.
var space = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, '\f': true}

func countPart(text []byte, table map[string]*int64) {
	for at := 0; at < len(text); at++ {
		start := at
		for at < len(text) && !space[text[at]] {
			at++
		}
		if at == start {
			continue
		}
		word := text[start:at]
		n := table[string(word)]
		if n == nil {
			n = new(int64)
			table[string(word)] = n
		}
		*n++
	}
}

func write(w io.Writer, counts map[string]*int64) error {
	out := bufio.NewWriterSize(w, 1<<20)
	var line []byte
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		line = append(append(line[:0], word...), '\t')
		line = append(strconv.AppendInt(line, *counts[word], 10), '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}
