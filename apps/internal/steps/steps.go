// Package steps runs the jobs of an application one after another, with hidden intermediate
// outputs. Begin returns a Steps.
package steps

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/howdah/howdah/apps/internal/dir"
	"github.com/howdah/howdah/mapreduce"
)

// Steps is one run of an application. The intermediate outputs are in hidden directories next to
// the output directory.
type Steps struct {
	r    mapreduce.Runner
	name string
	out  string
	last int
}

// Begin starts a run that will create the out directory, which must not exist. The caller must call
// End.
func Begin(ctx context.Context, r mapreduce.Runner, name, out string) (*Steps, error) {
	out = strings.TrimRight(out, "/")
	if err := dir.Refuse(ctx, r.FS(), out); err != nil {
		return nil, err
	}
	return &Steps{r: r, name: name, out: out}, nil
}

func (s *Steps) between(n int) string {
	parent, base := path.Split(s.out)
	return parent + "_" + s.name + "-" + strconv.Itoa(n) + "." + base
}

// Middle runs a job that writes an intermediate output, and returns a path pattern that matches the
// job's part files. The settings in set override the user's settings.
func (s *Steps) Middle(ctx context.Context, j *mapreduce.Job, in string,
	set map[string]string) (string, *mapreduce.Result, error) {
	s.last++
	at := s.between(s.last)
	if err := dir.Delete(ctx, s.r.FS(), at); err != nil { // left behind by a killed run
		return "", nil, err
	}
	res, err := s.run(ctx, j, in, at, set)
	return at + "/part-*", res, err
}

// Final runs the job that writes the output of the application. The settings in set override the
// user's settings.
func (s *Steps) Final(ctx context.Context, j *mapreduce.Job, in string,
	set map[string]string) (*mapreduce.Result, error) {
	return s.run(ctx, j, in, s.out, set)
}

func (s *Steps) run(ctx context.Context, j *mapreduce.Job, in, out string,
	set map[string]string) (*mapreduce.Result, error) {
	c := s.r.Conf().Clone()
	mapreduce.SetInputPaths(c, in)
	for k, v := range j.Conf { // settings that the job needs, so users cannot change them
		c.Set(k, v, s.name)
	}
	for k, v := range set {
		c.Set(k, v, s.name)
	}
	mapreduce.SetOutputPath(c, out)
	return s.r.Run(ctx, j, c)
}

// End removes the intermediate outputs.
func (s *Steps) End() {
	for n := 1; n <= s.last; n++ {
		_ = dir.Delete(context.Background(), s.r.FS(), s.between(n))
	}
}
