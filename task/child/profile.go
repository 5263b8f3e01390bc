package child

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"

	"github.com/howdah/howdah/task"
)

// profileLog is the file among the logs, as Hadoop names it; go tool pprof opens it.
const profileLog = "profile.out"

// startProfile begins the profile that the job wants of this attempt and gives what ends it. A profile that cannot be made is no
// reason to fail.
func (a *launched) startProfile() (stop func()) {
	which := task.ProfileOf(a.spec.Conf, a.spec.Attempt.Type, a.spec.Attempt.Index)
	if which == task.NoProfile || a.l.LogDir == "" {
		return func() {}
	}
	f, err := os.Create(filepath.Join(a.l.LogDir, profileLog))
	if err == nil && which == task.CPUProfile {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		a.log.print("WARN", "no profile: %v", err)
		return func() {}
	}
	return func() {
		if which == task.CPUProfile {
			pprof.StopCPUProfile()
		} else {
			runtime.GC() // what is reachable now is what counts
			err = pprof.Lookup("allocs").WriteTo(f, 0)
		}
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			a.log.print("WARN", "no profile: %v", err)
		}
	}
}
