package btworld

import (
	"strconv"

	"github.com/howdah/howdah/mapreduce"
)

// keyLine appends the output line of a fold that has no numbers. The line consists of the key.
func keyLine(dst []byte, key mapreduce.Text, _ []int64) []byte { return append(dst, key...) }

// numbersLine appends the key and a column for each number.
func numbersLine(dst []byte, key mapreduce.Text, n []int64) []byte {
	dst = append(dst, key...)
	for _, x := range n {
		dst = strconv.AppendInt(append(dst, '\t'), x, 10)
	}
	return dst
}

// appendMean appends total/n with two decimal places, rounded half up. total must not be negative,
// and n must be positive.
func appendMean(dst []byte, total, n int64) []byte {
	whole, rest := total/n, total%n
	hundredths := (rest*200 + n) / (2 * n)
	whole, hundredths = whole+hundredths/100, hundredths%100
	return append(strconv.AppendInt(dst, whole, 10), '.', byte('0'+hundredths/10), byte('0'+hundredths%10))
}
