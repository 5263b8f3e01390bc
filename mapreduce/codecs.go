package mapreduce

import (
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
)

// KeyCodecs lists additional codec classes for input files. Howdah has only built-in codecs, which
// are always active, so the list adds none. An unknown class is an error.
const KeyCodecs = "io.compression.codecs"

// checkCodecs rejects a list that contains an unknown codec. Otherwise, files of that codec would be
// read as if they were uncompressed.
func checkCodecs(c *conf.Config) error {
	for class := range strings.SplitSeq(conf.IOCompressionCodecs.Get(c), ",") {
		if class = strings.TrimSpace(class); class == "" {
			continue
		}
		if _, err := codec.ByClass(class); err != nil {
			return c.Refuse(KeyCodecs, err)
		}
	}
	return nil
}
