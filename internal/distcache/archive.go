package distcache

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/disk"
	"github.com/howdah/howdah/job/failure"
)

// archiveKind is the format of an archive.
type archiveKind uint8

const (
	notArchive archiveKind = iota
	zipArchive
	tarArchive
	tarGzip
)

const archiveNames = ".zip, .jar, .tar, .tar.gz or .tgz"

// kindOf returns the format of an archive from its file name alone, as Hadoop does.
func kindOf(name string) archiveKind {
	name = strings.ToLower(name)
	for _, s := range []struct {
		suffix string
		kind   archiveKind
	}{{".zip", zipArchive}, {".jar", zipArchive}, {".tar", tarArchive}, {".tar.gz", tarGzip}, {".tgz", tarGzip}} {
		if strings.HasSuffix(name, s.suffix) {
			return s.kind
		}
	}
	return notArchive
}

// member is one entry of an archive. After check, its name is a clean relative path without "..".
type member struct {
	name string
	mode fs.FileMode // type bits: regular file, directory, or symbolic link
	link string      // target of a symbolic link, or member to which a hard link refers
	hard bool
	body io.Reader // content of a regular file; valid until the next member
}

// ArchiveLimits limits what unpacking one archive can write to a disk. Without limits, a small
// archive could unpack to a thousand times its size, or to millions of files.
type ArchiveLimits struct {
	Bytes   int64 // of all files together
	Ratio   int64 // unpacked size divided by the archive's size; checked above 64 MiB; 0 means no limit
	Entries int64 // files, directories, and links; 0 means 1,000,000
}

const (
	// freeBytes is the unpacked size in bytes up to which the ratio does not matter. Small files of
	// zeros compress well.
	freeBytes = 64 << 20
	// maxDirectory is the maximum size of the list of entries in a zip file, in bytes. The reader
	// keeps this list in memory.
	maxDirectory = 64 << 20
)

// bytes returns the maximum unpacked size of an archive, in bytes, and the configuration key that
// determines it. archive is the archive's own size.
func (l ArchiveLimits) bytes(archive int64) (most int64, key string) {
	most, key = l.Bytes, conf.TaskTrackerCacheLocalSize.Name
	if l.Ratio > 0 && archive < math.MaxInt64/l.Ratio {
		if byRatio := max(freeBytes, l.Ratio*archive); byRatio < most {
			most, key = byRatio, conf.ArchiveMaximumRatio.Name
		}
	}
	return most, key
}

func (l ArchiveLimits) entries() int64 {
	return cmp.Or(l.Entries, conf.ArchiveMaximumEntries.BuiltIn())
}

// source is an open archive. A tar file is read from start to end, and a zip file at any offset.
type source interface {
	io.Reader
	io.ReaderAt
}

// CheckArchive reads the entries of a local archive. The error is of kind Usage for an unknown
// format or an entry that nodes reject, Limit for too many entries, and Corrupt for a damaged
// archive. Only nodes check the content, its size, and links that lead through other links.
func CheckArchive(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return failure.New(failure.KindOf(err), "read archive", name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return failure.New(failure.KindOf(err), "read archive", name, err)
	}
	return readArchive(name, f, info.Size(), conf.ArchiveMaximumEntries.Max(), func(*member) error { return nil })
}

// readArchive checks the members of an archive in order and passes each one to visit. If there are
// more than entries members, the error is of kind Limit. Errors contain the name of the archive
// and, if known, that of the entry.
func readArchive(name string, r source, size, entries int64, visit func(*member) error) error {
	n := int64(0)
	checked := func(m *member) error {
		if err := m.check(); err != nil {
			return err
		}
		if n++; n > entries {
			return tooMany(m.name, entries)
		}
		return visit(m)
	}
	var err error
	switch kindOf(name) {
	case zipArchive:
		err = readZip(r, size, checked)
	case tarArchive:
		err = readTar(r, checked)
	case tarGzip:
		err = readTarGzip(r, checked)
	default:
		return failure.New(failure.Usage, "unpack", name, errors.New("unknown kind of archive")).
			Fix("use " + archiveNames)
	}
	if err == nil {
		return nil
	}
	kind := failure.KindOf(err)
	if kind == failure.Unknown {
		kind = failure.Corrupt
	}
	return failure.New(kind, "unpack", name, err)
}

