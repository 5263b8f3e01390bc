//go:build integration

package integration

import (
	"strings"
	"testing"
	"time"

	"github.com/howdah/howdah/integration/minicluster"
)

// nothingLeft fails the test if a cluster's jobs leave files or processes behind after all of them
// have ended.
func nothingLeft(t testing.TB, c *minicluster.Cluster, outs ...string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		left := c.Left(outs...)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left over:\n%s", strings.Join(left, "\n"))
		}
	}
}
