package distcache

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
)

// These are the configuration keys for the values of -files, -archives, and -libjars. Paths without
// a scheme are local to the client.
const (
	KeyTempFiles    = "tmpfiles"
	KeyTempArchives = "tmparchives"
	KeyTempJars     = "tmpjars"
)

// Upload copies a local file or directory to a place that all nodes can read. It returns the URI of
// the copy.
type Upload func(ctx context.Context, local string) (string, error)

// Plan prepares the cache of a job in its configuration c before submission. It adds the values of
// -files, -archives, and -libjars to the lists of URIs. It first uploads local files. If upload is
// nil, it uploads nothing, and tasks read these files at their local paths. Plan makes every URI
// absolute and records the size, time, and visibility of each file. For a missing file the error is
// of kind NotFound. Plan uploads nothing if a name is malformed.
func Plan(ctx context.Context, fs dfs.Resolver, c *conf.Config, upload Upload) error {
	p := planner{ctx: ctx, fs: fs, conf: c, upload: upload}
	if p.upload == nil {
		p.upload = func(_ context.Context, local string) (string, error) { return "file:" + local, nil }
	}
	local, err := p.temporary()
	if err != nil {
		return err
	}
	if err := p.ship(local); err != nil {
		return err
	}
	for _, l := range lists {
		if err := p.describe(l); err != nil {
			return err
		}
	}
	_, err = Read(c)
	return err
}

type planner struct {
	ctx    context.Context
	fs     dfs.Resolver
	conf   *conf.Config
	upload Upload
}

// localFile is a local file that a job needs.
type localFile struct {
	path, link string
	key        string // key of the list to which the URI of the file is added
}

// temporary reads and clears the keys of -files, -archives, and -libjars. It returns the local files
// and adds all other URIs to the lists.
func (p *planner) temporary() ([]localFile, error) {
	var local []localFile
	for _, x := range []struct{ from, to string }{{KeyTempFiles, conf.JobCacheFiles.Name}, {KeyTempJars,
		conf.JobCacheFiles.Name},
		{KeyTempArchives, conf.JobCacheArchives.Name}} {
		uris := p.conf.Strings(x.from)
		if x.from == KeyTempJars {
			var err error
			if uris, err = expandJars(uris); err != nil {
				return nil, err
			}
		}
		for _, uri := range uris {
			plain, link, _ := strings.Cut(uri, "#")
			name, isLocal := localPath(plain)
			if !isLocal {
				add(p.conf, x.to, uri)
				continue
			}
			f, err := checkLocal(name, x.to == conf.JobCacheArchives.Name, x.from == KeyTempJars)
			if err != nil {
				return nil, err
			}
			f.link, f.key = link, x.to
			if link == "" {
				f.link = filepath.Base(f.path)
			}
			if !slices.Contains(local, f) {
				local = append(local, f)
			}
		}
		p.conf.Set(x.from, "", "client")
	}
	return local, p.wellFormed(local)
}

// wellFormed returns an error if a name is malformed. It is called before any upload.
func (p *planner) wellFormed(local []localFile) error {
	trial := p.conf.Clone()
	for _, l := range lists {
		trial.Set(l.times, "", "client")
		trial.Set(l.sizes, "", "client")
	}
	for _, f := range local {
		add(trial, f.key, "file:"+f.path+"#"+f.link)
	}
	_, err := Read(trial)
	return err
}

func (p *planner) ship(local []localFile) error {
	for _, f := range local {
		uri, err := p.upload(p.ctx, f.path)
		if err != nil {
			return err
		}
		add(p.conf, f.key, uri+"#"+f.link)
	}
	return nil
}

