package pool

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
)

// Limits on input.
const (
	maxFile    = 4 << 20     // maximum size in bytes
	maxEntries = 100_000     // maximum number of pools, and of users
	maxTime    = 100_000_000 // maximum timeout in seconds, about three years
)

// Parse parses a fair-scheduler.xml. A missing file counts as empty. slots is the number of slots
// in the cluster; 0 means unknown.
//
// Errors are of kind Config and contain the path and, except for a file that is too large, the
// line. Parse rejects unknown elements, pools inside pools, pools or users listed twice, and
// numbers out of range. It also rejects a min share above the max share or above slots, and
// circular redirections.
func Parse(f scheduler.File, slots [2]int32) (*Allocations, error) {
	p := &parser{path: f.Path, slots: slots, a: noAllocations()}
	if f.Data == nil {
		return p.a, nil
	}
	if len(f.Data) > maxFile {
		return nil, failure.New(failure.Config, "read pools", f.Path, fmt.Errorf("larger than %d bytes", maxFile))
	}
	p.dec = xml.NewDecoder(bytes.NewReader(f.Data))
	if err := p.document(); err != nil {
		return nil, err
	}
	return p.a, p.finish()
}

type parser struct {
	path  string
	slots [2]int32
	dec   *xml.Decoder
	a     *Allocations
	pools []poolElement
}

// A poolElement is a pool element of the file. set holds the names of the settings that the element
// contains. finish fills in the others, because the defaults may follow later in the file.
type poolElement struct {
	Allocation
	set map[string]bool
}

func (p *parser) line() int {
	line, _ := p.dec.InputPos()
	return line
}

func (p *parser) fail(line int, format string, args ...any) *failure.Error {
	return failure.New(failure.Config, "read pools", fmt.Sprintf("%s:%d", p.path, line), fmt.Errorf(format, args...))
}

