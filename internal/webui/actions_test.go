package webui

import (
	"context"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job"
)

// fakeRights lets the sender change the job with this number and, if it is an administrator, the
// cluster.
type fakeRights struct {
	seq     int32
	admin   bool
	targets []string
}

func (f fakeRights) MayChange(_ context.Context, id job.ID) bool { return id.Seq == f.seq }
func (f fakeRights) MoveTargets(context.Context) []string        { return f.targets }
func (f fakeRights) MayAdminister(context.Context) bool          { return f.admin }

// TestActions checks that pages offer only changes that the sender may make.
func TestActions(t *testing.T) {
	const running, attempt = "/jobs/job_202611210753_0001", "/attempts/attempt_202611210753_0001_m_00000"
	targets := []string{"default", evil}
	jobs := sample(3)
	jobs.jobs[0].Attempts[1].FinishMs = 0
	everything := map[string]string{"/": "drain undrain", "/scheduler": "switch", running: "priority deadline move kill",
		running + "/attempts": "priority deadline move kill", attempt + "1_0": "kill fail", attempt + "0_0": "",
		"/jobs/job_202611210753_0002": "", "/jobs": ""}
	for name, c := range map[string]struct {
		rights Rights
		only   string // only addresses with this part have actions
	}{
		"reader": {nil, "nothing"}, "owner": {fakeRights{seq: 1, targets: targets}, "_0001"},
		"owner of an ended job": {fakeRights{seq: 2, targets: targets}, "nothing"},
		"administrator":         {fakeRights{1, true, targets}, "/"},
	} {
		h := JobTracker(jobs, Parts{Rights: c.rights, Schedulers: []string{"fifo", evil}})
		for path, want := range everything {
			if !strings.Contains(path, c.only) {
				want = ""
			}
			code, body, _ := get(t, h, path)
			require.Equal(t, http.StatusOK, code)
			var got []string
			for _, part := range strings.Split(body, `<dialog id="act-`)[1:] {
				key, _, _ := strings.Cut(part, `"`)
				require.Contains(t, body, `data-act="`+key+`"`, "%s: the dialog has no button", path)
				got = append(got, key)
			}
			require.Equal(t, want, strings.Join(got, " "), "%s %s", name, path)
			require.Equal(t, want != "", strings.Contains(body, "data-act="), "%s %s", name, path)
			require.Equal(t, want != "", strings.Contains(body, "/static/actions.js"), "%s %s", name, path)
			require.NotContains(t, body, "<script>alert")
		}
	}
	h := JobTracker(jobs, Parts{Rights: fakeRights{1, true, nil}})
	for ms, want := range map[int64]string{0: "none", 5_250: time.UnixMilli(5_250).Format(time.RFC3339Nano)} {
		jobs.jobs[0].DeadlineMs = ms
		_, body, _ := get(t, h, running)
		require.Contains(t, html.UnescapeString(body), `<input name="deadline" value="`+want+`"`)
	}
	_, body, _ := get(t, h, "/scheduler")
	require.NotContains(t, body, "data-act=", "there is no scheduler to choose from")
	_, body, _ = get(t, JobTracker(jobs, Parts{Rights: fakeRights{seq: 1}}), running)
	require.NotContains(t, body, "act-move", "there is no queue to choose from")
}
