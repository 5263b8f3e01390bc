package master

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc/rpctest"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/internal/transport/tokens"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/provision/node"
)

// manyJobs returns a JobTracker with more than askedJobs running jobs. Each job has done three tasks
// and written ten bytes.
func manyJobs() *fakeJobTracker {
	f := &fakeJobTracker{}
	counters := &job.Counters{}
	counters.Builtin[job.OutputBytesWritten], counters.Builtin[job.MillisMaps] = 10, 500
	for i := range 2*askedJobs + 20 {
		f.jobs = append(f.jobs, &status.Job{ID: job.ID{Cluster: "1", Seq: int32(i + 1)}, SubmitMs: 1, Counters: counters,
			Maps: status.Tasks{Total: 8, Done: 2}, Reduces: status.Tasks{Done: 1}})
	}
	return f
}

// TestManyRunningJobs checks the figures when more than askedJobs jobs run. Task numbers are
// current immediately, and counters after a few looks.
func TestManyRunningJobs(t *testing.T) {
	f := manyJobs()
	addr := serveFake(t, f)
	tr := tracker{conf: conf.New()}
	defer tr.close()
	n := int64(len(f.jobs))
	for look := 1; look <= 3; look++ {
		c, err := tr.look(t.Context(), addr)
		require.NoError(t, err)
		require.Len(t, c.jobs, int(n))
		require.Equal(t, 3*n, c.tasks)
		require.Equal(t, 10*min(n, int64(look*askedJobs)), c.written)
	}
	for _, j := range f.jobs {
		require.Positive(t, slowdown(j, tr.jobs[j.ID], [2]float64{1, 1}, 1000), j.ID)
	}
	require.Zero(t, slowdown(f.jobs[0], &jobBook{}, [2]float64{1, 1}, 1000), "of which nothing is known yet")
}

// TestForgottenJobs checks that the master requests the counters of a finished job only once. It
// also checks that the job's figures still count after the JobTracker has forgotten the job.
func TestForgottenJobs(t *testing.T) {
	f := manyJobs()
	addr := serveFake(t, f)
	f.jobs = f.jobs[:3]
	f.jobs[0].FinishMs = 5
	tr := tracker{conf: conf.New()}
	defer tr.close()
	for range 3 {
		c, err := tr.look(t.Context(), addr)
		require.NoError(t, err)
		require.Len(t, c.jobs, 2)
		require.EqualValues(t, 9, c.tasks)
	}
	require.EqualValues(t, 1, tr.jobs[f.jobs[0].ID].counted)
	f.change(func() { f.jobs = f.jobs[1:] })
	for range 2 {
		c, err := tr.look(t.Context(), addr)
		require.NoError(t, err)
		require.EqualValues(t, 9, c.tasks)
		require.EqualValues(t, 30, c.written)
		require.Len(t, c.books, 2, "what is remembered is bounded by what the JobTracker tells")
	}
}

// TestRevocationsReachTheJobTracker checks that the JobTracker learns each revoked token once.
func TestRevocationsReachTheJobTracker(t *testing.T) {
	ledger, err := auth.OpenLedger(filepath.Join(t.TempDir(), "tokens"), auth.NewSecret())
	require.NoError(t, err)
	addr := rpctest.Serve(t, func(s grpc.ServiceRegistrar) {
		transport.Register(s, &fakeJobTracker{})
		tokens.Register(s, ledger, nil)
	})
	m := New(Config{Conf: conf.New(), Every: 10 * time.Millisecond})
	defer m.Stop()
	token := auth.Claims{ID: "0123456789abcdef", Expires: time.Now().Add(time.Hour).Unix()}
	m.Revoke([]auth.Claims{token})
	m.Follow(mrcluster.Desired{Cluster: "c", Deployment: 1, Master: true, Spec: &mrcluster.Spec{Name: "c", Core: 1}},
		node.Endpoints{JobTracker: addr})
	eventually(t, "the revocation", func() bool { return ledger.Revoked(token.ID) })
}
