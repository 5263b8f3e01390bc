package runner

import (
	"fmt"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/mapreduce"
)

// A job of at least hintFiles input files whose maps read less than hintBytes on average gets a hint.
// Starting a map of so few bytes takes longer than reading them.
const (
	hintFiles = 1000
	hintBytes = 1 << 20
)

// hint names an input format that lets a map read many small files, for a job with many maps that
// each read little. It returns "" if the job has few such maps or if a setting cannot replace its input
// format without changing the mapper's records.
func hint(j *mapreduce.Job, c *conf.Config, splits []mapreduce.Split) string {
	class := conf.JobInputFormatClass.Get(c)
	class = class[strings.LastIndexByte(class, '.')+1:]
	switch {
	case j.Input != nil, conf.StreamMapStreamProcessor.Get(c) != "": // a command gets the keys of other formats
		return ""
	case class == "", class == "TextInputFormat":
		class = "CombineTextInputFormat"
	case class == "SequenceFileInputFormat":
		class = "CombineSequenceFileInputFormat"
	default:
		return ""
	}
	files, total := 0, int64(0)
	for i := range splits {
		total += splits[i].Length
		if splits[i].Chunks[0].Start == 0 {
			files++
		}
	}
	if files < hintFiles || total/int64(len(splits)) >= hintBytes {
		return ""
	}
	return fmt.Sprintf("Hint: the job's %d maps read %d bytes each on average. To let a map read many small files, set\n"+
		"-D %s=%s -D %s=%d", len(splits), total/int64(len(splits)), conf.JobInputFormatClass.Name, class,
		conf.InputFileInputFormatSplitMaxSize.Name, 128<<20)
}
