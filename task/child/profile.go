package child

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"

	"github.com/howdah/howdah/task"
)

// profileLog is the file name of the profile in the log directory, as in Hadoop. Use go tool pprof
// to open it.
const profileLog = "profile.out"

// startProfile starts the profile that the job requests for this attempt and returns the function
// that stops the profile. If it cannot create the profile, the attempt continues without one.
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
			runtime.GC() // count only reachable objects
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