func tooMany(entry string, limit int64) error {
	return failure.New(failure.Limit, "entry", fmt.Sprintf("%q", entry),
		fmt.Errorf("there are more than %d entries", limit)).
		Fix("if this number is right, raise " + conf.ArchiveMaximumEntries.Name + " on the nodes")
}

func readTarGzip(r io.Reader, visit func(*member) error) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	return readTar(z, visit)
}

func readTar(r io.Reader, visit func(*member) error) error {
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		m := &member{name: h.Name, link: h.Linkname, body: t}
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeGNUSparse:
		case tar.TypeDir:
			m.mode = fs.ModeDir
		case tar.TypeSymlink:
			m.mode = fs.ModeSymlink
		case tar.TypeLink:
			m.hard = true
		case tar.TypeXGlobalHeader:
			continue
		default:
			return refuse(failure.Usage, h.Name, errors.New("it is not a file, directory or link"))
		}
		if err := visit(m); err != nil {
			return err
		}
	}
}

func readZip(r io.ReaderAt, size int64, visit func(*member) error) error {
	directory := &limitedAt{ReaderAt: r, left: maxDirectory}
	z, err := zip.NewReader(directory, size)
	if directory.left < 0 {
		return failure.New(failure.Limit, "read", "the list of entries",
			fmt.Errorf("it has more than %d bytes", maxDirectory)).Fix("use a tar file, or several archives")
	}
	directory.left = math.MaxInt64
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // check rejects insecure names later
		return err
	}
	for _, f := range z.File {
		if err := readZipFile(f, visit); err != nil {
			return err
		}
	}
	return nil
}

// limitedAt is a reader that fails when the total size of all reads exceeds left bytes.
type limitedAt struct {
	io.ReaderAt
	left int64
}

func (l *limitedAt) ReadAt(p []byte, at int64) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return l.ReaderAt.ReadAt(p, at)
}

// maxTarget is the maximum length of a symbolic link's target, in bytes.
const maxTarget = 4096

func readZipFile(f *zip.File, visit func(*member) error) error {
	m := &member{name: f.Name, mode: f.Mode() & fs.ModeType}
	if strings.HasSuffix(f.Name, "/") {
		m.mode = fs.ModeDir
	}
	body, err := f.Open()
	if err != nil {
		return refuse(failure.Corrupt, f.Name, err)
	}
	defer body.Close()
	switch m.mode {
	case 0:
		m.body = body
	case fs.ModeDir:
	case fs.ModeSymlink:
		target, err := io.ReadAll(io.LimitReader(body, maxTarget+1))
		if err != nil {
			return refuse(failure.Corrupt, f.Name, err)
		}
		if len(target) > maxTarget {
			return refuse(failure.Usage, f.Name, fmt.Errorf("the link's target has more than %d bytes", maxTarget))
		}
		m.link = string(target)
	default:
		return refuse(failure.Usage, f.Name, errors.New("it is not a file, directory or link"))
	}
	return visit(m)
}

func refuse(kind failure.Kind, entry string, err error) error {
	return failure.New(kind, "entry", fmt.Sprintf("%.*q", maxName, entry), err)
}

var errLeaves = errors.New("the path leaves the archive's directory")

// check cleans the member's name. It returns an error if the name or a link leads out of the
// directory.
func (m *member) check() error {
	name, err := inside(m.name)
	if err != nil {
		return refuse(failure.Usage, m.name, err)
	}
	switch {
	case m.hard:
		if m.link, err = inside(m.link); err != nil {
			return refuse(failure.Usage, m.name, fmt.Errorf("link to %q: %w", m.link, err))
		}
	case m.mode == fs.ModeSymlink:
		if path.IsAbs(m.link) || leaves(path.Join(path.Dir(name), m.link)) {
			return refuse(failure.Usage, m.name, fmt.Errorf("link to %q: %w", m.link, errLeaves))
		}
	}
	m.name = name
	return nil
}

// maxName is the maximum length of a member's name, in bytes. No task can open a longer path.
// Without this limit, an archive could create directories of any depth.
const maxName = 4096

