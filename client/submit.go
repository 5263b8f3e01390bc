package client

import (
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
	"github.com/howdah/howdah/internal/wire/client"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

const (
	keyUser       = "mapreduce.job.user.name"
	keyName       = "mapreduce.job.name"
	keyWorkingDir = "mapreduce.job.working.dir"
	keyOutputDir  = "mapreduce.output.fileoutputformat.outputdir"
	keyTokenFile  = "mapreduce.job.credentials.binary"
)

// Job is what is submitted.
type Job struct {
	Name    string            // under which its program knows it (mapreduce.Job.Name)
	Conf    *conf.Config      // the job's whole configuration; it is not changed
	Splits  []mapreduce.Split // one per map
	Program program.Program   // the binary that runs its tasks; the zero value is the running executable
	Key     string            // two submissions with one key are one job; "" = a fresh one
}

// Submitted is a job that the JobTracker took.
type Submitted struct {
	ID          job.ID
	TrackingURL string
}

// Submit stages a job's files and submits it. It may be called again with the same Key when its outcome is not known: one job
// comes of it. Errors of the configuration and of the output directory (kind Exists) come before anything runs.
func (c *Client) Submit(ctx context.Context, j Job) (*Submitted, error) {
	if j.Key == "" {
		b := make([]byte, 16)
		rand.Read(b) // never fails
		j.Key = hex.EncodeToString(b)
	}
	user := User(j.Conf)
	place, err := c.jobs.NewJob(ctx, &client.NewJobRequest{User: user, SubmitKey: j.Key, Protocol: rpc.Protocol})
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
	reply, err := c.jobs.Submit(ctx, &client.SubmitRequest{Id: firstOf(place.Id, place.Existing), StagingDir: place.StagingDir, User: user, SubmitKey: j.Key,
		Credentials: p.encode(), TokenServer: p.servers()})
	if err != nil {
		c.unstage(ctx, place, p, err)
		return nil, err
	}
	id, err := job.ParseID(reply.Id)
	if err != nil {
		return nil, failure.New(failure.Internal, "submit job", j.Name, err)
	}
	if place.Existing == "" && reply.Id != place.Id {
		c.unstage(ctx, place, p, nil) // somebody else's submission with this key came first, with files of its own
	}
	return &Submitted{ID: id, TrackingURL: reply.TrackingUrl}, nil
}

// User gives the user in whose name c's jobs are submitted and commands are given: mapreduce.job.user.name, else whom HDFS takes
// the caller for: who has the Kerberos ticket, $HADOOP_USER_NAME, or who runs this process. The JobTracker checks no names.
func User(c *conf.Config) string {
	if name := c.Get(keyUser); name != "" {
		return name
	}
	return security.User(c)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// stage writes the job's files where the JobTracker wants them, and gives what its tasks prove with that they act for the user.
func (c *Client) stage(ctx context.Context, j *Job, user string, place *client.NewJobReply) (*proofs, error) {
	if err := c.checkProbe(ctx, place); err != nil {
		return nil, err
	}
	fs, dir, err := c.fs.Resolve(place.StagingDir)
	if err != nil {
		return nil, err
	}
	if err := ownStaging(ctx, fs, path.Dir(dir), user); err != nil {
		return nil, err
	}
	staged := j.Conf.Clone()
	if err := c.qualify(staged); err != nil {
		return nil, err
	}
	staged.Set(keyUser, user, "client")
	staged.Set(staging.KeyJobName, j.Name, "client")
	if staged.Get(keyName) == "" {
		staged.Set(keyName, j.Name, "client")
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
	staged.Set(keyTokenFile, "", "client") // a file of this machine; what it holds goes with the job
	if err := staging.Write(ctx, fs, dir, staged, j.Splits); err != nil {
		p.cancel(ctx)
		return nil, err
	}
	return p, nil
}

// qualify makes paths mean the same for processes that run elsewhere.
func (c *Client) qualify(staged *conf.Config) error {
	for key, path := range map[string]string{keyWorkingDir: ".", keyOutputDir: staged.Get(keyOutputDir)} {
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

// checkProbe makes sure that this machine and the JobTracker's mean the same files.
func (c *Client) checkProbe(ctx context.Context, place *client.NewJobReply) error {
	text, err := c.readProbe(ctx, place.ProbePath)
	if err == nil && text == place.ProbeText {
		return nil
	}
	if err == nil {
		err = errors.New("it holds something else here")
	}
	return failure.New(failure.IO, "find the JobTracker's file", place.ProbePath, err).
		Fix("client, JobTracker and TaskTrackers must see the same storage: put mapreduce.jobtracker.system.dir and staging.root.dir on shared storage or HDFS")
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

// ship names the job's program and copies it to where trackers can read it, unless it is the very program that the
// JobTracker runs. A copy stays there for the next job; its place is named after its content.
func (c *Client) ship(ctx context.Context, fs dfs.FileSystem, root string, j *Job, place *client.NewJobReply, staged *conf.Config) error {
	p := j.Program
	if p == (program.Program{}) {
		var err error
		if p, err = program.Self(); err != nil {
			return err
		}
	}
	staged.Set(staging.KeyProgramID, p.ID, "client")
	if p.ID == place.Program {
		return nil
	}
	programs := shipper{fs: fs, root: path.Join(root, staging.ProgramDir)}
	uri, err := programs.ship(ctx, p.Path)
	if err != nil {
		return err
	}
	staged.Set(staging.KeyProgramPath, uri, "client")
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
	if there, err := fs.Stat(ctx, to); err == nil && there.Size == info.Size() {
		return nil
	}
	// Others may ship the same program, and a tracker may look for it, at this moment: it appears under its name when it is
	// complete, and whoever comes second finds it there.
	part := to + "." + rand.Text() + ".tmp"
	defer func() { _ = fs.Delete(context.WithoutCancel(ctx), part, false) }()
	if err := copyTo(ctx, fs, in, part); err != nil {
		return err
	}
	if err := fs.Rename(ctx, part, to); !failure.Is(err, failure.Exists) {
		return err
	}
	return nil
}

func copyTo(ctx context.Context, fs dfs.FileSystem, in io.Reader, name string) error {
	w, err := fs.Create(ctx, name, dfs.CreateOptions{Mode: 0o755})
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.Copy(w, in); err != nil {
		return err
	}
	return w.Close()
}

// unstage removes the files of a job that will not be. After Unreachable or Timeout nobody knows whether it was.
func (c *Client) unstage(ctx context.Context, place *client.NewJobReply, p *proofs, why error) {
	if place.StagingDir == "" || mayBe(why) {
		return
	}
	if fs, dir, err := c.fs.Resolve(place.StagingDir); err == nil {
		_ = fs.Delete(context.WithoutCancel(ctx), dir, true) // the user hears of why, not of this
	}
	p.cancel(ctx)
}
