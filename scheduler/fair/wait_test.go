package fair

import (
	"fmt"
	"testing"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/scheduler/policytest"
)

// BenchmarkWaitForData measures a heartbeat while a thousand jobs wait for slots near their data.
func BenchmarkWaitForData(b *testing.B) {
	p := build(b, "", conf.FairSchedulerLocalityDelay.Name, "86400000")
	h := policytest.NewHand(b, p)
	for i := range 1000 {
		s := policytest.Job(fmt.Sprint("u", i%20), 10, 0)
		for k := range s.Splits {
			s.Splits[k].Hosts = []string{fmt.Sprint("far", i%50, k)}
		}
		h.Submit(s)
	}
	x := h.Join("x", "here", "/r", 4, 0)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		p.Assign(h, x, h)
	}
}
