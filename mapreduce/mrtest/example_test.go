package mrtest_test

import (
	"context"
	"fmt"

	"github.com/howdah/howdah/mapreduce/mrtest"
)

// A Runner runs complete programs, including programs with several jobs. The test writes the input
// files.
func ExampleRunner() {
	r := mrtest.NewRunner()
	if err := r.WriteFile("/in/text", "to be or\nnot to be\n"); err != nil {
		fmt.Println(err)
	}
	if err := wordcount().App().Run(context.Background(), r, []string{"/in", "/out"}); err != nil {
		fmt.Println(err)
	}
	out, err := r.Output("/out")
	fmt.Print(out, err)
	// Output:
	// be	2
	// not	1
	// or	1
	// to	2
	// <nil>
}
