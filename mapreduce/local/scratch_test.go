package local

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScratchOfTheDeadIsRemoved(t *testing.T) {
	c := newConf(t)
	alive, err := newScratch(c, "job_local1_0001")
	require.NoError(t, err)
	dead, err := newScratch(c, "job_local2_0001")
	require.NoError(t, err)
	require.NoError(t, dead.lock.Close()) // the kernel does the same when a process dies
	mine, err := newScratch(c, "job_local3_0001")
	require.NoError(t, err)
	require.DirExists(t, alive.dir)
	require.NoDirExists(t, dead.dir)
	_, err = newScratch(c, "job_local1_0001")
	require.Error(t, err, "the name is taken")
	alive.remove()
	mine.remove()
	require.NoDirExists(t, mine.dir)
	c.Set("mapreduce.cluster.local.dir", "/dev/null/x,"+filepath.Join(t.TempDir(), "second"), "test")
	s, err := newScratch(c, "job_local4_0001")
	require.NoError(t, err, "the second disk will do")
	s.remove()
	(*scratch)(nil).remove()
}

// Concurrent sweeps do not prevent the creation of a scratch directory.
func TestScratchWhileOthersSweep(t *testing.T) {
	root := t.TempDir()
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					sweep(root)
				}
			}
		})
	}
	for i := range 300 {
		s, err := makeScratch(filepath.Join(root, fmt.Sprint("job_local", i)))
		if !assert.NoError(t, err) {
			break
		}
		assert.FileExists(t, filepath.Join(s.dir, lockName))
		s.remove()
	}
	close(done)
	all.Wait()
}
