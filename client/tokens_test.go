package client

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/hdfs/token"
	"github.com/howdah/howdah/dfs/mem"
	"github.com/howdah/howdah/job/failure"
)

// delegating is a file system of a secured cluster.
type delegating struct {
	dfs.FileSystem
	name      string
	asked     int
	renewer   string
	fails     error
	cancelled int
}

func (d *delegating) URI() string { return "hdfs://" + d.name }

func (d *delegating) Delegate(_ context.Context, renewer string, to *token.Credentials) (bool, error) {
	d.asked++
	d.renewer = renewer
	if d.fails != nil {
		return false, d.fails
	}
	if _, ok := d.Token(to); ok {
		return false, nil
	}
	to.Add(token.Token{Identifier: []byte(d.name), Kind: token.KindHDFS, Service: d.name})
	return true, nil
}

func (d *delegating) Token(in *token.Credentials) (token.Token, bool) {
	return in.Find(token.KindHDFS, d.name)
}

func (d *delegating) CancelToken(context.Context, token.Token) error { d.cancelled++; return nil }

// byName resolves hdfs://NAME/ to the file system of that name. It resolves all other paths to a
// file system without tokens.
type byName map[string]*delegating

func (r byName) Resolve(name string) (dfs.FileSystem, string, error) {
	p, err := dfs.ParsePath(name)
	if err != nil {
		return nil, "", err
	}
	if fs := r[p.Authority]; fs != nil {
		return fs, p.Path, nil
	}
	return mem.New(), p.Path, nil
}

func TestTokensOfAllThatAJobTouches(t *testing.T) {
	t.Setenv(token.FileEnv, "")
	all := byName{}
	for _, name := range []string{"in", "out", "stage", "more", "given", "unused"} {
		all[name] = &delegating{FileSystem: mem.New(), name: name}
	}
	given := &token.Credentials{Secrets: map[string][]byte{"mine": {1}}}
	given.Add(token.Token{Identifier: []byte("given"), Kind: token.KindHDFS, Service: "given"})
	file := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, given.WriteFile(file))
	c := conf.New()
	for k, v := range map[string]string{conf.InputFileInputFormatInputDir.Name: "hdfs://in/a,hdfs://in/b,file:/x",
		conf.OutputFileOutputFormatOutputDir.Name: "hdfs://out/o",
		conf.JobHDFSServers.Name:                  "hdfs://more/, hdfs://given/", conf.JobCredentialsBinary.Name: file} {
		c.Set(k, v, "test")
	}
	x := &Client{fs: all}
	p, err := x.collect(t.Context(), c, "hdfs://stage/s", "mapred@R")
	require.NoError(t, err)
	got, err := token.Parse(p.encode())
	require.NoError(t, err)
	require.Len(t, got.Tokens, 5)
	require.Len(t, got.Secrets, 1)
	require.ElementsMatch(t, []string{"hdfs://in/", "hdfs://out/", "hdfs://stage/", "hdfs://more/"}, p.servers(),
		"one that was given is not the job's to cancel")
	require.Equal(t, 1, all["in"].asked)
	require.Equal(t, "mapred@R", all["in"].renewer)
	require.Zero(t, all["unused"].asked)
	p.cancel(t.Context())
	require.Equal(t, 1, all["in"].cancelled)
	require.Zero(t, all["given"].cancelled)

	all["more"].fails = failure.New(failure.Permission, "get token", "", errors.New("no ticket"))
	_, err = x.collect(t.Context(), c, "hdfs://stage/s", "mapred@R")
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
	require.Equal(t, 2, all["out"].cancelled, "what was fetched before is taken back")
}

func TestNoProofs(t *testing.T) {
	t.Setenv(token.FileEnv, "")
	x := &Client{fs: byName{}}
	p, err := x.collect(t.Context(), conf.New(), "file:/staging", "")
	require.NoError(t, err)
	require.Nil(t, p.encode())
	require.Empty(t, p.servers())
	var none *proofs
	require.Nil(t, none.encode())
	none.cancel(t.Context())
}

func TestStagingAreaIsTheUsersAlone(t *testing.T) {
	fs := mem.New()
	require.NoError(t, fs.Mkdir(t.Context(), "/user"))
	info, err := fs.Stat(t.Context(), "/user")
	require.NoError(t, err)
	me := info.Owner
	require.NoError(t, (&area{fs, "/user/me/.staging", me}).make(t.Context()))
	info, err = fs.Stat(t.Context(), "/user/me/.staging")
	require.NoError(t, err)
	require.Equal(t, uint32(0o700), info.Mode)
	err = (&area{fs, "/user/me/.staging", "somebody else"}).make(t.Context())
	require.True(t, failure.Is(err, failure.Permission), "%v", err)
}
