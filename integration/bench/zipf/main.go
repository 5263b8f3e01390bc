// Command zipf writes benchmark text to standard output.
//
//	go run ./integration/bench/zipf BYTES > FILE
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/howdah/howdah/integration/bench/corpus"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "zipf:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: zipf BYTES > FILE")
	}
	size, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || size < 0 {
		return fmt.Errorf("%q is not a number of bytes", args[0])
	}
	return corpus.Zipf(os.Stdout, size)
}
