package faw

import "github.com/howdah/howdah/experiments/lab"

// LeftAlone checks that what a policy does not touch comes within 10% of what it is without one. More is a fault of the policy; less
// is not, but it is not what the paper has either. format takes both.
func LeftAlone(r *lab.Run, text string, got, none float64, format string) {
	if got <= 0.9*none {
		r.Claim(text, false, format, got, none)
		return
	}
	r.Check(text, got < 1.1*none, format, got, none)
}
