package lab

// Verdict is the result of comparing a measured effect with a registered relation.
type Verdict string

// Verdicts.
const (
	Holds        Verdict = "HOLDS"
	Fails        Verdict = "FAILS"
	ExpectedFail Verdict = "EXPECTED-FAIL" // fails, as registered
	Fixed        Verdict = "FIXED"         // holds, although it was expected to fail
)

// Judge compares an effect with the relation. A quick run has too few repetitions to decide many
// relations. Therefore, if quick is true and only a part of the interval passes the test, the
// verdict is the expected one.
func (x *Relation) Judge(effect Interval, quick bool) Verdict {
	holds := x.passes(effect.Low(), effect.High())
	if quick && !holds && x.mayPass(effect.Low(), effect.High()) {
		holds = x.Expected == ToHold
	}
	switch {
	case holds && x.Expected == ToHold:
		return Holds
	case holds:
		return Fixed
	case x.Expected == ToFail:
		return ExpectedFail
	}
	return Fails
}

// passes reports whether all values from low to high pass the test. NaN passes no test.
func (x *Relation) passes(low, high float64) bool {
	switch x.Test {
	case Above:
		return low > *x.Minimum
	case AtLeast:
		return low >= *x.Minimum
	case Below:
		return high < *x.Maximum
	case AtMost:
		return high <= *x.Maximum
	case Within:
		return low >= *x.Minimum && high <= *x.Maximum
	}
	return false
}

// mayPass reports whether a value from low to high passes the test.
func (x *Relation) mayPass(low, high float64) bool {
	if x.Test == Within {
		return high >= *x.Minimum && low <= *x.Maximum
	}
	return x.passes(high, low)
}

// Ratio returns the effect divided by the paper's value, and whether it exists. If the paper states a
// range, the ratio is 1 within the range and relative to the closer end otherwise.
func (x *Relation) Ratio(effect float64) (float64, bool) {
	if x.Paper == nil {
		return 0, false
	}
	of := x.Paper.Value
	if x.Paper.To != nil {
		of = min(max(effect, of), *x.Paper.To)
	}
	return effect / of, of != 0
}

// Far reports whether the effect is less than half or more than twice the paper's value.
func (o *Outcome) Far() bool { return o.Ratio != nil && (*o.Ratio < 0.5 || *o.Ratio > 2) }
