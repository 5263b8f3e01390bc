package mapreduce

import (
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/codec"
)

// checkCodecs returns an error if conf.IOCompressionCodecs lists an unknown codec. Without this
// check, files with that codec would be read as if they were uncompressed.
func checkCodecs(c *conf.Config) error {
	for class := range strings.SplitSeq(conf.IOCompressionCodecs.Get(c), ",") {
		if class = strings.TrimSpace(class); class == "" {
			continue
		}
		if _, err := codec.ByClass(class); err != nil {
			return c.Refuse(conf.IOCompressionCodecs.Name, err)
		}
	}
	return nil
}
