package daemon

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/internal/commit"
	"github.com/howdah/howdah/internal/loop"
	"github.com/howdah/howdah/internal/notify"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/wire/tracker"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/jobtracker"
	"github.com/howdah/howdah/jobtracker/history"
)

// maxSplits is the maximum number of a job's maps.
const maxSplits = 1_000_000

// maxKey is the maximum length of a submit key, in bytes. The keys of howdah's own clients are
// random numbers and much shorter.
const maxKey = 256

// stagingDir returns the only permitted staging directory of a job.
func (d *Daemon) stagingDir(user string, id job.ID) (dfs.FileSystem, string, error) {
	fs, root, err := d.cfg.FS.Resolve(d.cfg.StagingRoot)
	if err != nil {
		return nil, "", err
	}
	return fs, path.Join(root, user, ".staging", id.String()), nil
}

// receipt returns the proof that a user requested a job's ID. A submission must contain it, so
// other users cannot take the ID while the job is being staged, even if the JobTracker restarts in
// the meantime.
func (d *Daemon) receipt(user string, id job.ID) []byte {
	h := hmac.New(sha256.New, d.cfg.RPC.Secret.Key("receipt"))
	fmt.Fprintf(h, "%s %s", id, user)
	return h.Sum(nil)
}

// checkName rejects a name that is not valid as the name of a directory.
func checkName(what, name string) error {
	ok := name != "" && len(name) <= 256 && name[0] != '.' && name[0] != '-'
	for _, c := range []byte(name) {
		if c <= ' ' || c == '/' || c == '\\' || c == 0x7f {
			ok = false
		}
	}
	if !ok {
		return errf(failure.Usage, "check "+what, strconv.Quote(name), "not a valid %s", what)
	}
	return nil
}

// submission is a job that is being submitted.
type submission struct {
	id   job.ID
	spec *job.Spec
	info *tracker.JobInfo
	fs   dfs.FileSystem // file system of the output; nil means no output
	out  string

	shown *conf.Config // the job's configuration without its secrets

	stagingFS  dfs.FileSystem
	stagingDir string

	release func() // releases the user's file systems
}

// owner returns the name with which the submission claims its output directory. It is derived from
// the submit key, if there is one, because a client that retries after a crash has a different job
// ID but the same key.
func (s *submission) owner() string {
	if s.spec.SubmitKey == "" {
		return s.id.String()
	}
	sum := sha256.Sum256([]byte(s.spec.SubmitKey))
	return "submit-" + hex.EncodeToString(sum[:16])
}

// submit admits a staged job. Submissions with the same key result in one job, even if they are
// concurrent or a crash separates them.
func (d *Daemon) submit(ctx context.Context, r *transport.Submission) (job.ID, error) {
	if err := checkName("user", r.User); err != nil {
		return job.ID{}, err
	}
	if len(r.Key) > maxKey {
		return job.ID{}, errf(failure.Usage, "submit job", r.ID, "the submit key has %d bytes; the limit is %d",
			len(r.Key), maxKey)
	}
	if len(r.Credentials) > maxCredentials {
		return job.ID{}, errf(failure.Limit, "submit job", r.ID, "the credentials have %d bytes; the limit is %d",
			len(r.Credentials), maxCredentials).Fix("submit the job with fewer tokens and secrets")
	}
	id, err := job.ParseID(r.ID)
	if err != nil || id.Cluster != d.cluster || !d.jobs.wasReserved(id.Seq) {
		return job.ID{}, errf(failure.Usage, "submit job", r.ID,
			"this JobTracker did not assign the ID").Fix("request a new ID")
	}
	unlock, err := d.keys.lock(ctx, r.Key)
	if err != nil {
		return job.ID{}, err
	}
	defer unlock()
	turn, err := d.turns.take(ctx) // after the lock, so that no submission that waits for a lock has a turn
	if err != nil {
		return job.ID{}, err
	}
	defer turn.end()
	if known, err := d.jobByKey(ctx, r.Key); err != nil || known != 0 {
		return job.ID{Cluster: d.cluster, Seq: known}, err
	}
	if !hmac.Equal(r.Receipt, d.receipt(r.User, id)) {
		return job.ID{}, errf(failure.Permission, "submit job", r.ID, "user %s did not request the ID", r.User).
			Fix("request a new ID, with a client of the JobTracker's version")
	}
	used, err := look(ctx, d.owner, func(m *jobtracker.Machine) (bool, error) { return m.WasUsed(id.Seq), nil })
	if err != nil {
		return job.ID{}, err
	}
	if used {
		return job.ID{}, errUsed(r.ID)
	}
	leave, err := d.gate.enter()
	if err != nil {
		return job.ID{}, err
	}
	defer leave()
	s, err := d.readSubmission(ctx, id, r, smallSubmission)
	if errors.Is(err, errLarge) {
		if err := turn.alone(ctx, r.User); err != nil {
			return job.ID{}, err
		}
		s, err = d.readSubmission(ctx, id, r, math.MaxInt64)
	}
	if err != nil {
		return job.ID{}, err
	}
	defer s.release()
	return d.admit(ctx, s)
}