// document reads the top-level element.
func (p *parser) document() error {
	seen := false
	for {
		t, err := p.dec.Token()
		if errors.Is(err, io.EOF) && seen {
			return nil
		}
		if err != nil {
			return p.damaged(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if seen {
				return p.fail(p.line(), "<%s> after </allocations>: want only one top-level element", t.Name.Local)
			}
			if t.Name.Local != "allocations" {
				return p.fail(p.line(), "<%s>: the top-level element must be <allocations>", t.Name.Local)
			}
			seen = true
			if err := p.children(t, p.topElement); err != nil {
				return err
			}
		case xml.CharData:
			if len(bytes.TrimSpace(t)) > 0 {
				return p.fail(p.line(), "text outside <allocations>")
			}
		}
	}
}

func (p *parser) damaged(err error) error {
	if errors.Is(err, io.EOF) {
		return p.fail(p.line(), "the file ends too early")
	}
	return p.fail(p.line(), "%w", err)
}

// children calls read for each child element of start.
func (p *parser) children(start xml.StartElement, read func(xml.StartElement) error) error {
	for {
		t, err := p.dec.Token()
		if err != nil {
			return p.damaged(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := read(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		case xml.CharData:
			if text := bytes.TrimSpace(t); len(text) > 0 {
				return p.fail(p.line(), "text %.20q in <%s>, which contains only elements", text, start.Name.Local)
			}
		}
	}
}

func (p *parser) text(element string) (string, error) {
	var b strings.Builder
	for {
		t, err := p.dec.Token()
		if err != nil {
			return "", p.damaged(err)
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			return "", p.fail(p.line(), "<%s> inside <%s>", t.Name.Local, element)
		case xml.EndElement:
			return strings.TrimSpace(b.String()), nil
		}
	}
}

var topElements = []string{"pool", "user", "poolMaxJobsDefault", "userMaxJobsDefault", "poolMaxMapsDefault",
	"poolMaxReducesDefault",
	"defaultMinSharePreemptionTimeout", "fairSharePreemptionTimeout", "defaultPoolSchedulingMode", "poolPlacementPolicy"}

func (p *parser) topElement(e xml.StartElement) (err error) {
	d := &p.a.Default
	switch name := e.Name.Local; name {
	case "pool":
		return p.pool(e)
	case "user":
		return p.user(e)
	case "poolMaxJobsDefault":
		d.MaxJobs, err = p.count(name)
	case "userMaxJobsDefault":
		p.a.UserMaxJobs, err = p.count(name)
	case "poolMaxMapsDefault":
		d.Max[job.Map], err = p.count(name)
	case "poolMaxReducesDefault":
		d.Max[job.Reduce], err = p.count(name)
	case "defaultMinSharePreemptionTimeout":
		d.MinShareTimeout, err = p.seconds(name)
	case "fairSharePreemptionTimeout":
		p.a.FairShareTimeout, err = p.seconds(name)
	case "defaultPoolSchedulingMode":
		d.Mode, err = p.mode(name)
	case "poolPlacementPolicy":
		p.a.Rules = []Rule{}
		return p.children(e, p.rule)
	case "queue":
		return p.fail(p.line(), "<queue> belongs to YARN's fair scheduler").Fix("write <pool name=\"...\"> with " +
			"minMaps, minReduces, maxMaps, maxReduces")
	default:
		return p.unknown(name, "allocations", topElements)
	}
	return err
}

func (p *parser) unknown(name, in string, known []string) error {
	err := p.fail(p.line(), "unknown element <%s> in <%s>", name, in)
	if best := suggest.Nearest(name, known); best != "" {
		return err.Fix("did you mean " + best + "?")
	}
	return err.Fix("use one of: " + strings.Join(known, " "))
}

// name returns the name attribute of the pool or user element.
func (p *parser) name(e xml.StartElement) (string, error) {
	for _, a := range e.Attr {
		if n := strings.TrimSpace(a.Value); a.Name.Local == "name" && n != "" {
			return n, nil
		}
	}
	return "", p.fail(p.line(), "<%s> without a name", e.Name.Local).Fix(fmt.Sprintf("write <%s name=\"...\">",
		e.Name.Local))
}

var poolElements = []string{"minMaps", "minReduces", "maxMaps", "maxReduces", "maxRunningJobs", "weight",
	"minSharePreemptionTimeout",
	"schedulingMode", "fifo", "canBePreempted", "redirect"}

func (p *parser) pool(e xml.StartElement) error {
	name, err := p.name(e)
	if err != nil {
		return err
	}
	if len(p.pools) == maxEntries {
		return p.fail(p.line(), "more than %d pools", maxEntries)
	}
	x := poolElement{Allocation: Allocation{Name: name, Weight: 1, Preemptable: true, line: p.line()},
		set: map[string]bool{}}
	err = p.children(e, func(e xml.StartElement) error {
		if x.set[e.Name.Local] {
			return p.fail(p.line(), "<%s> occurs twice in pool %s", e.Name.Local, name)
		}
		x.set[e.Name.Local] = true
		return p.poolElement(&x.Allocation, e.Name.Local)
	})
	p.pools = append(p.pools, x)
	return err
}

func (p *parser) poolElement(x *Allocation, name string) (err error) {
	switch name {
	case "minMaps":
		x.Min[job.Map], err = p.share(name, job.Map)
	case "minReduces":
		x.Min[job.Reduce], err = p.share(name, job.Reduce)
	case "maxMaps":
		x.Max[job.Map], err = p.count(name)
	case "maxReduces":
		x.Max[job.Reduce], err = p.count(name)
	case "maxRunningJobs":
		x.MaxJobs, err = p.count(name)
	case "weight":
		x.Weight, err = p.weight(name)
	case "minSharePreemptionTimeout":
		x.MinShareTimeout, err = p.seconds(name)
	case "schedulingMode":
		x.Mode, err = p.mode(name)
	case "fifo":
		var fifo bool
		if fifo, err = p.boolean(name); fifo {
			x.Mode = FIFO
		}
	case "canBePreempted":
		x.Preemptable, err = p.boolean(name)
	case "redirect":
		x.Redirect, err = p.text(name)
	case "pool":
		return p.fail(p.line(), "a pool inside pool %s: pools cannot be nested", x.Name)
	default:
		return p.unknown(name, "pool", poolElements)
	}
	return err
}

func (p *parser) user(e xml.StartElement) error {
	name, err := p.name(e)
	if err != nil {
		return err
	}
	if len(p.a.Users) == maxEntries {
		return p.fail(p.line(), "more than %d users", maxEntries)
	}
	u := User{Name: name, MaxJobs: NoLimit, line: p.line()}
	err = p.children(e, func(e xml.StartElement) (err error) {
		if e.Name.Local != "maxRunningJobs" {
			return p.unknown(e.Name.Local, "user", []string{"maxRunningJobs"})
		}
		u.MaxJobs, err = p.count("maxRunningJobs")
		return err
	})
	p.a.Users = append(p.a.Users, u)
	return err
}

func (p *parser) bad(element, text, want string) error {
	return p.fail(p.line(), "<%s>%s</%s>: want %s", element, text, element, want)
}

func (p *parser) number(element string, max int64) (int64, error) {
	s, err := p.text(element)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > max {
		return 0, p.bad(element, s, fmt.Sprintf("a whole number from 0 to %d", max))
	}
	return n, nil
}

// count reads a limit, which must be a whole number.
func (p *parser) count(element string) (int32, error) {
	n, err := p.number(element, math.MaxInt32)
	return int32(n), err
}

// share reads a min share. It rejects a min share above the number of the cluster's slots.
func (p *parser) share(element string, k job.TaskType) (int32, error) {
	n, err := p.count(element)
	if err == nil && p.slots[k] > 0 && n > p.slots[k] {
		return 0, p.fail(p.line(), "<%s>%d</%s>: the cluster has %d such slots", element, n, element, p.slots[k])
	}
	return n, err
}

// seconds reads a timeout in seconds and returns it in milliseconds.
func (p *parser) seconds(element string) (int64, error) {
	n, err := p.number(element, maxTime)
	return 1000 * n, err
}

func (p *parser) weight(element string) (float64, error) {
	s, err := p.text(element)
	if err != nil {
		return 0, err
	}
	w, err := strconv.ParseFloat(s, 64)
	if err != nil || !(w >= 0 && w <= 1e6) {
		return 0, p.bad(element, s, "a number from 0 to 1000000")
	}
	return w, nil
}

func (p *parser) mode(element string) (Mode, error) {
	s, err := p.text(element)
	switch {
	case err != nil:
		return Fair, err
	case strings.EqualFold(s, "fair"):
		return Fair, nil
	case strings.EqualFold(s, "fifo"):
		return FIFO, nil
	}
	return Fair, p.bad(element, s, "fair or fifo")
}

func (p *parser) boolean(element string) (bool, error) {
	s, err := p.text(element)
	switch {
	case err != nil:
		return false, err
	case strings.EqualFold(s, "true"):
		return true, nil
	case strings.EqualFold(s, "false"):
		return false, nil
	}
	return false, p.bad(element, s, "true or false")
}

// finish applies the defaults, sorts the pools, and checks conditions that involve several
// elements.
func (p *parser) finish() error {
	for i := range p.pools {
		x := &p.pools[i]
		x.inherit(&p.a.Default)
		for k, what := range []string{"Maps", "Reduces"} {
			if x.Min[k] > x.Max[k] {
				return p.fail(x.line, "pool %s: min%s %d is above max%s %d", x.Name, what, x.Min[k], what, x.Max[k])
			}
		}
		p.a.Pools = append(p.a.Pools, x.Allocation)
	}
	slices.SortStableFunc(p.a.Pools, func(a, b Allocation) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(p.a.Users, func(a, b User) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(p.a.Pools); i++ {
		if x := &p.a.Pools[i]; x.Name == p.a.Pools[i-1].Name {
			return p.fail(x.line, "pool %s is already in line %d", x.Name, p.a.Pools[i-1].line)
		}
	}
	for i := 1; i < len(p.a.Users); i++ {
		if x := &p.a.Users[i]; x.Name == p.a.Users[i-1].Name {
			return p.fail(x.line, "user %s is already in line %d", x.Name, p.a.Users[i-1].line)
		}
	}
	return p.followRedirects()
}

// inherit applies the defaults to the settings that the pool does not specify.
func (x *poolElement) inherit(d *Allocation) {
	if !x.set["maxMaps"] {
		x.Max[job.Map] = d.Max[job.Map]
	}
	if !x.set["maxReduces"] {
		x.Max[job.Reduce] = d.Max[job.Reduce]
	}
	if !x.set["maxRunningJobs"] {
		x.MaxJobs = d.MaxJobs
	}
	if !x.set["minSharePreemptionTimeout"] {
		x.MinShareTimeout = d.MinShareTimeout
	}
	if !x.set["schedulingMode"] && !x.set["fifo"] {
		x.Mode = d.Mode
	}
}

// followRedirects replaces the target of every redirection with the final target. It rejects
// cycles.
func (p *parser) followRedirects() error {
	next := make([]string, len(p.a.Pools))
	for i := range p.a.Pools {
		at := p.a.Pools[i].Redirect
		for hops := 0; at != ""; hops++ {
			if hops > len(p.a.Pools) || at == p.a.Pools[i].Name {
				return p.fail(p.a.Pools[i].line, "pool %s is redirected in a cycle", p.a.Pools[i].Name)
			}
			next[i] = at
			j, ok := p.a.find(at)
			if !ok {
				break
			}
			at = p.a.Pools[j].Redirect
		}
	}
	for i := range next {
		p.a.Pools[i].Redirect = next[i]
	}
	return nil
}

// strayRedirect returns a pool with a redirection to an unlisted pool other than DefaultName, or
// nil.
func (a *Allocations) strayRedirect() *Allocation {
	for i := range a.Pools {
		to := a.Pools[i].Redirect
		if _, declared := a.find(to); to != "" && to != DefaultName && !declared {
			return &a.Pools[i]
		}
	}
	return nil
}

func (a *Allocations) find(name string) (int, bool) {
	return slices.BinarySearchFunc(a.Pools, name,
		func(p Allocation, name string) int { return strings.Compare(p.Name, name) })
}