// describe makes the URIs of a list absolute, and adds the properties of their files to the
// configuration.
func (p *planner) describe(l list) error {
	var uris, times, sizes, public []string
	for _, uri := range p.conf.Strings(l.uris) {
		plain, link, named := strings.Cut(uri, "#")
		fs, name, err := p.fs.Resolve(plain)
		if err != nil {
			return err
		}
		info, err := fs.Stat(p.ctx, name)
		if err != nil {
			return failure.New(failure.KindOf(err), "cache", plain, err).Fix("check " + l.uris + ", -files and -archives")
		}
		if l.archives && info.Dir {
			return failure.New(failure.Usage, "cache", plain, fmt.Errorf("it is a directory, not an archive"))
		}
		plain = dfs.Qualify(fs, name)
		if named {
			plain += "#" + link
		}
		uris = append(uris, plain)
		times = append(times, strconv.FormatInt(info.ModTime.UnixMilli(), 10))
		sizes = append(sizes, strconv.FormatInt(info.Size, 10))
		public = append(public, strconv.FormatBool(isPublic(p.ctx, fs, info)))
	}
	if len(uris) == 0 {
		return nil
	}
	for key, values := range map[string][]string{l.uris: uris, l.times: times, l.sizes: sizes, l.visibility: public} {
		p.conf.Set(key, strings.Join(values, ","), "client")
	}
	return nil
}

// isPublic reports whether every user can read a file. The mode bits for others must allow reading
// the file and entering all directories above it.
func isPublic(ctx context.Context, fs dfs.FileSystem, info dfs.Info) bool {
	if !readableByAll(info) {
		return false
	}
	for dir := path.Dir(info.Path); ; dir = path.Dir(dir) {
		up, err := fs.Stat(ctx, dir)
		if err != nil || up.Mode&0o001 == 0 {
			return false
		}
		if dir == "/" {
			return true
		}
	}
}

// readableByAll reports whether the mode bits for others allow reading a file, or listing and
// entering a directory. It returns false for a file with an access control list, because the list
// might deny this.
func readableByAll(info dfs.Info) bool {
	need := uint32(0o004)
	if info.Dir {
		need = 0o005
	}
	return info.Mode&need == need && !info.AccessList
}

// localPath returns the local path that a URI names and reports whether the URI is local.
func localPath(uri string) (string, bool) {
	if rest, ok := strings.CutPrefix(uri, "file:"); ok {
		if after, ok := strings.CutPrefix(rest, "//"); ok {
			rest = after
		}
		return rest, true
	}
	scheme, _, ok := strings.Cut(uri, ":")
	return uri, !ok || strings.Contains(scheme, "/")
}

// expandJars replaces DIR/* with the jars in a local directory, as Hadoop does for -libjars.
func expandJars(uris []string) ([]string, error) {
	var out []string
	for _, uri := range uris {
		dir, all := strings.CutSuffix(uri, "/*")
		name, local := localPath(dir)
		if !all || !local {
			out = append(out, uri)
			continue
		}
		entries, err := os.ReadDir(name)
		if err != nil {
			return nil, failure.New(failure.KindOf(err), "cache", uri, err).Fix("check -libjars")
		}
		for _, e := range entries {
			if strings.EqualFold(filepath.Ext(e.Name()), ".jar") {
				out = append(out, filepath.Join(name, e.Name()))
			}
		}
	}
	return out, nil
}

// checkLocal returns the named local file, with its absolute path. It returns an error if a job
// cannot use the file.
func checkLocal(name string, archive, jar bool) (localFile, error) {
	bad := func(kind failure.Kind, err error) (localFile, error) {
		return localFile{}, failure.New(kind, "cache", name, err).Fix("check -files, -archives and -libjars")
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return bad(failure.KindOf(err), err)
	}
	info, err := os.Stat(abs)
	switch {
	case err != nil:
		return bad(failure.KindOf(err), err)
	case jar && kindOf(abs) != zipArchive:
		return bad(failure.Usage, fmt.Errorf("it is not a jar"))
	case strings.ContainsAny(abs, ",#"):
		return bad(failure.Usage, fmt.Errorf("its name contains ',' or '#', which is not allowed in lists "+
			"of URIs"))
	case !info.Mode().IsRegular() && !info.IsDir():
		return bad(failure.Usage, errNotFile)
	case archive:
		return localFile{path: abs}, CheckArchive(abs)
	}
	return localFile{path: abs}, nil
}

// add appends uri to the list in the configuration key.
func add(c *conf.Config, key, uri string) {
	c.Set(key, strings.Join(append(c.Strings(key), uri), ","), "client")
}
