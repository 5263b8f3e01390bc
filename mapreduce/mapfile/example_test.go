package mapfile_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/howdah/howdah/mapreduce"
	"github.com/howdah/howdah/mapreduce/mapfile"
	"github.com/howdah/howdah/mapreduce/sequencefile"
)

// This example writes a MapFile in key order and looks up a key.
func Example() {
	text, err := mapreduce.CodecOf[string]()
	if err != nil {
		log.Fatal(err)
	}
	var data, index bytes.Buffer
	o := sequencefile.Options{KeyClass: text.Type.Class(), ValueClass: text.Type.Class()}
	w, err := mapfile.NewWriter(&data, &index, o, 1, text.Type.Compare)
	if err != nil {
		log.Fatal(err)
	}
	for _, pair := range [][2]string{{"de", "Elefant"}, {"en", "elephant"}, {"fr", "éléphant"}} {
		if err := w.Append(text.Append(nil, pair[0]), text.Append(nil, pair[1])); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	r, err := mapfile.NewReader(bytes.NewReader(data.Bytes()), bytes.NewReader(index.Bytes()), sequencefile.ReadOptions{},
		text.Type.Compare)
	if err != nil {
		log.Fatal(err)
	}
	for _, key := range []string{"fr", "it"} {
		value, found, err := r.Get(text.Append(nil, key))
		if err != nil {
			log.Fatal(err)
		}
		word, _ := text.Decode(value)
		fmt.Printf("%s: %q %v\n", key, word, found)
	}
	// Output:
	// fr: "éléphant" true
	// it: "" false
}
