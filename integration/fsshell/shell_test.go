//go:build integration

package fsshell

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs"
	"github.com/howdah/howdah/dfs/schemes"
	"github.com/howdah/howdah/integration/apachehadoop"
	"github.com/howdah/howdah/internal/cli/dfsadmin"
	"github.com/howdah/howdah/internal/cli/fs"
)

// sides holds the two shells, which use the same HDFS.
type sides struct {
	ctx         context.Context
	t           *testing.T
	dir         string
	cluster     *apachehadoop.Cluster
	hadoop      *apachehadoop.JVM
	ours        dfs.Resolver
	settings    fs.Settings
	commands    int
	differences int
}

// result is the result of a command. Its texts are independent of the side, so that equal results
// have equal texts.
type result struct {
	out, err string
	code     int
}

// lines returns the result as lines that can be compared.
func (r result) lines() []string {
	out := []string{fmt.Sprintf("code %d", r.code)}
	for l := range strings.Lines(r.out) {
		out = append(out, "stdout: "+l)
	}
	for l := range strings.Lines(r.err) {
		out = append(out, "stderr: "+l)
	}
	return out
}

// hadoopSide and ourSide name the sides' directories on HDFS and on this machine. The names have
// the same length, so that columns have the same width.
const hadoopSide, ourSide = "side-a", "side-b"

// command runs one line on both sides. The line is a shell command or, after "@ ", a command of
// `hdfs dfsadmin`. In the line, $D is the side's directory on HDFS, $L its local directory, and $URI
// the URI of HDFS. The word after " <<< " is the standard input.
func (s *sides) command(line string) (hadoop, ours result) {
	line, stdin, piped := strings.Cut(line, " <<< ")
	if piped {
		stdin = words(stdin)[0] + "\n"
	}
	class := apachehadoop.Shell
	line, administers := strings.CutPrefix(line, "@ ")
	if administers {
		class = apachehadoop.Admin
	}
	r, err := s.hadoop.Run([]byte(stdin), class, s.words(line, hadoopSide)...)
	require.NoError(s.t, err)
	var stdout, stderr bytes.Buffer
	var code int
	if administers {
		code = dfsadmin.Run(s.ctx, s.ours, s.words(line, ourSide), &stdout, &stderr)
	} else {
		code = fs.Run(s.ctx, s.ours, s.settings, s.words(line, ourSide), strings.NewReader(stdin), &stdout, &stderr)
	}
	return s.neutral(hadoopSide, result{string(r.Out), string(r.Err), r.Code & 0xff}),
		s.neutral(ourSide, result{stdout.String(), stderr.String(), code})
}

func (s *sides) words(line, side string) []string {
	out := words(line)
	for i, w := range out {
		out[i] = strings.NewReplacer("$D", "/"+side, "$L", filepath.Join(s.dir, side), "$URI", s.cluster.URI()).Replace(w)
	}
	return out
}

