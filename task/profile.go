package task

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// keyProfiled contains the settings that list the tasks to profile, by task type.
var keyProfiled = [2]string{conf.TaskProfileMaps.Name, conf.TaskProfileReduces.Name}

// Profile is the kind of profile to record for an attempt.
type Profile uint8

// CPUProfile and HeapProfile are profiles of Go's pprof.
const (
	NoProfile   Profile = iota
	CPUProfile          // CPU time
	HeapProfile         // memory allocations
)

// CheckProfiling rejects invalid profile settings.
func CheckProfiling(c *conf.Config) error {
	if _, err := conf.TaskProfile.Get(c); err != nil {
		return err
	}
	for _, key := range keyProfiled {
		if _, err := inRanges(c.Get(key), 0); err != nil {
			return c.Refuse(key, err)
		}
	}
	return nil
}

// ProfileOf returns the kind of profile that c requests for a task, or NoProfile if it requests
// none. mapreduce.task.profile.params contains Hadoop's options for a Java agent. If these request
// a heap profile but no CPU profile, ProfileOf returns HeapProfile. Otherwise, it returns
// CPUProfile.
func ProfileOf(c *conf.Config, t job.TaskType, index int32) Profile {
	if on, err := conf.TaskProfile.Get(c); err != nil || !on || t > job.Reduce {
		return NoProfile
	}
	if in, err := inRanges(c.Get(keyProfiled[t]), int(index)); err != nil || !in {
		return NoProfile
	}
	if params := conf.TaskProfileParams.Get(c); strings.Contains(params, "heap") && !strings.Contains(params, "cpu") {
		return HeapProfile
	}
	return CPUProfile
}

// inRanges reports whether n is in list, which contains ranges in Hadoop's notation, such as
// 0-2,5,8-. An empty list means 0-2.
func inRanges(list string, n int) (in bool, err error) {
	if strings.TrimSpace(list) == "" {
		list = "0-2"
	}
	for _, part := range strings.Split(list, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
		lo, err := bound(from, 0)
		if err != nil {
			return false, err
		}
		hi := lo
		if isRange {
			if hi, err = bound(to, math.MaxInt32); err != nil {
				return false, err
			}
		} else if from == "" {
			return false, errors.New("want a list of ranges such as 0-2,5,8-")
		}
		in = in || lo <= n && n <= hi
	}
	return in, nil
}

func bound(s string, def int) (int, error) {
	if s = strings.TrimSpace(s); s == "" {
		return def, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, errors.New("want a list of ranges such as 0-2,5,8-")
	}
	return n, nil
}
