package daemon

import (
	"errors"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// jobs keeps the data that TaskTrackers need for unfinished jobs, in memory and in files. Only the
// JobTracker can read the files, because they contain secret tokens. It is safe for concurrent use.
type jobs struct {
	dir string // DIR/jobs, with one file NUMBER.info for each job

	mu     sync.Mutex
	live   map[int32]*tracker.JobInfo
	over   []*tracker.JobInfo // found at the start: ended jobs that still need cleanup
	lost   []*tracker.JobInfo // found at the start: submissions that a crash interrupted; clients can retry them
	uses   map[string]*userUse
	size   map[int32]int64 // sizes of the configurations of the jobs in live, in bytes
	limits userUse         // of one user; 0 means no limit

	reserveMu sync.Mutex
	reserved  int32 // highest reserved number
	counter   *os.File
}

// openJobs loads the jobs that are unfinished in m. A crash can leave files of other jobs. Such a
// job has ended without a complete cleanup, or its submission was not yet durable.
func openJobs(dir string, m *jobtracker.Machine, log *slog.Logger) (*jobs, error) {
	j := &jobs{dir: filepath.Join(dir, "jobs"), live: map[int32]*tracker.JobInfo{}, size: map[int32]int64{},
		uses: map[string]*userUse{}}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return nil, failure.New(failure.KindOf(err), "create directory", j.dir, err)
	}
	if err := j.openCounter(m.LastJob()); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(j.dir)
	if err != nil {
		return nil, failure.New(failure.IO, "list", j.dir, err)
	}
	for _, e := range entries {
		seq, ok := infoNumber(e.Name())
		if !ok {
			continue
		}
		name := filepath.Join(j.dir, e.Name())
		info, err := readInfo(name)
		if err != nil {
			log.Error("cannot read a job's file; the job's tasks will not start", "job", seq, "error", err)
			continue
		}
		switch known := m.Job(seq); {
		case !m.WasUsed(seq):
			j.lost = append(j.lost, info)
		case known == nil || known.State.Terminal():
			j.over = append(j.over, info)
		default:
			j.live[seq] = info
		}
	}
	return j, nil
}

func infoNumber(name string) (int32, bool) {
	base, ok := strings.CutSuffix(name, ".info")
	n, err := strconv.ParseInt(base, 10, 32)
	return int32(n), ok && err == nil
}

func readInfo(name string) (*tracker.JobInfo, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, failure.New(failure.IO, "read", name, err)
	}
	info := &tracker.JobInfo{}
	if err := proto.Unmarshal(b, info); err != nil {
		return nil, failure.New(failure.Corrupt, "read", name, err)
	}
	return info, nil
}

func (j *jobs) path(seq int32) string { return filepath.Join(j.dir, strconv.Itoa(int(seq))+".info") }

// openCounter continues the job numbers after all used and reserved numbers.
func (j *jobs) openCounter(used int32) error {
	name := filepath.Join(j.dir, "last")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return failure.New(failure.KindOf(err), "open", name, err)
	}
	b := make([]byte, 16)
	n, _ := f.ReadAt(b, 0)
	last, _ := strconv.ParseInt(strings.TrimSpace(string(b[:n])), 10, 32)
	j.counter, j.reserved = f, max(used, int32(last))
	return nil
}

// reserve returns a job number that has never been reserved, not even by a killed JobTracker. A
// client of that JobTracker might still be writing to the job's staging directory.
func (j *jobs) reserve() (int32, error) {
	j.reserveMu.Lock()
	defer j.reserveMu.Unlock()
	if j.reserved == math.MaxInt32 {
		return 0, errf(failure.Limit, "reserve a job number in", j.dir, "all numbers are in use").
			Fix("start the JobTracker with a new " + KeyDir)
	}
	j.reserved++
	text := strconv.Itoa(int(j.reserved)) + "\n"
	if _, err := j.counter.WriteAt([]byte(text), 0); err != nil {
		return 0, failure.New(failure.KindOf(err), "write", j.counter.Name(), err)
	}
	return j.reserved, nil
}

// wasReserved reports whether a number has been reserved.
func (j *jobs) wasReserved(seq int32) bool {
	j.reserveMu.Lock()
	defer j.reserveMu.Unlock()
	return seq > 0 && seq <= j.reserved
}

// add makes a job with a configuration of size bytes visible to trackers. It must precede the claim of
// the output directory and the submission to the machine, so that a later start can clean up after a
// crash. If the user has too many unfinished jobs, the error is of kind Limit.
func (j *jobs) add(info *tracker.JobInfo, size int64) error {
	b, err := proto.Marshal(info)
	if err != nil {
		return failure.New(failure.Internal, "encode job", info.Id, err)
	}
	if err := j.count(info, size); err != nil {
		return err
	}
	if err := writeFile(j.path(info.Job), b); err != nil {
		j.forget(info.Job)
		return failure.New(failure.KindOf(err), "write", j.path(info.Job), err)
	}
	return nil
}

// writeFile writes a file that only this user can read. A crash leaves the old file or the complete
// new one.
func writeFile(name string, b []byte) error {
	f, err := os.OpenFile(name+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// get returns an unfinished job, or nil if there is none with that number.
func (j *jobs) get(seq int32) *tracker.JobInfo {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.live[seq]
}

// all returns the unfinished jobs.
func (j *jobs) all() []*tracker.JobInfo {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Collect(maps.Values(j.live))
}

// forget hides a job from trackers. Its file stays until the cleanup of the job is complete.
func (j *jobs) forget(seq int32) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if info := j.live[seq]; info != nil {
		j.use(info.User, -1, -j.size[seq])
		delete(j.live, seq)
		delete(j.size, seq)
	}
}

// drop hides a job from trackers and removes its file.
func (j *jobs) drop(seq int32) {
	j.forget(seq)
	os.Remove(j.path(seq))
}

// abandoned returns the list of submissions that a crash interrupted and clears the list.
func (j *jobs) abandoned() []*tracker.JobInfo {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := j.lost
	j.lost = nil
	return list
}

// claimed reports whether an unfinished job has claimed its output directory under the given owner
// name.
func (j *jobs) claimed(owner string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, info := range j.live {
		if info.Owner == owner {
			return true
		}
	}
	return false
}

// repeated drops the interrupted submissions that the admitted submission by repeats. It also
// removes their files, except a file with the same job number, which now belongs to by.
func (j *jobs) repeated(by *tracker.JobInfo) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost = slices.DeleteFunc(j.lost, func(old *tracker.JobInfo) bool {
		if old.Owner != by.Owner {
			return false
		}
		if old.Job != by.Job {
			os.Remove(j.path(old.Job))
		}
		return true
	})
}

func errNoJob(op string, id job.ID) error {
	return errf(failure.NotFound, op, id.String(), "no such job").Fix("howdah job -list all lists the known jobs")
}