// errUsed returns the error for a submission whose job number belongs to another submission. The
// JobTracker must not touch the other submission's files.
func errUsed(id string) error {
	return errf(failure.Exists, "submit job", id, "another submission has this job number").Fix("request a new ID")
}

func (d *Daemon) jobByKey(ctx context.Context, key string) (int32, error) {
	if key == "" {
		return 0, nil
	}
	return look(ctx, d.owner, func(m *jobtracker.Machine) (int32, error) { return m.JobByKey(key), nil })
}

// readSubmission reads and validates the staged files with the user's permissions. If they are larger
// than largest, in bytes, it returns errLarge. The caller must call release on the result.
func (d *Daemon) readSubmission(ctx context.Context, id job.ID, r *transport.Submission, largest int64) (*submission,
	error) {
	files, release, err := d.as(r.User, &tracker.JobInfo{Credentials: r.Credentials})
	if err != nil {
		return nil, err
	}
	s, err := d.readStaged(ctx, files, id, r, largest)
	if err != nil {
		release()
		return nil, err
	}
	s.release = release
	return s, nil
}

func (d *Daemon) readStaged(ctx context.Context, files dfs.Resolver, id job.ID, r *transport.Submission,
	largest int64) (*submission, error) {
	fs, dir, err := d.stagingDir(r.User, id)
	if err != nil {
		return nil, err
	}
	if r.StagingDir != fs.URI()+dir {
		return nil, errf(failure.Usage, "submit job", id.String(), "the job is staged in %q, not in %q",
			r.StagingDir, fs.URI()+dir)
	}
	if fs, dir, err = files.Resolve(r.StagingDir); err != nil {
		return nil, err
	}
	info, err := fs.Stat(ctx, path.Join(dir, staging.ConfFile))
	if err != nil {
		remedy := "client and JobTracker must share " + conf.JobTrackerStagingRootDir.Name + ": on shared storage or HDFS"
		if failure.Is(err, failure.Permission) && os.Geteuid() != 0 {
			remedy = "only " + r.User + " can read the staged files: run the JobTracker as root or as that user, or " +
				"set " + conf.JobTrackerStagingRootDir.Name + " to a directory in HDFS"
		}
		return nil, failure.New(failure.KindOf(err), "submit job", id.String(), err).Fix(remedy)
	}
	if info.Size > d.cfg.MaxConf {
		return nil, errf(failure.Limit, "submit job", id.String(), "%s has %d bytes; the limit is %d",
			staging.ConfFile, info.Size, d.cfg.MaxConf).
			Fix("raise " + conf.UserJobConfLimit.Name + " of the JobTracker")
	}
	if meta, err := fs.Stat(ctx, path.Join(dir, staging.MetaFile)); err == nil && info.Size+meta.Size > largest {
		return nil, errLarge
	}
	// A file can have grown since Stat.
	c, xml, err := staging.ReadConf(ctx, fs, dir, min(d.cfg.MaxConf, largest))
	if err != nil {
		return nil, err
	}
	used := int64(len(xml) + len(r.Credentials))
	room, err := d.jobs.room(id, r.User, used)
	if err != nil {
		return nil, err
	}
	splits, memory, err := staging.ReadMeta(ctx, fs, dir, staging.MetaLimit{Splits: maxSplits,
		Bytes: min(d.cfg.MaxSplitMeta, largest), Memory: room})
	if errors.Is(err, staging.ErrMemory) {
		return nil, d.jobs.tooLarge(id.String(), r.User)
	}
	if err != nil {
		return nil, err
	}
	s := &submission{id: id}
	if s.spec, err = readSpec(c, splits, time.UnixMilli(d.owner.clock.now())); err != nil {
		return nil, err
	}
	if err := d.checkNotification(c); err != nil {
		return nil, err
	}
	mask, err := d.mask.With(c)
	if err != nil {
		return nil, err
	}
	shown := mask.Config(c)
	s.spec.Conf, s.spec.Name = properties(shown), cut(conf.JobName.Get(shown), maxName)
	s.spec.User, s.spec.SubmitKey, s.spec.StagingDir = r.User, r.Key, r.StagingDir
	if err := d.policies.CheckSubmit(r.User, s.spec.Queue); err != nil {
		return nil, err
	}
	if err := d.addProfile(ctx, s.spec); err != nil {
		return nil, err
	}
	token := make([]byte, 32)
	rand.Read(token) // never fails
	if s.info, err = jobInfo(c, s.spec, id, token); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(xml)
	s.info.ConfSize, s.info.ConfSum = int64(len(xml)), sum[:]
	s.info.Memory = used + memory
	s.shown, s.stagingFS, s.stagingDir = shown, fs, dir
	s.info.Credentials, s.info.TokenServer = r.Credentials, r.TokenServers
	s.info.Acls = d.policies.Rules().Enabled
	if s.spec.OutputDir != "" {
		if s.fs, s.out, err = files.Resolve(s.spec.OutputDir); err != nil {
			return nil, err
		}
		// Trackers can have a different default file system or working directory.
		s.spec.OutputDir = s.fs.URI() + s.out
		s.info.OutputDir = s.spec.OutputDir
	}
	return s, nil
}

