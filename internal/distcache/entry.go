// Package distcache implements Hadoop's distributed cache, the files and archives that a job needs
// in the working directory of each task. On the client, Plan uploads local files and records the
// size and modification time of every file. On a node, a Store keeps copies, and Lease.Link links
// them into the directories of attempts.
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

// Entry is one file, directory, or archive of a job's cache.
type Entry struct {
	URI     string // without fragment
	Link    string // name in the working directory: the fragment of the URI, or the last element of the path
	Archive bool   // the entry is unpacked into the directory Link
	ModTime int64  // modification time at submission, in ms since the epoch; -1 means unknown
	Size    int64  // size of the file at submission, in bytes; -1 means unknown
	Public  bool   // every user can read the file
}

// Read returns the entries of a job without duplicates, files before archives. The error is of kind
// Config for a name that would leave the working directory, for two entries with conflicting names,
// for an unknown archive format, and for malformed lists.
func Read(c *conf.Config) ([]Entry, error) {
	var all []Entry
	for _, l := range lists {
		entries, err := l.read(c)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !slices.ContainsFunc(all, e.same) { // -files and the program can add the same entry
				all = append(all, e)
			}
		}
	}
	return all, checkLinks(all)
}

// same reports whether o and e put the same content under the same name.
func (e *Entry) same(o Entry) bool {
	return e.URI == o.URI && e.Link == o.Link && e.Archive == o.Archive
}

// Has reports whether a job's configuration, in XML, might contain cache entries. It searches for
// the keys of the timestamps, which Plan sets. Most jobs have no cache, and this check is cheaper
// than parsing.
func Has(xml []byte) bool {
	return strings.Contains(string(xml), conf.JobCacheFilesTimestamps.Name) || strings.Contains(string(xml),
		conf.JobCacheArchivesTimestamps.Name)
}

// list contains the configuration key of a list of URIs, and the keys of the parallel lists with
// the properties of these URIs.
type list struct {
	uris, times, sizes, visibility string
	archives                       bool
}

var lists = []list{
	{conf.JobCacheFiles.Name, conf.JobCacheFilesTimestamps.Name, conf.JobCacheFilesFileSizes.Name,
		conf.JobCacheFilesVisibilities.Name, false},
	{conf.JobCacheArchives.Name, conf.JobCacheArchivesTimestamps.Name, conf.JobCacheArchivesFileSizes.Name,
		conf.JobCacheArchivesVisibilities.Name, true},
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

// entry parses URI#name.
func (l list) entry(c *conf.Config, uri string) (Entry, error) {
	plain, link, named := strings.Cut(uri, "#")
	if !named || link == "" {
		link = path.Base(plain)
	}
	switch {
	case plain == "":
		return Entry{}, c.Refuse(l.uris, fmt.Errorf("%q does not name a file", uri))
	case !filepath.IsLocal(link) || link == ".":
		return Entry{}, c.Refuse(l.uris, fmt.Errorf("the link %q is outside the working directory", uri)).
			Fix("set a relative name with URI#NAME")
	case l.archives && kindOf(plain) == notArchive:
		return Entry{}, c.Refuse(l.uris, fmt.Errorf("unknown kind of archive %q", plain)).
			Fix("use " + archiveNames + ", or add it as a file")
	}
	return Entry{URI: plain, Link: path.Clean(link), Archive: l.archives}, nil
}

// numbers reads the list that is parallel to n URIs. If the key has no value, all elements are -1.
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
		return nil, c.Refuse(key, fmt.Errorf("got %d values for the %d URIs of %s", len(text), n, l.uris)).
			Fix("let the client set this key")
	}
	for i, s := range text {
		x, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, c.Refuse(key, err).Fix("let the client set this key")
		}
		out[i] = x
	}
	return out, nil
}

// checkLinks returns an error if two entries have the same name, or if one entry's name is inside
// another entry.
func checkLinks(all []Entry) error {
	taken := make(map[string]string, len(all))
	for _, e := range all {
		if other, ok := taken[e.Link]; ok {
			return failure.New(failure.Config, "cache", e.URI, fmt.Errorf("%s has the same name %q", other, e.Link)).
				Fix("rename one entry with URI#NAME")
		}
		taken[e.Link] = e.URI
	}
	for _, e := range all {
		for dir := path.Dir(e.Link); dir != "."; dir = path.Dir(dir) {
			if other, ok := taken[dir]; ok {
				return failure.New(failure.Config, "cache", e.URI, fmt.Errorf("its name %q is inside %s", e.Link, other)).
					Fix("rename one entry with URI#NAME")
			}
		}
	}
	return nil
}

// changed returns the error for a file that has changed since the job was submitted. what is the
// property that changed from want to got.
func (e *Entry) changed(what string, want, got int64) error {
	return failure.New(failure.Stale, "localize", e.URI,
		fmt.Errorf("it changed after the job was submitted: %s %d, expected %d", what, got, want)).
		Fix("submit the job again, and do not change files of the cache while jobs use them")
}

var errNotFile = errors.New("it is neither a file nor a directory")
