package avro_test

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/howdah/howdah/mapreduce/avro"
)

// This example prints the values of an Avro file as JSON.
func Example() {
	f, err := os.Open("testdata/hadoop/three.avro")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	r, err := avro.NewReader(f, f.Name(), avro.JSON)
	if err != nil {
		log.Fatal(err)
	}
	for {
		value, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s...\n", value[:15])
	}
	// Output:
	// {"i":-115586932...
	// {"i":-112382065...
	// {"i":-172386030...
}