// checkNotification returns an error if the JobTracker must not call the notification URL in a
// job's configuration.
func (d *Daemon) checkNotification(c *conf.Config) error {
	plan, err := notify.Read(c)
	if err != nil {
		return err
	}
	return d.cfg.Notify.Check(&plan)
}

// checkRecord returns an error if the job's submission would be too large for a record of the
// journal. A later check would be too late, because the JobTracker exits if it cannot write a fact
// that the machine has decided. The JobTracker limits all other texts in facts.
func checkRecord(s *submission) error {
	fact := &event.Event{Type: event.JobSubmitted, Job: s.id.Seq, Spec: s.spec}
	if err := history.CheckRecord(fact); err != nil {
		return failure.New(failure.KindOf(err), "submit job", s.id.String(), err).
			Fix("use fewer or larger splits, and fewer hosts for each split")
	}
	return nil
}

// keep makes a job visible to trackers, and makes durable what the job needs after a power failure:
// its file, a copy of its configuration, and the staged files. It also claims the output directory.
// It works concurrently, because a file system combines concurrent syncs. After an error, keep
// removes what it has created.
func (d *Daemon) keep(ctx context.Context, s *submission) error {
	if err := d.jobs.add(s.info); err != nil {
		return err
	}
	claimed := false
	var group errgroup.Group
	group.Go(func() (err error) {
		if err = d.jobs.store(s.info); err == nil && s.fs != nil {
			err = s.refused(commit.Claim(ctx, s.fs, s.out, s.info.Owner))
			claimed = err == nil
		}
		return err
	})
	group.Go(func() error { return d.archive.SaveConf(s.id, s.shown) })
	group.Go(func() error { return staging.Persist(ctx, s.stagingFS, s.stagingDir) })
	err := group.Wait()
	switch {
	case err != nil && claimed:
		return errors.Join(err, d.takeBack(s))
	case err != nil:
		d.forgetSubmission(s.id)
	}
	return err
}

// admit creates the job's own files and its output directory (see keep) and then passes the job to
// the machine. If storage or the machine rejects the job, admit removes these files.
func (d *Daemon) admit(ctx context.Context, s *submission) (job.ID, error) {
	unlock, err := d.outputs.lock(ctx, s.spec.OutputDir)
	if err != nil {
		return job.ID{}, err
	}
	defer unlock()
	s.info.Owner = s.owner()
	if err := checkRecord(s); err != nil {
		return job.ID{}, err
	}
	if err := d.keep(ctx, s); err != nil {
		return job.ID{}, err
	}
	in := &jobtracker.Input{Kind: jobtracker.InSubmit, Job: s.id.Seq, Spec: s.spec}
	seq, err := input(ctx, d.owner, in, func(o *jobtracker.Output) int32 { return o.Job })
	if loop.Undecided(err) {
		// The job might have been admitted, so the client must keep the staged files. It can retry with the
		// same key.
		if !failure.Is(err, failure.Unreachable) {
			err = failure.New(failure.Timeout, "submit job", s.id.String(), err).
				Fix("the JobTracker may still run the job; look for it with howdah job -list")
		}
		return job.ID{}, err
	}
	if err != nil {
		return job.ID{}, errors.Join(err, d.takeBack(s))
	}
	d.jobs.repeated(s.info)
	d.tokens.add(s.info)
	d.cfg.Log.Info("job submitted", "job", s.id.String(), "name", s.spec.Name, "user", s.spec.User,
		"maps", len(s.spec.Splits), "reduces", s.spec.Reduces)
	return job.ID{Cluster: d.cluster, Seq: seq}, nil
}

// refused returns a clearer error if err means that the user is not allowed to create the output
// directory. err names only a hidden directory in which the submission claims the output directory.
// Otherwise, refused returns err.
func (s *submission) refused(err error) error {
	var e *failure.Error
	if !errors.As(err, &e) || e.Kind != failure.Permission || e.Remedy != "" {
		return err
	}
	return failure.New(failure.Permission, "create output directory", s.spec.OutputDir,
		fmt.Errorf("user %s: %w", s.spec.User, e.Err)).Fix("choose a directory in which this user may create it")
}

// takeBack removes what a rejected submission has created. The record of the submission goes last, so
// that the next start finds an output directory that a crash or an error left claimed.
func (d *Daemon) takeBack(s *submission) error {
	if s.fs != nil {
		if err := commit.Abort(context.Background(), s.fs, s.out, nil, true); err != nil {
			return err
		}
	}
	d.forgetSubmission(s.id)
	return nil
}

func (d *Daemon) forgetSubmission(id job.ID) {
	d.jobs.drop(id.Seq)
	d.archive.RemoveConf(id)
}
