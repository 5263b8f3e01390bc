package distcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"strings"
	"time"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mapreduce"
)

// counterGroup is the group of Hadoop's counters.
const counterGroup = "org.apache.hadoop.tools.mapred.CopyMapper$Counter"

// copier is a mapper that copies the files in its part of the listing.
type copier struct {
	c                                   *mapreduce.Context
	target                              dfs.FileSystem
	work                                string
	update, overwrite, ignore, unproved bool
	preserve                            string
	buffer                              []byte
	throttle                            throttle

	copied, skipped, failed, bytes, bytesSkipped, bytesFailed *mapreduce.Counter
}

// Setup reads the job's settings and opens the counters.
func (m *copier) Setup(c *mapreduce.Context) (err error) {
	if m.throttle.rate, err = bandwidth(c.Conf); err != nil {
		return err
	}
	m.c, m.buffer = c, make([]byte, m.throttle.piece(1<<20))
	r := conf.Reader{Conf: c.Conf}
	m.update, m.overwrite = conf.DistCpSyncFolders.From(&r), conf.DistCpCopyOverwrite.From(&r)
	m.ignore, m.unproved = conf.DistCpIgnoreFailures.From(&r), conf.DistCpSkipCRC.From(&r)
	if r.Err != nil {
		return r.Err
	}
	m.preserve = conf.DistCpPreserveStatus.Get(c.Conf)
	if m.target, _, err = c.FS.Resolve(conf.DistCpTargetFinalPath.Get(c.Conf)); err != nil {
		return err
	}
	if _, m.work, err = c.FS.Resolve(conf.DistCpTargetWorkPath.Get(c.Conf)); err != nil {
		return err
	}
	for name, counter := range map[string]**mapreduce.Counter{"COPY": &m.copied, "SKIP": &m.skipped, "FAIL": &m.failed,
		"BYTESCOPIED": &m.bytes, "BYTESSKIPPED": &m.bytesSkipped, "BYTESFAILED": &m.bytesFailed} {
		if *counter, err = c.Counter(counterGroup, name); err != nil {
			return err
		}
	}
	return nil
}

// Map copies one file and emits the result. With -i, a failed copy does not fail the attempt.
// Instead, Map counts the failure and emits it as the result.
func (m *copier) Map(_ *mapreduce.Context, _ int64, line string, out *mapreduce.Out[string, string]) error {
	var e entry
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		return failure.New(failure.Corrupt, "read", "the listing of files", err)
	}
	m.c.SetStatus("Copying " + e.Source)
	what, err := m.file(&e)
	switch {
	case err != nil && m.ignore && m.c.Context().Err() == nil:
		m.failed.Add(1)
		m.bytesFailed.Add(e.Size)
		out.Emit("FAIL: "+e.Source, strings.ReplaceAll(err.Error(), "\n", " "))
	case err != nil:
		return err
	default:
		out.Emit(what+": "+e.Source, m.target.URI()+e.Target)
	}
	return out.Err()
}

// file copies the file that e describes and returns "COPY". If the existing target can stay, file
// only sets its attributes and returns "SKIP".
func (m *copier) file(e *entry) (what string, err error) {
	fs, name, err := m.c.FS.Resolve(e.Source)
	if err != nil {
		return "", err
	}
	there, err := m.target.Stat(m.c.Context(), e.Target)
	switch {
	case err == nil && there.Dir:
		return "", failure.New(failure.Exists, "copy", e.Source, fmt.Errorf("the target %s is a directory", e.Target))
	case err == nil:
		stays, err := m.stays(fs, name, e, there)
		if err != nil {
			return "", err
		}
		if stays {
			m.skipped.Add(1)
			m.bytesSkipped.Add(e.Size)
			return "SKIP", m.attributes(e, e.Target)
		}
	case !failure.Is(err, failure.NotFound):
		return "", err
	}
	if err := m.copy(fs, name, e, err == nil); err != nil {
		return "", err
	}
	m.copied.Add(1)
	m.bytes.Add(e.Size)
	return "COPY", nil
}

// stays reports whether to keep the existing file at the target instead of copying.
func (m *copier) stays(fs dfs.FileSystem, name string, e *entry, there dfs.Info) (bool, error) {
	switch {
	case m.overwrite:
		return false, nil
	case !m.update:
		return true, nil // like Hadoop, which skips existing files
	case there.Size != e.Size:
		return false, nil
	case m.unproved:
		return true, nil
	}
	same, comparable, err := m.sameSums(fs, name, e.Target)
	return same && comparable, err
}

