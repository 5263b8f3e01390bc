package estimate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// maxDuration is the maximum duration of a task in a profile, in milliseconds. It is about thirty
// years.
const maxDuration = 1e12

// phases returns each phase's name and a pointer to the phase, in the order in which String prints
// them.
func (p *Profile) phases() [4]struct {
	name string
	*Phase
} {
	return [4]struct {
		name string
		*Phase
	}{{"map", &p.Map}, {"first", &p.First}, {"typical", &p.Typical}, {"reduce", &p.Reduce}}
}

// String returns the average and maximum duration of each known phase in milliseconds, as in
// "map=1200/2500,first=300/400,typical=500/900,reduce=800/1000".
func (p Profile) String() string {
	b := make([]byte, 0, 128)
	for _, f := range p.phases() {
		if *f.Phase == (Phase{}) {
			continue
		}
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = append(append(b, f.name...), '=')
		b = append(appendNumber(b, f.Avg), '/')
		b = appendNumber(b, f.Max)
	}
	return string(b)
}

// appendNumber appends x in decimal. Most numbers are whole, and those take a shortcut.
func appendNumber(b []byte, x float64) []byte {
	const most = 1 << 53 // above it, a float64 can have fewer digits than the integer that it equals
	if x > 0 && x < most && x == float64(int64(x)) {
		return strconv.AppendInt(b, int64(x), 10)
	}
	return strconv.AppendFloat(b, x, 'f', -1, 64)
}

// Parse parses the format of String, with the phases in any order. A single number is both the
// average and the maximum. An empty text is the zero Profile. Errors are of kind Config.
func Parse(s string) (Profile, error) {
	var p Profile
	if s == "" {
		return p, nil
	}
	fields := p.phases()
	for _, part := range strings.Split(s, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		known := false
		for _, f := range fields {
			if f.name != name {
				continue
			}
			if *f.Phase != (Phase{}) {
				return Profile{}, bad(s, "%s occurs twice", name)
			}
			if err := f.Phase.parse(value); err != nil {
				return Profile{}, bad(s, "%s=%s: %v", name, value, err)
			}
			known = true
		}
		if !known {
			return Profile{}, bad(s, "%q is not a phase with durations", part)
		}
	}
	return p, nil
}

func (f *Phase) parse(s string) (err error) {
	avg, most, two := strings.Cut(s, "/")
	if f.Avg, err = duration(avg); err != nil {
		return err
	}
	f.Max = f.Avg
	if two {
		if f.Max, err = duration(most); err != nil {
			return err
		}
	}
	if f.Max < f.Avg {
		return fmt.Errorf("the maximum is less than the average")
	}
	return nil
}

func duration(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0 && x <= maxDuration) {
		return 0, fmt.Errorf("%q is not a duration in ms (0 to %g)", s, float64(maxDuration))
	}
	return math.Abs(x), nil // String would otherwise print "-0" for -0
}

func bad(s, format string, args ...any) error {
	return failure.New(failure.Config, "read profile", conf.JobProfile.Name, fmt.Errorf("%q: "+format, append([]any{s},
		args...)...)).
		Fix("it looks like map=1200/2500,first=300/400,typical=500/900,reduce=800/1000: average and greatest duration of " +
			"the tasks of each phase, in ms")
}
