package plural

import "testing"

func TestOf(t *testing.T) {
	for n, want := range map[int]string{0: "0 nodes", 1: "1 node", 2: "2 nodes", -1: "-1 nodes"} {
		if got := Of(n, "node"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
