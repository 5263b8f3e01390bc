package typedbytes_test

import (
	"fmt"
	"log"

	"github.com/howdah/howdah/mapreduce/typedbytes"
)

// This example decodes a vector of a string and a number, as a Streaming command with "-io
// typedbytes" writes it.
func ExampleDecode() {
	b := typedbytes.AppendVector(nil, 2)
	b = typedbytes.AppendString(b, "answer")
	b = typedbytes.AppendInt(b, 42)
	v, n, err := typedbytes.Decode(b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v, "in", n, "bytes")
	// Output: [answer 42] in 21 bytes
}
