package adaptive

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// Limits of a curve file.
const (
	maxPoints   = 100_000
	maxSections = 10_000
	maxPeriod   = 366 * 24 * hourMS
)

// Curves holds the f(t) of all trackers.
type Curves struct {
	all    *Curve            // for trackers without their own curve; nil = always 1
	byName map[string]*Curve // keyed by tracker name or host
}

// of returns the curve for the tracker's name, or else for its host, or else for all trackers.
func (c *Curves) of(t *scheduler.Tracker) *Curve {
	if f := c.byName[t.Name]; f != nil {
		return f
	}
	if f := c.byName[t.Host]; f != nil {
		return f
	}
	return c.all
}

// ParseCurves parses a curve file:
//
//	# what is left for MapReduce
//	period 24h
//	origin 0          # time of 0h, milliseconds since the epoch; 0 = midnight UTC
//	step 1h           # maximum distance between points; default: that of the first two
//	0h  0.9           # share of all resources, 0 to 1
//	1h  0.8 0.9 0.7   # or of CPU, memory and I/O; slots follow the smallest
//	...
//	24h 0.9
//	tracker node7     # points of one tracker or host
//	...
//
// Points must be in order, at most one step apart, and extend from 0 to the period. Errors are of kind
// Config and contain the path and the line number.
func ParseCurves(path string, data []byte) (*Curves, error) {
	p := parser{path: path, curves: &Curves{byName: map[string]*Curve{}}}
	for line := range bytes.Lines(data) {
		p.line++
		text, _, _ := strings.Cut(string(line), "#")
		if words := strings.Fields(text); len(words) > 0 {
			if err := p.words(words); err != nil {
				return nil, p.fail(err)
			}
		}
	}
	err := p.close()
	if err == nil && p.curves.all == nil && len(p.curves.byName) == 0 {
		err = errors.New("no points")
	}
	if err != nil {
		return nil, p.fail(err)
	}
	return p.curves, nil
}

// A parser parses a curve file. The fields from name on describe the current section.
type parser struct {
	path     string
	line     int
	points   int
	curves   *Curves
	sections int

	name    string // tracker of the current section; "" = all trackers
	period  int64
	origin  int64
	step    int64
	stepSet bool
	at      []int64
	share   [][resources]int64
}

func (p *parser) fail(err error) error {
	return failure.New(failure.Config, "read capacity", fmt.Sprintf("%s:%d", p.path, p.line), err).
		Fix("list points \"TIME SHARE\" in order, from 0 to the period, at most one step apart")
}

func (p *parser) words(w []string) error {
	switch w[0] {
	case "period", "origin", "step":
		return p.setting(w)
	case "tracker":
		return p.tracker(w)
	}
	return p.point(w)
}

func (p *parser) setting(w []string) (err error) {
	if len(w) != 2 {
		return fmt.Errorf("want %s VALUE", w[0])
	}
	if len(p.at) > 0 {
		return fmt.Errorf("%s must be before the points", w[0])
	}
	if w[0] == "origin" {
		p.origin, err = strconv.ParseInt(w[1], 10, 64)
		if err != nil || p.origin < 0 || p.origin > math.MaxInt64/4 {
			return fmt.Errorf("origin %s: want milliseconds since the epoch", w[1])
		}
		return nil
	}
	d, err := span(w[1])
	if err != nil {
		return err
	}
	if d == 0 {
		return fmt.Errorf("%s must be more than 0", w[0])
	}
	if w[0] == "period" {
		p.period = d
	} else {
		p.step, p.stepSet = d, true
	}
	return nil
}

// tracker starts the section of one tracker. Earlier settings of period, origin, and step remain in
// effect unless the section sets them before its first point.
func (p *parser) tracker(w []string) error {
	if len(w) != 2 {
		return errors.New("want tracker NAME")
	}
	if err := p.close(); err != nil {
		return err
	}
	if p.sections++; p.sections > maxSections {
		return fmt.Errorf("more than %d trackers", maxSections)
	}
	if p.curves.byName[w[1]] != nil {
		return fmt.Errorf("tracker %s occurs twice", w[1])
	}
	p.name = w[1]
	return nil
}