func inside(name string) (string, error) {
	if len(name) > maxName {
		return name, fmt.Errorf("the path has more than %d bytes", maxName)
	}
	if path.IsAbs(name) || slices.Contains(strings.Split(name, "/"), "..") || strings.ContainsRune(name, 0) {
		return name, errLeaves
	}
	return path.Clean(name), nil
}

func leaves(name string) bool { return name == ".." || strings.HasPrefix(name, "../") }

// unpack writes the members of an archive to the existing directory dir and returns the size and
// the checksums of the files. If the content exceeds a limit, the error is of kind Limit. After an
// error, the caller must remove dir.
func unpack(ctx context.Context, name string, r source, size int64, dir string, limits ArchiveLimits) (content, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return content{}, failure.New(failure.KindOf(err), "unpack", name, err)
	}
	defer root.Close()
	limit, key := limits.bytes(size)
	u := &unpacker{ctx: ctx, root: root, left: limit, limit: limit, key: key, made: map[string]bool{},
		sums: map[string]disk.Sum{}, entries: limits.entries()}
	if err := readArchive(name, r, size, u.entries, u.add); err != nil {
		return content{}, err
	}
	if err := u.checkLinks(); err != nil {
		return content{}, failure.New(failure.KindOf(err), "unpack", name, err)
	}
	return content{limit - u.left, u.sums}, nil
}

// unpacker writes members below a root directory. os.Root confines it to that directory, even if
// the archive contains links.
type unpacker struct {
	ctx         context.Context
	root        *os.Root
	left, limit int64
	key         string          // configuration key of the limit
	links       []string        // names of symbolic links
	made        map[string]bool // directories
	sums        map[string]disk.Sum
	entries     int64 // maximum number of directories, including those that the archive does not list
}

func (u *unpacker) add(m *member) error {
	if err := u.ctx.Err(); err != nil {
		return failure.New(failure.Killed, "entry", m.name, err)
	}
	if err := u.write(m); err != nil {
		kind := failure.KindOf(err)
		if kind == failure.Unknown {
			kind = failure.Corrupt
		}
		return refuse(kind, m.name, err)
	}
	return nil
}

func (u *unpacker) write(m *member) error {
	if m.mode == fs.ModeDir {
		return u.mkdir(m.name)
	}
	if err := u.mkdir(path.Dir(m.name)); err != nil {
		return err
	}
	delete(u.sums, m.name)
	if err := u.root.Remove(m.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // the last of several entries with the same name wins, unless it would replace a nonempty directory
	}
	switch {
	case m.hard:
		if sum, ok := u.sums[m.link]; ok {
			u.sums[m.name] = sum
		}
		u.links = append(u.links, m.name) // the member can be a symbolic link, which then starts elsewhere
		return u.root.Link(m.link, m.name)
	case m.mode == fs.ModeSymlink:
		u.links = append(u.links, m.name)
		return u.root.Symlink(m.link, m.name)
	}
	return u.file(m)
}

// mkdir creates a directory with its parents.
func (u *unpacker) mkdir(name string) error {
	for dir := name; dir != "." && !u.made[dir]; dir = path.Dir(dir) {
		u.made[dir] = true
	}
	if int64(len(u.made)) > u.entries {
		return tooMany(name, u.entries)
	}
	return u.root.MkdirAll(name, 0o755)
}

func (u *unpacker) file(m *member) error {
	f, err := u.root.OpenFile(m.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := disk.NewSummer()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(reader{u.ctx, m.body}, u.left+1))
	err = errors.Join(err, f.Chmod(fileMode), f.Close())
	u.sums[m.name] = sum.Sum()
	if u.left -= n; u.left < 0 && err == nil {
		return failure.New(failure.Limit, "unpack", "", fmt.Errorf("the archive's content has more than %d "+
			"bytes", u.limit)).
			Fix("if this size is right, raise " + u.key + " on the nodes")
	}
	return err
}

// checkLinks returns an error if a link leads out of the directory through other links.
func (u *unpacker) checkLinks() error {
	for _, name := range u.links {
		if err := u.ctx.Err(); err != nil {
			return failure.New(failure.Killed, "entry", name, err)
		}
		if _, err := u.root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return refuse(failure.Usage, name, errors.Join(errLeaves, err))
		}
	}
	return nil
}

// reader is an io.Reader that returns an error after its context is done.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, failure.New(failure.Killed, "read", "", err)
	}
	return r.r.Read(p)
}
