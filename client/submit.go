package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/internal/distcache"
	"github.com/howdah/howdah/internal/program"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/staging"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// Job is a job to pass to Submit.
type Job struct {
	Name    string            // name in the program (mapreduce.Job.Name)
	Conf    *conf.Config      // complete configuration of the job; not modified
	Splits  []mapreduce.Split // one per map
	Program string            // path of the binary that runs the tasks; "" means the running executable
	Key     string            // submissions with the same key create only one job; "" means a new key
}

// Submitted is a job that the JobTracker accepted.
type Submitted struct {
	ID          job.ID
	TrackingURL string
}

// Submit stages a job's files and submits the job. If the outcome is unknown, the caller may repeat
// the call with the same Key, and only one job results. Before anything runs, Submit reports errors
// in the configuration and an existing output directory (kind Exists).
func (c *Client) Submit(ctx context.Context, j Job) (*Submitted, error) {
	if j.Key == "" {
		b := make([]byte, 16)
		rand.Read(b) // never fails
		j.Key = hex.EncodeToString(b)
	}
	if c.fs == nil {
		return nil, failure.New(failure.Usage, "submit job", j.Name,
			errors.New("the client has no file systems for staging")).
			Fix("pass a resolver of file systems to Dial")
	}
	user := User(j.Conf)
	place, err := c.jobs.NewJob(ctx, transport.NewJob{User: user, Key: j.Key, Protocol: rpc.Protocol})
	if err != nil {
		return nil, err
	}
	var p *proofs
	if place.Existing == "" {
		if p, err = c.stage(ctx, &j, user, place); err != nil {
			return nil, err
		}
	}
	c.sent.Store(true)
	reply, err := c.jobs.Submit(ctx, transport.Submission{ID: cmp.Or(place.ID, place.Existing),
		StagingDir: place.StagingDir, Receipt: place.Receipt,
		User: user, Key: j.Key, Credentials: p.encode(), TokenServers: p.servers()})
	if err != nil {
		c.unstage(ctx, place, user, p, err)
		return nil, err
	}
	if place.Existing == "" && reply.ID.String() != place.ID {
		c.unstage(ctx, place, user, p, nil) // an earlier submission with this key has its own files
	}
	return &Submitted{ID: reply.ID, TrackingURL: reply.TrackingURL}, nil
}

// User returns the user on whose behalf c's jobs and commands run. It is mapreduce.job.user.name
// or, if unset, the caller's name in HDFS; see security.User. The JobTracker accepts the names of
// other users only from clients that may act for them.
func User(c *conf.Config) string {
	if name := conf.JobUserName.Get(c); name != "" {
		return name
	}
	return security.User(c)
}

// stage writes the job's files to the JobTracker's staging directory and returns the credentials
// for the job's tasks.
func (c *Client) stage(ctx context.Context, j *Job, user string, place *transport.Place) (*proofs, error) {
	if err := c.checkProbe(ctx, place); err != nil {
		return nil, err
	}
	fs, dir, owner, err := c.resolve(place.StagingDir, user)
	if err != nil {
		return nil, err
	}
	if err := (&area{fs, path.Dir(dir), owner}).make(ctx); err != nil {
		return nil, err
	}
	staged := j.Conf.Clone()
	if err := c.qualify(staged); err != nil {
		return nil, err
	}
	staged.Set(conf.JobUserName.Name, user, "client")
	staged.Set(conf.JobProgramJob.Name, j.Name, "client")
	if conf.JobName.Get(staged) == "" {
		staged.Set(conf.JobName.Name, j.Name, "client")
	}
	if err := c.ship(ctx, fs, path.Dir(dir), j, place, staged); err != nil {
		return nil, err
	}
	cache := shipper{fs: fs, root: path.Join(path.Dir(dir), staging.CacheDir)}
	if err := distcache.Plan(ctx, c.fs, staged, cache.ship); err != nil {
		return nil, err
	}
	p, err := c.collect(ctx, staged, place.StagingDir, place.Renewer)
	if err != nil {
		return nil, err
	}
	staged.Set(conf.JobCredentialsBinary.Name, "", "client") // a local file; the job carries its content instead
	if err := staging.Write(ctx, fs, dir, staged, j.Splits); err != nil {
		c.unstage(ctx, place, user, p, nil) // the files may fill the disk
		return nil, err
	}
	return p, nil
}