// words splits a line at spaces outside single quotes.
func words(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?:[^\s']|'[^']*')+`).FindAllString(line, -1) {
		out = append(out, strings.ReplaceAll(m, "'", ""))
	}
	return out
}

var (
	moment = regexp.MustCompile(`\b20[2-9]\d-\d\d-\d\d \d\d:\d\d(:\d\d)?|\b1[6-9]\d{11}\b`)
	// amount matches the sizes, percentages, and dates in the output of -report.
	amount = regexp.MustCompile(`\b\d+ \([\d.]+ [KMGTP]?B\)|\b[\d.]+%|\b[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d .*`)
	// moved matches a message that Hadoop prints to its log.
	moved = regexp.MustCompile(`(?m)^Moved: '.*\n`)
	// space matches the output of df, which changes when other processes write to the disk.
	space = regexp.MustCompile(`(?m)^(Filesystem|\$URI) +\S+ +\S.*$`)
)

func (s *sides) neutral(side string, r result) result {
	clean := func(text string) string {
		text = strings.ReplaceAll(text, filepath.Join(s.dir, side), "$L")
		text = strings.ReplaceAll(text, "/"+side, "$D")
		text = strings.ReplaceAll(text, side, "$N")
		text = strings.ReplaceAll(text, s.cluster.URI(), "$URI")
		text = moved.ReplaceAllString(text, "")
		text = amount.ReplaceAllString(text, "SIZE")
		return space.ReplaceAllString(moment.ReplaceAllString(text, "TIME"), "$1 SPACE")
	}
	r.out, r.err = clean(r.out), clean(r.err)
	return r
}

// same runs one line on both sides and reports a difference. If the line starts with "~ ", the sides'
// messages may differ, but both sides or neither must print a message.
func (s *sides) same(line string) {
	line, better := strings.CutPrefix(line, "~ ")
	hadoop, ours := s.command(line)
	s.commands++
	if strings.HasPrefix(line, "-getfattr -d") { // Java prints these lines in hash table order
		hadoop.out, ours.out = sorted(hadoop.out), sorted(ours.out)
	}
	if strings.HasPrefix(line, "-put") { // Java lists a local directory in the file system's order
		hadoop.err, ours.err = sorted(hadoop.err), sorted(ours.err)
	}
	if better {
		require.Equal(s.t, hadoop.err == "", ours.err == "", "%s\n%v\n%v", line, hadoop, ours)
		hadoop.err, ours.err = "", ""
	}
	if hadoop != ours {
		s.differences++
		s.t.Errorf("$ %s\n%s", line, cmp.Diff(hadoop.lines(), ours.lines()))
	}
}

func sorted(text string) string {
	return strings.Join(slices.Sorted(strings.Lines(text)), "")
}

func start(t *testing.T, o apachehadoop.Options) *sides {
	for _, err := range []error{apachehadoop.Available(), apachehadoop.CompilerAvailable()} {
		if err != nil {
			t.Skip(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	t.Cleanup(cancel)
	t.Setenv("TZ", "UTC")
	s := &sides{ctx: ctx, t: t, dir: t.TempDir()}
	var err error
	s.cluster, err = apachehadoop.Start(ctx, filepath.Join(s.dir, "cluster"), o)
	require.NoError(t, err)
	t.Cleanup(s.cluster.Stop)
	s.hadoop, err = s.cluster.JVM(ctx, "shell")
	require.NoError(t, err)
	t.Cleanup(s.hadoop.Close)
	cfg, err := conf.GenericOptions{ConfigDir: s.cluster.ConfDir()}.Load()
	require.NoError(t, err)
	cfg.Set(conf.HDFSSafeModeTimeout.Name, "0", "as the command does")
	set, err := schemes.Resolver(cfg, nil)
	require.NoError(t, err)
	t.Cleanup(func() { set.Close() })
	s.ours = set
	s.settings, err = fs.FromConf(cfg)
	require.NoError(t, err)
	for _, side := range []string{hadoopSide, ourSide} {
		s.localFiles(filepath.Join(s.dir, side))
	}
	return s
}

// localFiles creates the local files for commands such as -put.
func (s *sides) localFiles(dir string) {
	require.NoError(s.t, os.MkdirAll(filepath.Join(dir, "tree/sub/empty"), 0o755))
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprintln(z, "unpacked")
	require.NoError(s.t, z.Close())
	for name, text := range map[string]string{"a": "first\n", "b": "second file\n", "none": "",
		"long":   strings.Repeat("0123456789abcde\n", 10000),
		"tree/x": "x\n", "tree/y.gz": zipped.String(), "tree/sub/z": "zzz\n", "with blank": "b\n"} {
		file := filepath.Join(dir, name)
		require.NoError(s.t, os.WriteFile(file, []byte(text), 0o644))
		when := time.Date(2009, 2, 13, 23, 31, 30, 0, time.UTC)
		require.NoError(s.t, os.Chtimes(file, when, when))
	}
}

var (
	seed     = flag.Uint64("seed", 9689966766189480448, "seed of the random commands; 0 = a new one each time")
	commands = flag.Int("commands", 150, "number of random commands")
)

// `howdah fs` prints the same output and messages as `hadoop fs` and exits with the same codes.
func TestSameAsHadoop(t *testing.T) {
	s := start(t, apachehadoop.Options{})
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { s.file(t, file) })
	}
	t.Run("distcp", s.distcp)
	t.Run("readme", s.readme)
	t.Run("interrupted", s.interrupted)
	t.Run("random", s.random)
	t.Logf("%d commands, %d differences", s.commands, s.differences)
}

// file runs the commands in a file. Each side starts with an empty directory.
func (s *sides) file(t *testing.T, name string) {
	s.clean(t)
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			s.same(line)
		}
	}
}

// clean replaces the directories of both sides on HDFS with empty ones.
func (s *sides) clean(t *testing.T) {
	s.t = t
	s.same("-rm -r -f -skipTrash $D")
	s.same("-mkdir $D")
}

// random runs random commands and periodically compares listings of all files.
func (s *sides) random(t *testing.T) {
	n := *seed
	if n == 0 {
		n = rand.Uint64()
	}
	replay := fmt.Sprintf("go test -tags integration ./integration/fsshell -run TestSameAsHadoop/random -seed %d "+
		"-commands %d", n, *commands)
	t.Log(replay)
	s.clean(t)
	g := generator{rand.New(rand.NewPCG(n, 0))}
	for i := range *commands {
		line := g.command()
		t.Log("$ ", line)
		s.same(line)
		if i%20 == 19 {
			s.same("-ls -R $D")
			s.same("-find $D")
		}
		if i%200 == 199 {
			s.clean(t)
		}
		if s.differences > 20 || s.ctx.Err() != nil {
			t.Fatal("too many differences")
		}
	}
}
