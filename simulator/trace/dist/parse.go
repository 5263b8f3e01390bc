package dist

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/howdah/howdah/internal/suggest"
	"github.com/howdah/howdah/job/failure"
)

// law describes the notation of one distribution.
type law struct {
	name string
	args string // one letter per argument: p for positive, n for nonnegative, a for any
	make func(a []float64) Dist
}

var laws = []law{
	{"constant", "n", func(a []float64) Dist { return Constant(a[0]) }},
	{"uniform", "nn", func(a []float64) Dist { return Uniform{a[0], a[1]} }},
	{"exponential", "p", func(a []float64) Dist { return Exponential(a[0]) }},
	{"lognormal", "an", func(a []float64) Dist { return LogNormal{a[0], a[1]} }},
	{"normal", "nn", func(a []float64) Dist { return Normal{a[0], a[1]} }},
	{"weibull", "pp", func(a []float64) Dist { return Weibull{a[0], a[1]} }},
	{"gamma", "pp", func(a []float64) Dist { return Gamma{a[0], a[1]} }},
}

// Parse parses a distribution: constant(c), uniform(low,high), exponential(mean),
// lognormal(mu,sigma), normal(mean,sd), weibull(shape,scale), gamma(shape,scale), or a plain
// number, which means constant. Errors are of kind Usage.
func Parse(s string) (Dist, error) {
	text := strings.ReplaceAll(strings.TrimSpace(s), " ", "")
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return build(s, &laws[0], []float64{x})
	}
	name, rest, ok := strings.Cut(text, "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return nil, bad(s, errors.New("want NAME(NUMBER,...)"))
	}
	l := find(strings.ToLower(name))
	if l == nil {
		err := bad(s, fmt.Errorf("distribution %s does not exist", name))
		if near := suggest.Nearest(strings.ToLower(name), names()); near != "" {
			return nil, err.Fix("did you mean " + near + "?")
		}
		return nil, err.Fix("the distributions are: " + strings.Join(names(), " "))
	}
	var args []float64
	for _, word := range strings.Split(strings.TrimSuffix(rest, ")"), ",") {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, bad(s, fmt.Errorf("%q is not a number", word))
		}
		args = append(args, x)
	}
	return build(s, l, args)
}

func build(s string, l *law, args []float64) (Dist, error) {
	if len(args) != len(l.args) {
		return nil, bad(s, fmt.Errorf("%s has %d parameters, not %d", l.name, len(l.args), len(args)))
	}
	for i, x := range args {
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return nil, bad(s, fmt.Errorf("parameter %d is not a finite number", i+1))
		case l.args[i] == 'p' && x <= 0:
			return nil, bad(s, fmt.Errorf("parameter %d must be greater than 0", i+1))
		case l.args[i] == 'n' && x < 0:
			return nil, bad(s, fmt.Errorf("parameter %d must not be negative", i+1))
		}
	}
	if l.name == "uniform" && args[0] > args[1] {
		return nil, bad(s, errors.New("the lower bound is greater than the upper bound"))
	}
	return l.make(args), nil
}

func find(name string) *law {
	for i := range laws {
		if laws[i].name == name {
			return &laws[i]
		}
	}
	return nil
}

func names() []string {
	list := make([]string, len(laws))
	for i := range laws {
		list[i] = laws[i].name
	}
	return list
}

func bad(s string, why error) *failure.Error {
	return failure.New(failure.Usage, "read distribution", s, why)
}
