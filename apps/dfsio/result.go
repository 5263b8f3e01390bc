package dfsio

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// sums contains the sums of the results of all maps.
type sums struct {
	tasks, size, time float64 // files, bytes, ms
	rate, sqrate      float64 // sums of the rates in MB/s, and of their squares
}

// add parses a line of the job's output, which contains one of the sums, and stores that sum in s.
func (s *sums) add(line string) error {
	id, text, _ := strings.Cut(line, "\t")
	field, ok := map[string]*float64{"tasks": &s.tasks, "size": &s.size, "time": &s.time, "rate": &s.rate,
		"sqrate": &s.sqrate}[id]
	if !ok {
		return fmt.Errorf("%q is not a line of results", line)
	}
	x, err := strconv.ParseFloat(text, 64)
	*field = x
	return err
}

// text returns the result in Hadoop's format.
func (s *sums) text(t test, now time.Time, took time.Duration) string {
	mb := s.size / megabyte
	mean := s.rate / s.tasks
	deviation := math.Sqrt(math.Abs(s.sqrate/s.tasks - mean*mean))
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%23s: %s\n", name, value) }
	fmt.Fprintf(&b, "----- TestDFSIO ----- : %s\n", t.name)
	line("Date & time", now.Format("Mon Jan 02 15:04:05 MST 2006"))
	line("Number of files", strconv.FormatFloat(s.tasks, 'f', 0, 64))
	line("Total MBytes processed", places(mb))
	line("Throughput mb/sec", places(mb/(s.time/1000)))
	line("Average IO rate mb/sec", places(mean))
	line("IO rate std deviation", places(deviation))
	line("Test exec time sec", places(took.Seconds()))
	return b.String() + "\n"
}

// places formats x with up to two decimal places, rounded half to even like Java's DecimalFormat.
func places(x float64) string {
	s := strconv.FormatFloat(math.RoundToEven(x*100)/100, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
