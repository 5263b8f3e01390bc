package webui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/internal/trend"
)

// TestTrackerPageShowsShares checks that the page has charts of what attempts used, had, and needed, of a
// limited number of attempts.
func TestTrackerPageShowsShares(t *testing.T) {
	shares := trend.Record{Times: []int64{0, 20_000, 40_000, 60_000}, Series: []trend.Series{{Name: "CPU",
		Values: []trend.Value{{Used: 500, Limit: 1000}, {Need: 1000}, {}, {Used: 1000, Limit: 1000, Need: 2000}}}}}
	node := Tracker{Attempts: []TrackerAttempt{{ID: "unmeasured"}, {ID: "attempt_x", Shares: shares}}}
	h := TaskTracker(func() (Tracker, error) { return node, nil })
	_, body, _ := get(t, h, "/")
	require.Contains(t, body, "CPU: 1000 of 1000, needs 2000</text>")
	require.Contains(t, body, `<path class="need" d="M333.3 55H666.7M1000 36H1000"/>`)
	require.Equal(t, 1, strings.Count(body, `aria-label="amounts over time"`))
	for range 30 {
		node.Attempts = append(node.Attempts, TrackerAttempt{ID: "attempt_y", Shares: shares})
	}
	_, body, _ = get(t, h, "/")
	require.Equal(t, 20, strings.Count(body, `aria-label="amounts over time"`))
	require.Contains(t, body, "the charts of 11 more attempts are left out")
}

// TestTrackerPageLinksAttempts checks that attempts have links only if the JobTracker's pages are known.
func TestTrackerPageLinksAttempts(t *testing.T) {
	node := Tracker{Attempts: []TrackerAttempt{{ID: "attempt_x"}}}
	h := TaskTracker(func() (Tracker, error) { return node, nil })
	_, body, _ := get(t, h, "/")
	require.Contains(t, body, `<td class="id">attempt_x</td>`)
	require.NotContains(t, body, "/visit")
	node.Web = "jt:50030"
	_, body, _ = get(t, h, "/")
	require.Contains(t, body, `<td class="id">`+
		`<a href="/visit?to=%2F%2Fjt%3A50030%2Fattempts%2Fattempt_x">attempt_x</a></td>`)
}
