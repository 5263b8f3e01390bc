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

// delegator is a file system (hdfs.FS) that issues tokens. With a token, other processes can act on
// behalf of the caller.
type delegator interface {
	Delegate(ctx context.Context, renewer string, to *token.Credentials) (fetched bool, err error)
	Token(in *token.Credentials) (token.Token, bool)
	CancelToken(ctx context.Context, t token.Token) error
}

// proofs contains the credentials with which a job's processes act on behalf of its user.
type proofs struct {
	creds   *token.Credentials
	fetched []dfs.FileSystem // file systems whose tokens were issued for this job
}

// collect returns the caller's tokens and new tokens for the file systems that the job uses. These
// are the default file system, those of the job's input, output, and staging directories, and those
// in mapreduce.job.hdfs-servers.
func (c *Client) collect(ctx context.Context, staged *conf.Config, stagingDir, renewer string) (*proofs, error) {
	creds, err := security.Tokens(staged)
	if err != nil {
		return nil, err
	}
	p := &proofs{creds: creds}
	places := append([]string{"/", stagingDir, conf.OutputFileOutputFormatOutputDir.Get(staged)},
		conf.JobHDFSServers.Get(staged)...)
	places = append(places, conf.InputFileInputFormatInputDir.Get(staged)...)
	seen := map[dfs.FileSystem]bool{}
	for _, place := range places {
		if place = strings.TrimSpace(place); place == "" {
			continue
		}
		fs, _, err := c.fs.Resolve(place)
		if err != nil {
			continue // a glob with a colon, or an unknown scheme: the code that opens the path reports the error
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

// encode returns the content of the credentials file, or nil if there are no tokens and no secrets.
func (p *proofs) encode() []byte {
	if p == nil || len(p.creds.Tokens)+len(p.creds.Secrets) == 0 {
		return nil
	}
	return p.creds.Encode()
}

// servers returns the URIs of the file systems whose tokens were issued for this job.
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

// cancel cancels the tokens that were issued for a job that was not submitted.
func (p *proofs) cancel(ctx context.Context) {
	if p == nil {
		return
	}
	for _, fs := range p.fetched {
		d := fs.(delegator)
		if t, ok := d.Token(p.creds); ok {
			_ = d.CancelToken(context.WithoutCancel(ctx), t) // the token will expire anyway
		}
	}
}

// mayBe reports whether the JobTracker may have accepted a submission that ended with err.
func mayBe(err error) bool {
	return failure.Is(err, failure.Unreachable) || failure.Is(err, failure.Timeout)
}
