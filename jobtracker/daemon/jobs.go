package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
)

// jobs keeps the data that TaskTrackers need for unfinished jobs, in memory and in files. Only the
// JobTracker can read the files, because they contain secret tokens. It is safe for concurrent use.
type jobs struct {
	dir  string // DIR/jobs, with one file NUMBER.info for each job
	disk disk.FS

	mu     sync.Mutex
	live   map[int32]*tracker.JobInfo
	over   []*tracker.JobInfo // found at startup: ended jobs that still need cleanup
	lost   []*tracker.JobInfo // found at startup: submissions that a crash interrupted; clients can retry them
	uses   map[string]*userUse
	limits userUse // of one user; 0 means no limit
	// unreadable contains the unfinished jobs whose files are missing or damaged. Their tasks
	// cannot start.
	unreadable map[int32]error

	reserveMu sync.Mutex
	reserved  int32 // highest reserved number
	stored    int32 // number in the counter's file
	counter   disk.File
}

// openJobs loads the jobs that are unfinished in m. A crash can leave the files of other jobs.
// openJobs puts ended jobs without a complete cleanup in over, and submissions that were not yet
// durable in lost.
func openJobs(dir string, fs disk.FS, m *jobtracker.Machine, log *slog.Logger) (*jobs, error) {
	j := &jobs{dir: filepath.Join(dir, "jobs"), disk: fs, live: map[int32]*tracker.JobInfo{},
		unreadable: map[int32]error{}, uses: map[string]*userUse{}}
	if err := disk.MkdirAll(fs, j.dir, 0o700); err != nil {
		return nil, failure.New(failure.KindOf(err), "create directory", j.dir, err)
	}
	if err := j.openCounter(m.LastJob()); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(j.dir)
	if err != nil {
		return nil, failure.New(failure.IO, "list", j.dir, err)
	}
	var unknown []int32
	for _, e := range entries {
		seq, ok := infoNumber(e.Name())
		if !ok {
			continue
		}
		if !m.WasUsed(seq) {
			unknown = append(unknown, seq)
		}
		name := filepath.Join(j.dir, e.Name())
		info, err := readInfo(name)
		if err == nil && info.Job != seq {
			err = failure.New(failure.Corrupt, "read", name, errors.New("the file is about job "+info.Id))
		}
		if err != nil && !m.WasUsed(seq) {
			_ = fs.Remove(name) // a crash interrupted the submission before it had another effect
			continue
		}
		if err != nil {
			log.Error("cannot read a job's file", "job", seq, "error", err)
			j.unreadable[seq] = err
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
	if slices.Sort(unknown); len(unknown) > 0 {
		log.Warn("there are files of jobs that the journal does not know: a crash interrupted their submission, or the "+
			"journal has lost its end; submit the jobs again if they are missing", "directory", j.dir, "jobs", unknown)
	}
	j.findUnreadable(m)
	return j, nil
}

// findUnreadable limits unreadable to jobs that are unfinished in m, and adds the unfinished jobs
// that have no file.
func (j *jobs) findUnreadable(m *jobtracker.Machine) {
	bad := j.unreadable
	j.unreadable = map[int32]error{}
	for _, seq := range m.AllJobs() {
		if known := m.Job(seq); known != nil && !known.State.Terminal() && j.live[seq] == nil {
			j.unreadable[seq] = bad[seq]
			if bad[seq] == nil {
				j.unreadable[seq] = failure.New(failure.NotFound, "read", j.path(seq), nil)
			}
		}
	}
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
	b, err = unsealInfo(b)
	if err == nil {
		err = proto.Unmarshal(b, info)
	}
	if err != nil {
		return nil, failure.New(failure.Corrupt, "read", name, err)
	}
	return info, nil
}

func (j *jobs) path(seq int32) string { return filepath.Join(j.dir, strconv.Itoa(int(seq))+".info") }

// requireJournal returns an error of kind Corrupt if there is no journal, although the JobTracker has
// had jobs. A new journal would silently forget them. If the directory has a renamed journal, an
// administrator has chosen to start without it.
func (d *Daemon) requireJournal() error {
	if files, _ := filepath.Glob(filepath.Join(d.cfg.Dir, "journal-*")); len(files) > 0 {
		return nil
	}
	last, err := readCounter(filepath.Join(d.cfg.Dir, "jobs", "last"), 0)
	if err != nil || last == 0 {
		return err
	}
	return failure.New(failure.Corrupt, "find a journal in", d.cfg.Dir, fmt.Errorf("job %d exists, but no journal", last)).
		Fix("restore the journal from a copy, or move the whole directory elsewhere to start without jobs")
}

// openCounter opens the file with the highest reserved number. The next job number is greater than
// that number and than used, the highest number in the journal.
func (j *jobs) openCounter(used int32) error {
	name := filepath.Join(j.dir, "last")
	last, err := readCounter(name, used)
	if err != nil {
		return err
	}
	j.reserved = max(used, last)
	j.stored = j.reserved
	if err := disk.Replace(j.disk, name, counterText(j.reserved), 0o600); err != nil {
		return failure.New(failure.KindOf(err), "write", name, err)
	}
	if j.counter, err = j.disk.OpenFile(name, os.O_WRONLY, 0); err != nil {
		return failure.New(failure.KindOf(err), "open", name, err)
	}
	return nil
}

// counterText returns the content of the job number file: the number and a checksum. Its length is
// constant and less than a sector, so that the file contains either the old or the new number after
// a crash.
func counterText(last int32) []byte {
	return fmt.Appendf(nil, "%010d %08x\n", last, crc32.ChecksumIEEE(fmt.Appendf(nil, "%010d", last)))
}

// readCounter returns the number in the file. A missing file counts as 0. Earlier versions wrote a
// number without a checksum, or nothing before the first job.
func readCounter(name string, used int32) (int32, error) {
	b, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(b) == 0 && used == 0 {
		return 0, nil
	}
	if err != nil {
		return 0, failure.New(failure.KindOf(err), "read", name, err)
	}
	number, _, _ := strings.Cut(strings.TrimSuffix(string(b), "\n"), " ")
	last, err := strconv.ParseInt(number, 10, 32)
	if err == nil && string(b) != string(counterText(int32(last))) && string(b) != strconv.FormatInt(last, 10)+"\n" {
		err = errors.New("the checksum is wrong")
	}
	if err != nil {
		return 0, failure.New(failure.Corrupt, "read the latest job number in", name, err).
			Fix("remove the file; the JobTracker then continues after the last job in its journal, and clients that " +
				"were submitting jobs must start over")
	}
	return int32(last), nil
}

// reserve returns a job number that has never been reserved, not even by a killed JobTracker. A
// client of that JobTracker might still be writing to the job's staging directory.
func (j *jobs) reserve() (int32, error) {
	j.reserveMu.Lock()
	defer j.reserveMu.Unlock()
	if j.reserved == math.MaxInt32 {
		return 0, errf(failure.Limit, "reserve a job number in", j.dir, "all numbers are in use").
			Fix("start the JobTracker with a new " + conf.JobTrackerDir.Name)
	}
	if j.reserved == j.stored {
		if err := j.storeAhead(); err != nil {
			return 0, failure.New(failure.KindOf(err), "write", j.counter.Name(), err)
		}
	}
	j.reserved++
	return j.reserved, nil
}

// reserveAhead is how many job numbers one write reserves, so that most submissions need not wait for
// the disk. After a crash, the numbers that no client has received stay unused.
const reserveAhead = 20

func (j *jobs) storeAhead() error {
	next := j.reserved + min(reserveAhead, math.MaxInt32-j.reserved)
	_, err := j.counter.WriteAt(counterText(next), 0)
	if err == nil {
		err = j.counter.Sync()
	}
	if err == nil {
		j.stored = next
	}
	return err
}

// close frees the reserved numbers that no client has received. The caller must not reserve numbers
// afterward.
func (j *jobs) close() {
	j.reserveMu.Lock()
	defer j.reserveMu.Unlock()
	_, _ = j.counter.WriteAt(counterText(j.reserved), 0)
	_ = j.counter.Close()
}

// wasReserved reports whether a number has been reserved.
func (j *jobs) wasReserved(seq int32) bool {
	j.reserveMu.Lock()
	defer j.reserveMu.Unlock()
	return seq > 0 && seq <= j.reserved
}

// store makes the file of a job durable. The caller must call it before it claims the output
// directory and passes the job to the machine, so that a later start can clean up after a crash.
func (j *jobs) store(info *tracker.JobInfo) error {
	b, err := proto.Marshal(info)
	if err != nil {
		return failure.New(failure.Internal, "encode job", info.Id, err)
	}
	if err := disk.Create(j.disk, j.path(info.Job), sealInfo(b), 0o600); err != nil {
		return failure.New(failure.KindOf(err), "write", j.path(info.Job), err)
	}
	return nil
}

// A job's file ends with a checksum of what precedes it, in a field that readers of the message
// ignore. Files of earlier versions lack it.
var sumTag = protowire.AppendTag(nil, 1<<29-1, protowire.Fixed32Type)

func sealInfo(b []byte) []byte {
	return protowire.AppendFixed32(append(slices.Clip(b), sumTag...), crc32.ChecksumIEEE(b))
}

func unsealInfo(b []byte) ([]byte, error) {
	at := len(b) - len(sumTag) - 4
	if at < 0 || !bytes.HasPrefix(b[at:], sumTag) {
		if len(b) == 0 {
			return nil, errors.New("the file is empty")
		}
		return b, nil
	}
	if sum, _ := protowire.ConsumeFixed32(b[at+len(sumTag):]); sum != crc32.ChecksumIEEE(b[:at]) {
		return nil, errors.New("the checksum is wrong")
	}
	return b[:at], nil
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
		j.use(info.User, -1, -info.Memory)
		delete(j.live, seq)
	}
}

// drop hides a job from trackers and removes its file.
func (j *jobs) drop(seq int32) {
	j.forget(seq)
	_ = j.disk.Remove(j.path(seq))
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

// repeated drops the interrupted submissions with the owner name of an admitted submission, which
// repeats them. It also removes their files, except a file with the admitted submission's job
// number.
func (j *jobs) repeated(by *tracker.JobInfo) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lost = slices.DeleteFunc(j.lost, func(old *tracker.JobInfo) bool {
		if old.Owner != by.Owner {
			return false
		}
		if old.Job != by.Job {
			_ = j.disk.Remove(j.path(old.Job))
		}
		return true
	})
}

func errNoJob(op string, id job.ID) error {
	return errf(failure.NotFound, op, id.String(), "no such job").Fix("howdah job -list all lists the known jobs")
}
