package status

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
)

// latest is the maximum time from now to a deadline.
const latest = 10 * 365 * 24 * time.Hour

// ReadDeadline returns the deadline in a job's configuration, in milliseconds since the epoch. 0 means no
// deadline. An absolute time is a number of milliseconds since the epoch or has the form of RFC
// 3339, such as 2026-11-21T08:00:00Z. A time relative to the submission starts with a plus, such as
// +90s, +2h30m, +7d or +PT5M. now is the time of the submission. ReadDeadline returns an error of kind Config
// if the deadline is invalid, has passed, or is more than ten years away.
func ReadDeadline(c *conf.Config, now time.Time) (int64, error) {
	text := strings.TrimSpace(conf.JobDeadline.Get(c))
	if text == "" {
		return 0, nil
	}
	at, err := parseDeadline(text, now)
	if err != nil {
		return 0, c.Refuse(conf.JobDeadline.Name, err).
			Fix("use milliseconds since the epoch, a time such as 2026-11-21T08:00:00Z, " +
				"or a time after the submission such as +90s, +2h or +PT5M")
	}
	return at, nil
}

// ChangedDeadline is like ReadDeadline for a new deadline of a submitted job. now is the time of the change.
// NoDeadline means no deadline. Errors are of kind Usage.
func ChangedDeadline(id job.ID, text string, now time.Time) (int64, error) {
	if text == NoDeadline {
		return 0, nil
	}
	at, err := parseDeadline(strings.TrimSpace(text), now)
	if err != nil {
		return 0, failure.New(failure.Usage, "set deadline", id.String(), fmt.Errorf("%.40q: %w", text, err)).
			Fix("use milliseconds since the epoch, a time such as 2026-11-21T08:00:00Z, " +
				"a time from now such as +90s, +2h or +PT5M, or " + NoDeadline)
	}
	return at, nil
}

func parseDeadline(text string, now time.Time) (int64, error) {
	at, err := parseTime(text, now)
	switch {
	case err != nil:
	case at.UnixMilli() <= now.UnixMilli():
		err = fmt.Errorf("it passed %v ago", now.Sub(at).Round(time.Second))
	case at.Sub(now) > latest:
		err = errors.New("it is more than ten years in the future")
	}
	return at.UnixMilli(), err
}

func parseTime(text string, now time.Time) (time.Time, error) {
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		d, err := parseSpan(rest)
		return now.Add(d), err
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.UnixMilli(ms), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		if _, spanErr := parseSpan(text); spanErr == nil {
			return at, fmt.Errorf("a duration starts with a plus: +%s", text)
		}
		return at, errors.New("not a time")
	}
	return at, nil
}

// isoSpan matches an ISO 8601 duration without years and months, because their lengths vary.
var isoSpan = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^P(?:(\d{1,5})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,9})(?:\.(\d{1,3}))?S)?)?$`)
})

var days = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,5})d(.*)$`) })

var errNoSpan = errors.New("not a duration of days, hours, minutes and seconds")

func parseSpan(text string) (time.Duration, error) {
	if !strings.HasPrefix(text, "P") {
		extra := time.Duration(0)
		if m := days().FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1]) // the pattern permits at most five digits
			if extra, text = time.Duration(n)*24*time.Hour, m[2]; text == "" {
				return extra, nil
			}
		}
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, errNoSpan
		}
		return d + extra, nil
	}
	m := isoSpan().FindStringSubmatch(text)
	if m == nil || strings.HasSuffix(text, "P") || strings.HasSuffix(text, "T") {
		return 0, errNoSpan
	}
	sum := time.Duration(0)
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if m[i+1] != "" {
			n, _ := strconv.ParseInt(m[i+1], 10, 64) // the pattern limits the number of digits
			sum += time.Duration(n) * unit
		}
	}
	if m[5] != "" {
		n, _ := strconv.Atoi((m[5] + "00")[:3])
		sum += time.Duration(n) * time.Millisecond
	}
	return sum, nil
}