// sameSums compares the file systems' checksums of the source file and of target. The checksums are
// comparable if both file systems have checksums and use the same algorithm.
func (m *copier) sameSums(fs dfs.FileSystem, name, target string) (same, comparable bool, err error) {
	from, ok := dfs.Plain(fs).(dfs.Checksummer)
	to, ok2 := dfs.Plain(m.target).(dfs.Checksummer)
	if !ok || !ok2 {
		return false, false, nil
	}
	a, err := from.Checksum(m.c.Context(), name)
	if err != nil {
		return false, false, err
	}
	b, err := to.Checksum(m.c.Context(), target)
	if err != nil {
		return false, false, err
	}
	return string(a.Bytes) == string(b.Bytes), a.Algorithm == b.Algorithm, nil
}

var (
	errLength = errors.New("the copy and its source have different lengths because the source changed " +
		"during the copy")
	errChecksum = errors.New("the copy and its source have different checksums")
)

// copy writes a copy of the file to a path below the work directory, verifies it, sets its
// attributes, and then moves it to the target.
func (m *copier) copy(fs dfs.FileSystem, name string, e *entry, replace bool) error {
	ctx := m.c.Context()
	temporary := path.Join(m.work, m.c.Task().Attempt.String())
	sum, err := m.fill(fs, name, e, temporary)
	if err == nil {
		err = m.prove(fs, name, e, temporary, sum)
	}
	if err == nil {
		err = m.attributes(e, temporary)
	}
	if err == nil {
		err = m.target.Mkdir(ctx, path.Dir(e.Target))
	}
	if err == nil && replace {
		err = m.target.Delete(ctx, e.Target, false)
	}
	if err == nil {
		err = dfs.RenameOnce(ctx, m.target, temporary, e.Target)
	}
	if err != nil {
		_ = m.target.Delete(ctx, temporary, false)
		return failure.New(failure.KindOf(err), "copy", e.Source, err)
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fill copies the file and returns the CRC-32C of the data. to is the path of the copy.
func (m *copier) fill(fs dfs.FileSystem, name string, e *entry, to string) (uint32, error) {
	ctx := m.c.Context()
	r, err := fs.Open(ctx, name)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	create := dfs.CreateOptions{Overwrite: true}
	if strings.Contains(m.preserve, "r") {
		create.Replication = e.Replication
	}
	if strings.Contains(m.preserve, "b") {
		create.BlockSize = e.BlockSize
	}
	w, err := m.target.Create(ctx, to, create)
	if err != nil {
		return 0, err
	}
	sum := uint32(0)
	for n := int64(0); ; {
		k, err := r.Read(m.buffer)
		sum = crc32.Update(sum, castagnoli, m.buffer[:k])
		if _, werr := w.Write(m.buffer[:k]); werr != nil {
			w.Abort()
			return 0, werr
		}
		n += int64(k)
		m.c.Progress()
		if terr := m.throttle.passed(ctx, k); terr != nil {
			w.Abort()
			return 0, terr
		}
		switch {
		case err == io.EOF && n != e.Size:
			err = errLength
		case err == io.EOF:
			return sum, w.Close()
		case err == nil:
			continue
		}
		w.Abort()
		return 0, err
	}
}

// prove returns an error if the copy differs from its source. It compares the file systems'
// checksums. If these are not comparable, prove reads the copy and compares its length and CRC-32C.
// With -skipcrccheck, prove checks nothing.
func (m *copier) prove(fs dfs.FileSystem, name string, e *entry, copy string, want uint32) error {
	if m.unproved {
		return nil
	}
	same, comparable, err := m.sameSums(fs, name, copy)
	switch {
	case err != nil:
		return err
	case comparable && !same:
		return errChecksum
	case comparable:
		return nil
	}
	r, err := m.target.Open(m.c.Context(), copy)
	if err != nil {
		return err
	}
	defer r.Close()
	got, n := uint32(0), int64(0)
	for {
		k, err := r.Read(m.buffer)
		got, n = crc32.Update(got, castagnoli, m.buffer[:k]), n+int64(k)
		m.c.Progress()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if n != e.Size {
		return errLength
	}
	if got != want {
		return errChecksum
	}
	return nil
}

// attributes sets the attributes that -p preserves on the copy called name.
func (m *copier) attributes(e *entry, name string) error {
	return preserve(m.c.Context(), m.target, e, name, m.preserve)
}

func moment(ms int64) *time.Time {
	t := time.UnixMilli(ms)
	return &t
}
