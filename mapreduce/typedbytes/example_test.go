package typedbytes_test

import (
	"fmt"
	"log"

	"github.com/howdah/howdah/mapreduce/typedbytes"
)

// A vector of a text and a number, as a program behind Streaming's "-io typedbytes" sends it.
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
