package lab

import (
	"strings"

	urfave "github.com/urfave/cli/v2"
)

// needless returns an error if one of the named options is set, because it would have no effect.
// The text in when completes the message "--x has no effect".
func needless(c *urfave.Context, when string, names ...string) error {
	for _, n := range names {
		if c.IsSet(n) {
			return usageError("--%s has no effect %s", n, when)
		}
	}
	return nil
}

// swimOptions are the options that determine how SWIM tables become tasks.
var swimOptions = []string{"map-rate", "shuffle-rate", "reduce-rate", "overhead", "spread", "block-size",
	"bytes-per-reduce", "map-only"}

const notSwim = "on a trace that is not a SWIM table, because the trace has times"

// needlessForKind returns an error if an option is set that does not apply to the given kind of
// workload.
func needlessForKind(c *urfave.Context, kind string) error {
	var none []string
	for _, x := range []struct {
		kind  string
		names []string
	}{
		{"facebook", []string{"variance"}}, {"custom", []string{"maps", "reduces", "shuffle-time"}},
		{"custom facebook", []string{"map-time", "reduce-time"}},
	} {
		if !strings.Contains(" "+x.kind+" ", " "+kind+" ") {
			none = append(none, x.names...)
		}
	}
	if err := needless(c, "for "+kind, none...); err != nil {
		return err
	}
	if kind == "testbed" || kind == "facebook" || kind == "custom" {
		if err := needless(c, "for "+kind+", only for a TRACE",
			append([]string{"drop-idle"}, swimOptions...)...); err != nil {
			return err
		}
	}
	if kind != "custom" && !c.IsSet("deadline-factor") {
		return needless(c, "without --deadline-factor", "deadline-slots")
	}
	return nil
}

// needlessForArrivals returns an error if an option is set that does not apply to the selected kind
// of arrivals.
func needlessForArrivals(c *urfave.Context) error {
	kind := c.String("arrivals")
	if kind != "bursty" {
		if err := needless(c, "without --arrivals=bursty", "burstiness"); err != nil {
			return err
		}
	}
	if kind != "shaped" {
		if err := needless(c, "without --arrivals=shaped", "shape"); err != nil {
			return err
		}
	}
	if kind == "" || kind == "exponential" || kind == "bursty" || kind == "shaped" {
		return nil
	}
	return needless(c, "with a distribution of gaps, which has its own mean", "mean-gap")
}

func checkWorkers(c *urfave.Context) error {
	if n := c.Int("workers"); n < 1 || n > 10_000 {
		return usageError("--workers=%d: want 1 to 10000 concurrent simulations", n)
	}
	return nil
}
