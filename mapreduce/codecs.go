package mapreduce

import (
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
)

// KeyCodecs lists codec classes by which input files are recognised beside those that are built in; all that are known here
// are built in.
const KeyCodecs = "io.compression.codecs"

// checkCodecs refuses a list with an unknown codec, whose files would be read as if they were not compressed.
func checkCodecs(c *conf.Config) error {
	for class := range strings.SplitSeq(c.Get(KeyCodecs), ",") {
		if class = strings.TrimSpace(class); class == "" {
			continue
		}
		if _, err := codec.ByClass(class); err != nil {
			return c.Refuse(KeyCodecs, err)
		}
	}
	return nil
}