func (p *parser) point(w []string) error {
	if p.points++; p.points > maxPoints {
		return fmt.Errorf("more than %d points", maxPoints)
	}
	at, err := span(w[0])
	if err != nil {
		return err
	}
	s, err := shares(w[1:])
	if err != nil {
		return err
	}
	n := len(p.at)
	switch {
	case p.period == 0:
		return errors.New("the period must be before the first point")
	case n == 0 && at != 0:
		return fmt.Errorf("the first point is at %s, want 0", w[0])
	case n > 0 && at <= p.at[n-1]:
		return fmt.Errorf("the point at %s is not after the previous point", w[0])
	case at > p.period:
		return fmt.Errorf("the point at %s is after the end of the period", w[0])
	}
	if n == 1 && !p.stepSet {
		p.step = at
	}
	if n > 0 && at-p.at[n-1] > p.step {
		return fmt.Errorf("a gap of %s before the point at %s; the step is %s", ms(at-p.at[n-1]), w[0], ms(p.step))
	}
	p.at = append(p.at, at)
	p.share = append(p.share, s)
	return nil
}

// close ends the current section. If the section has points, close checks them and adds the
// section's curve.
func (p *parser) close() error {
	n := len(p.at)
	if n == 0 {
		if p.name == "" {
			return nil // tracker sections may follow
		}
		return fmt.Errorf("tracker %s has no points", p.name)
	}
	if p.at[n-1] != p.period {
		return fmt.Errorf("a gap: the last point is at %s, but the period ends at %s", ms(p.at[n-1]), ms(p.period))
	}
	c := newCurve(p.period, p.origin, p.at, p.share)
	if p.name == "" {
		p.curves.all = c
	} else {
		p.curves.byName[p.name] = c
	}
	p.at, p.share = nil, nil
	return nil
}

// spanUnits lists the units of a time span, longest first. A span may use each unit at most once,
// in this order.
var spanUnits = []struct {
	name string
	ms   int64
}{{"h", 3_600_000}, {"m", 60_000}, {"s", 1000}, {"ms", 1}}

// span parses a time span such as 90m, 1h30m, or 250ms, and returns it in ms. It rejects spans
// above maxPeriod. A single 0 needs no unit.
func span(text string) (int64, error) {
	sum, rest, units := int64(0), text, spanUnits
	for rest != "" && rest != "0" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		name := rest[digits:]
		if k := strings.IndexAny(name, "0123456789"); k >= 0 {
			name = name[:k]
		}
		n, err := strconv.ParseInt(rest[:digits], 10, 64)
		i := 0
		for i < len(units) && units[i].name != name {
			i++
		}
		if err != nil || i == len(units) || n > maxPeriod/units[i].ms {
			return 0, badSpan(text)
		}
		sum += n * units[i].ms
		rest, units = rest[digits+len(name):], units[i+1:]
	}
	if text == "" || rest == "0" && text != "0" || sum > maxPeriod {
		return 0, badSpan(text)
	}
	return sum, nil
}

func badSpan(text string) error {
	return fmt.Errorf("%s is not a time: want whole hours, minutes, seconds and milliseconds "+
		"as in 1h30m or 250ms, at most %s", strconv.Quote(text), ms(maxPeriod))
}

// ms formats a time span of n ms in the notation of a curve file.
func ms(n int64) string {
	if n == 0 {
		return "0"
	}
	text := ""
	for _, u := range spanUnits {
		if k := n / u.ms; k > 0 {
			text += strconv.FormatInt(k, 10) + u.name
			n -= k * u.ms
		}
	}
	return text
}

// shares parses either one share for all resources or three shares for CPU, memory, and I/O. It
// returns millionths. The share of slots is the smallest share.
func shares(w []string) (s [resources]int64, err error) {
	if len(w) != 1 && len(w) != 3 {
		return s, fmt.Errorf("%d values for a point: want one share, or the shares of CPU, memory and I/O", len(w))
	}
	s[Slot] = Full
	for i, text := range w {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return s, fmt.Errorf("%s is not a share: want a number from 0 to 1", strconv.Quote(text))
		}
		s[CPU+Resource(i)] = int64(float64(x*Full) + 0.5)
		s[Slot] = min(s[Slot], s[CPU+Resource(i)])
	}
	if len(w) == 1 {
		s[Memory], s[IO] = s[CPU], s[CPU]
	}
	return s, nil
}
