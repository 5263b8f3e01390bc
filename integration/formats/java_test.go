//go:build integration

package formats

import (
	"context"
	_ "embed"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/apachehadoop"
)

//go:embed Formats.java
var source []byte

// hadoop is the Java process that all tests share. Its class path includes the compiled Formats.java.
type hadoop struct {
	*apachehadoop.JVM
	mu sync.Mutex
}

var shared struct {
	sync.Once
	h    *hadoop
	skip error
	err  error
	dir  string
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.h != nil {
		shared.h.Close()
	}
	if shared.dir != "" {
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// start returns the shared Java process. It skips the test if Java, its compiler, or Maven is missing.
func start(t *testing.T) *hadoop {
	shared.Do(func() {
		for _, err := range []error{apachehadoop.Available(), apachehadoop.CompilerAvailable()} {
			if err != nil {
				shared.skip = err
				return
			}
		}
		shared.h, shared.err = startJVM()
	})
	if shared.skip != nil {
		t.Skip(shared.skip)
	}
	require.NoError(t, shared.err)
	return shared.h
}

func startJVM() (*hadoop, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	lib, err := apachehadoop.Jars(ctx)
	if err != nil {
		return nil, err
	}
	if shared.dir, err = os.MkdirTemp("", "formats"); err != nil {
		return nil, err
	}
	j, err := apachehadoop.LocalJVM(ctx, shared.dir)
	if err != nil {
		return nil, err
	}
	// The process also loads classes from this directory.
	classes := filepath.Join(shared.dir, "runner")
	file := filepath.Join(classes, "Formats.java")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "javac", "-nowarn", "-cp", lib+"/*", "-d", classes,
		file).CombinedOutput(); err != nil {
		return nil, &exec.Error{Name: string(out), Err: err}
	}
	return &hadoop{JVM: j}, nil
}

// script is a list of commands for Formats.java.
type script []string

func (s *script) add(words ...string) { *s = append(*s, strings.Join(words, "\t")) }

// run runs all commands of a script. It fails the test if a command fails.
func (h *hadoop) run(t *testing.T, s script) {
	t.Helper()
	for i, answer := range h.try(t, s) {
		require.Equal(t, "ok", answer, s[i])
	}
}

// try runs a script and returns one answer per command.
func (h *hadoop) try(t *testing.T, s script) []string {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	file := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(s, "\n")), 0o644))
	r, err := h.Run(nil, "Formats", file)
	require.NoError(t, err)
	require.Zero(t, r.Code, string(r.Err))
	answers := strings.Split(strings.TrimSpace(string(r.Out)), "\n")
	require.Len(t, answers, len(s), string(r.Err))
	return answers
}

// record is a key and a value in serialized form, with their text and the key's hash code in Java.
type record struct {
	key, value         []byte
	hash               int32
	keyText, valueText string
}

// writeRecords writes the input file for seqwrite and mapwrite.
func writeRecords(t *testing.T, file, keyClass, valueClass string, all []record) {
	t.Helper()
	var b []byte
	for _, s := range []string{keyClass, valueClass} {
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
	}
	for _, r := range all {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(r.key))), r.key...)
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(r.value))), r.value...)
	}
	require.NoError(t, os.WriteFile(file, b, 0o644))
}

// readDump reads the output of seqread or mapread.
func readDump(t *testing.T, file string) (keyClass, valueClass string, all []record) {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	utf := func() string {
		n := int(binary.BigEndian.Uint16(b))
		s := string(b[2 : 2+n])
		b = b[2+n:]
		return s
	}
	part := func() []byte {
		n := int(binary.BigEndian.Uint32(b))
		s := b[4 : 4+n]
		b = b[4+n:]
		return s
	}
	keyClass, valueClass = utf(), utf()
	for len(b) > 0 {
		r := record{key: part(), value: part()}
		r.hash = int32(binary.BigEndian.Uint32(b))
		b = b[4:]
		r.keyText, r.valueText = string(part()), string(part())
		all = append(all, r)
	}
	return keyClass, valueClass, all
}