// qualify makes the working directory and the output directory absolute, with a scheme, so that
// processes on other machines can use them.
func (c *Client) qualify(staged *conf.Config) error {
	for key, path := range map[string]string{conf.JobWorkingDir.Name: ".",
		conf.OutputFileOutputFormatOutputDir.Name: conf.OutputFileOutputFormatOutputDir.Get(staged)} {
		if path == "" {
			continue
		}
		fs, name, err := c.fs.Resolve(path)
		if err != nil {
			return err
		}
		staged.Set(key, fs.URI()+name, "client")
	}
	return nil
}

// checkProbe verifies that this machine and the JobTracker's machine see the same files.
func (c *Client) checkProbe(ctx context.Context, place *transport.Place) error {
	text, err := c.readProbe(ctx, place.ProbePath)
	if err == nil && text == place.ProbeText {
		return nil
	}
	if err == nil {
		err = errors.New("it has different content on this machine")
	}
	return failure.New(failure.IO, "find the JobTracker's file", place.ProbePath, err).
		Fix("client, JobTracker and TaskTrackers must see the same storage: set " +
			"mapreduce.jobtracker.system.dir and mapreduce.jobtracker.staging.root.dir to directories on " +
			"shared storage or HDFS")
}

func (c *Client) readProbe(ctx context.Context, name string) (string, error) {
	fs, p, err := c.fs.Resolve(name)
	if err != nil {
		return "", err
	}
	f, err := fs.Open(ctx, p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 4096))
	return string(b), err
}

// ship copies the job's program to a directory that the TaskTrackers can read, unless the
// JobTracker runs the same program. It records the program's ID, and the URI of a copy, in staged.
func (c *Client) ship(ctx context.Context, fs dfs.FileSystem, root string, j *Job, place *transport.Place,
	staged *conf.Config) error {
	identify := program.Self
	if j.Program != "" {
		identify = func() (program.Program, error) { return program.Of(j.Program) }
	}
	p, err := identify()
	if err != nil {
		return err
	}
	staged.Set(conf.JobProgramID.Name, p.ID, "client")
	if p.ID == place.Program {
		return nil
	}
	programs := shipper{fs: fs, root: path.Join(root, staging.ProgramDir)}
	uri, err := programs.ship(ctx, p.Path)
	if err != nil {
		return err
	}
	staged.Set(conf.JobProgramPath.Name, uri, "client")
	return nil
}

func upload(ctx context.Context, fs dfs.FileSystem, from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return failure.New(failure.KindOf(err), "read", from, err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return failure.New(failure.IO, "read", from, err)
	}
	there, err := fs.Stat(ctx, to)
	exists := err == nil
	if exists && !there.Dir && there.Size == info.Size() {
		return nil
	}
	// Other clients may be copying the same file, or a TaskTracker may be looking for it.
	// Therefore, the copy gets its name only when it is complete.
	part := to + "." + rand.Text() + ".tmp"
	defer func() { _ = fs.Delete(context.WithoutCancel(ctx), part, false) }()
	if err := copyTo(ctx, fs, in, part); err != nil {
		return err
	}
	if exists { // it is damaged
		if err := fs.Delete(ctx, to, true); err != nil && !failure.Is(err, failure.NotFound) {
			return err
		}
	}
	if err := fs.Rename(ctx, part, to); !failure.Is(err, failure.Exists) {
		return err
	}
	return nil
}

func copyTo(ctx context.Context, fs dfs.FileSystem, in io.Reader, name string) error {
	w, err := fs.Create(ctx, name, dfs.CreateOptions{Mode: 0o700})
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.Copy(w, in); err != nil {
		return err
	}
	return w.Close()
}

// unstage removes the files and cancels the tokens of a job that was not submitted. why is the
// error of the submission. If its kind is Unreachable or Timeout, unstage keeps both, because the
// job may have been submitted.
func (c *Client) unstage(ctx context.Context, place *transport.Place, user string, p *proofs, why error) {
	if place.StagingDir == "" || mayBe(why) {
		return
	}
	if fs, dir, _, err := c.resolve(place.StagingDir, user); err == nil {
		_ = fs.Delete(context.WithoutCancel(ctx), dir, true) // the user sees why, not this error
	}
	p.cancel(ctx)
}
