package client

import (
	"context"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/security"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/job/failure"
)

const (
	keyInputDir    = "mapreduce.input.fileinputformat.inputdir"
	keyHDFSServers = "mapreduce.job.hdfs-servers"
)

// delegator is a file system that gives processes elsewhere the right to act for the caller (hdfs.FS).
type delegator interface {
	Delegate(ctx context.Context, renewer string, to *token.Credentials) (fetched bool, err error)
	Token(in *token.Credentials) (token.Token, bool)
	CancelToken(ctx context.Context, t token.Token) error
}

// proofs are what a job's processes prove with that they act for its user.
type proofs struct {
	creds   *token.Credentials
	fetched []dfs.FileSystem // whose tokens were made for this job
}

// collect gathers the tokens that the caller brings along, and fetches those of the file systems that the job touches: the default
// one, its input, output and staging directories, and mapreduce.job.hdfs-servers.
func (c *Client) collect(ctx context.Context, staged *conf.Config, stagingDir, renewer string) (*proofs, error) {
	creds, err := security.Tokens(staged)
	if err != nil {
		return nil, err
	}
	p := &proofs{creds: creds}
	places := append([]string{"/", stagingDir, staged.Get(keyOutputDir)}, staged.Strings(keyHDFSServers)...)
	places = append(places, staged.Strings(keyInputDir)...)
	seen := map[dfs.FileSystem]bool{}
	for _, place := range places {
		if place = strings.TrimSpace(place); place == "" {
			continue
		}
		fs, _, err := c.fs.Resolve(place)
		if err != nil {
			continue // a glob with a colon, or a scheme of the program's own: whoever opens it will tell
		}
		d, ok := fs.(delegator)
		if !ok || seen[fs] {
			continue
		}
		seen[fs] = true
		fetched, err := d.Delegate(ctx, renewer, creds)
		if err != nil {
			p.cancel(ctx)
			return nil, err
		}
		if fetched {
			p.fetched = append(p.fetched, fs)
		}
	}
	return p, nil
}

// encode gives the credentials file, nil if there is nothing to prove.
func (p *proofs) encode() []byte {
	if p == nil || len(p.creds.Tokens)+len(p.creds.Secrets) == 0 {
		return nil
	}
	return p.creds.Encode()
}

// servers names the file systems whose tokens are the job's own.
func (p *proofs) servers() []string {
	if p == nil {
		return nil
	}
	var out []string
	for _, fs := range p.fetched {
		out = append(out, fs.URI()+"/")
	}
	return out
}

// cancel takes back the tokens of a job that will not be.
func (p *proofs) cancel(ctx context.Context) {
	if p == nil {
		return
	}
	for _, fs := range p.fetched {
		d := fs.(delegator)
		if t, ok := d.Token(p.creds); ok {
			_ = d.CancelToken(context.WithoutCancel(ctx), t) // it ends by itself, too
		}
	}
}

// mayBe tells whether nobody knows if the JobTracker took a submission that ended with err.
func mayBe(err error) bool {
	return failure.Is(err, failure.Unreachable) || failure.Is(err, failure.Timeout)
}
