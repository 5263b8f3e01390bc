package dfsio

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
)

const usage = "-read | -write | -append | -clean [-nrFiles N] [-size SIZE[B|KB|MB|GB|TB]] [-bufferSize BYTES] " +
	"[-resFile FILE]"

const megabyte = 1 << 20

// test is a kind of measurement, or the cleanup.
type test struct {
	name string // name in the printed result
	dir  string // suffix of the result's directory, after io_
}

var (
	read    = test{"read", "read"}
	write   = test{"write", "write"}
	add     = test{"append", "append"}
	cleanup = test{"cleanup", ""}
)

type options struct {
	test    test
	files   int64
	bytes   int64  // size of each file
	buffer  int64  // size of one read or write, in bytes
	results string // local file that collects results
}

func parseArgs(args []string) (*options, error) {
	o := &options{files: conf.DFSIOFiles.BuiltIn(), bytes: conf.DFSIOBytes.BuiltIn(),
		buffer:  conf.TestIOFileBufferSize.BuiltIn(),
		results: "TestDFSIO_results.log"}
	for i := 0; i < len(args); i++ {
		option := strings.ToLower(args[i])
		if t, ok := map[string]test{"-read": read, "-write": write, "-append": add, "-clean": cleanup}[option]; ok {
			o.test = t
			continue
		}
		if i++; i == len(args) {
			return nil, fmt.Errorf("Illegal argument: %s", args[i-1])
		}
		var err error
		switch option {
		case "-nrfiles":
			o.files, err = number(args[i], 1, conf.DFSIOFiles.Max())
		case "-size", "-filesize":
			o.bytes, err = parseSize(args[i])
		case "-buffersize":
			o.buffer, err = number(args[i], 1, conf.TestIOFileBufferSize.Max())
		case "-resfile":
			o.results = args[i]
		default:
			err = fmt.Errorf("Illegal argument: %s", args[i-1])
		}
		if err != nil {
			return nil, err
		}
	}
	if o.test.name == "" {
		return nil, errors.New("Missing arguments.")
	}
	return o, nil
}

func number(s string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not a number from %d to %d", s, least, most)
	}
	return n, nil
}

// parseSize parses a size, which is in megabytes unless a unit follows the number.
func parseSize(s string) (int64, error) {
	digits := strings.TrimRight(s, "bBkKmMgGtT")
	n, err := number(digits, 0, math.MaxInt64)
	if err != nil {
		return 0, err
	}
	unit := strings.ToUpper(s[len(digits):])
	factor := map[string]int64{"": megabyte, "B": 1, "K": 1 << 10, "KB": 1 << 10, "M": megabyte, "MB": megabyte,
		"G": 1 << 30, "GB": 1 << 30, "T": 1 << 40, "TB": 1 << 40}[unit]
	if factor == 0 {
		return 0, fmt.Errorf("Unsupported ByteMultiple %s", unit)
	}
	if n > math.MaxInt64/factor {
		return 0, fmt.Errorf("%s is too large", s)
	}
	return n * factor, nil
}
