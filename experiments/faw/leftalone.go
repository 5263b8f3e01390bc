package faw

import "github.com/howdah/howdah/experiments/lab"

// LeftAlone checks that got, a value that a policy should not affect, is within 10% of none, the
// value without a policy. A higher value is a fault of the policy, so the relation fails. A lower
// value is merely different from the paper, so LeftAlone records it as not reproduced. format is
// the format of both values.
func LeftAlone(r *lab.Run, text string, got, none float64, format string) {
	if got <= 0.9*none {
		r.Claim(text, false, format, got, none)
		return
	}
	r.Check(text, got < 1.1*none, format, got, none)
}
