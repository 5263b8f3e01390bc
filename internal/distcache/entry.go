// Package distcache is Hadoop's distributed cache: files and archives that a job wants to find in the working directory of each
// of its tasks. The client stages local ones and writes down what they look like (Plan), a node keeps copies (Store) and links
// them into the directories of attempts (Lease.Link).
package distcache

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
)

// The keys of a job's cache: lists of URIs, and lists beside them with what the client saw when it submitted the job.
const (
	KeyFiles    = "mapreduce.job.cache.files"
	KeyArchives = "mapreduce.job.cache.archives"

	keyFileTimes         = "mapreduce.job.cache.files.timestamps" // milliseconds since the epoch
	keyFileSizes         = "mapreduce.job.cache.files.filesizes"
	keyFileVisibility    = "mapreduce.job.cache.files.visibilities" // true = every user may read it
	keyArchiveTimes      = "mapreduce.job.cache.archives.timestamps"
	keyArchiveSizes      = "mapreduce.job.cache.archives.filesizes"
	keyArchiveVisibility = "mapreduce.job.cache.archives.visibilities"
)

// Entry is one file, directory or archive of a job's cache.
type Entry struct {
	URI     string // without fragment
	Link    string // its name in the working directory: the fragment, or else the last element of the path
	Archive bool   // it is unpacked, and Link is a directory
	ModTime int64  // of the file when the job was submitted, in ms since the epoch; -1 = not known
	Size    int64  // of the file when the job was submitted; -1 = not known
	Public  bool   // every user may read it
}

// Read gives the entries of a job: its files, then its archives. What is listed twice is given once. Names that would leave the
// working directory, two entries of one name and archives of unknown kind are kind Config.
func Read(c *conf.Config) ([]Entry, error) {
	var all []Entry
	for _, l := range lists {
		entries, err := l.read(c)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !slices.ContainsFunc(all, e.same) { // by -files and by a program's own list, say
				all = append(all, e)
			}
		}
	}
	return all, checkLinks(all)
}

// same tells whether another entry puts the same thing at the same place.
func (e *Entry) same(o Entry) bool {
	return e.URI == o.URI && e.Link == o.Link && e.Archive == o.Archive
}

// Has tells whether a configuration in XML may name a cache. Most jobs have none, and looking costs less than parsing.
func Has(xml []byte) bool {
	return strings.Contains(string(xml), keyFileTimes) || strings.Contains(string(xml), keyArchiveTimes)
}

// list is one of the two lists of URIs with what stands beside it.
type list struct {
	uris, times, sizes, visibility string
	archives                       bool
}

var lists = []list{
	{KeyFiles, keyFileTimes, keyFileSizes, keyFileVisibility, false},
	{KeyArchives, keyArchiveTimes, keyArchiveSizes, keyArchiveVisibility, true},
}

func (l list) read(c *conf.Config) ([]Entry, error) {
	uris := c.Strings(l.uris)
	times, err := l.numbers(c, l.times, len(uris))
	if err != nil {
		return nil, err
	}
	sizes, err := l.numbers(c, l.sizes, len(uris))
	if err != nil {
		return nil, err
	}
	public := c.Strings(l.visibility)
	entries := make([]Entry, 0, len(uris))
	for i, uri := range uris {
		e, err := l.entry(c, uri)
		if err != nil {
			return nil, err
		}
		e.ModTime, e.Size = times[i], sizes[i]
		e.Public = len(public) == len(uris) && public[i] == "true"
		entries = append(entries, e)
	}
	return entries, nil
}

// entry reads URI#name.
func (l list) entry(c *conf.Config, uri string) (Entry, error) {
	plain, link, named := strings.Cut(uri, "#")
	if !named || link == "" {
		link = path.Base(plain)
	}
	switch {
	case plain == "":
		return Entry{}, c.Refuse(l.uris, fmt.Errorf("%q names no file", uri))
	case !filepath.IsLocal(link) || link == ".":
		return Entry{}, c.Refuse(l.uris, fmt.Errorf("%q would not be linked inside the working directory", uri)).Fix("give it a relative name: URI#NAME")
	case l.archives && kindOf(plain) == notArchive:
		return Entry{}, c.Refuse(l.uris, fmt.Errorf("%q is no archive that is known here", plain)).Fix("use " + archiveNames + ", or make it a file of the cache")
	}
	return Entry{URI: plain, Link: path.Clean(link), Archive: l.archives}, nil
}

// numbers reads a list beside n URIs; one that is not set is all -1.
func (l list) numbers(c *conf.Config, key string, n int) ([]int64, error) {
	out := make([]int64, n)
	for i := range out {
		out[i] = -1
	}
	text := c.Strings(key)
	if len(text) == 0 {
		return out, nil
	}
	if len(text) != n {
		return nil, c.Refuse(key, fmt.Errorf("%d values for the %d URIs of %s", len(text), n, l.uris)).Fix("leave it to the client to set it")
	}
	for i, s := range text {
		x, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, c.Refuse(key, err).Fix("leave it to the client to set it")
		}
		out[i] = x
	}
	return out, nil
}

// checkLinks refuses entries that would stand in each other's place.
func checkLinks(all []Entry) error {
	taken := make(map[string]string, len(all))
	for _, e := range all {
		if other, ok := taken[e.Link]; ok {
			return failure.New(failure.Config, "cache", e.URI, fmt.Errorf("%s has the name %q as well", other, e.Link)).Fix("give one of them another name: URI#NAME")
		}
		taken[e.Link] = e.URI
	}
	for _, e := range all {
		for dir := path.Dir(e.Link); dir != "."; dir = path.Dir(dir) {
			if other, ok := taken[dir]; ok {
				return failure.New(failure.Config, "cache", e.URI, fmt.Errorf("its name %q lies inside %s", e.Link, other)).Fix("give one of them another name: URI#NAME")
			}
		}
	}
	return nil
}

// changed is the error of a file that is not what the client saw.
func (e *Entry) changed(what string, want, got int64) error {
	return failure.New(failure.Stale, "localise", e.URI, fmt.Errorf("it changed since the job was submitted: %s %d, expected %d", what, got, want)).
		Fix("do not touch files of the cache while jobs use them; submit the job again")
}

var errNotFile = errors.New("it is neither a file nor a directory")
