package adaptive

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/scheduler"
	"github.com/howdah/howdah/scheduler/policytest"
)

// settings are keys and values.
type settings map[string]string

func (s settings) conf() *conf.Config {
	c := conf.New()
	for k, v := range s {
		c.Set(k, v, "test")
	}
	return c
}

// fresh makes a policy; a file of points may be given under FileKey.
func fresh(t testing.TB, n scheduler.New, s settings) *Policy {
	setup := scheduler.Setup{Conf: s.conf()}
	if points, ok := s[FileKey]; ok {
		setup.Files = []scheduler.File{{Key: FileKey, Path: "capacity.txt", Data: []byte(points)}}
	}
	p, err := n(setup)
	require.NoError(t, err)
	return p.(*Policy)
}

// family names the policies with the settings that matter most.
var family = []struct {
	name string
	new  scheduler.New
	set  settings
}{
	{"adaptive", New, settings{}},
	{"noms10", New, settings{VariantKey: NOMS10}},
	{"reverse", NewReverse, settings{}},
	{"reverse-top", NewReverse, settings{LateKey: LateTop, WholeKey: "false"}},
	{"reverse-hopeless", NewReverse, settings{LateKey: LateOthers, LateWhen: WhenHopeless, LengthKey: LengthProfile}},
	{"minmiss", NewMinMiss, settings{}},
}

// The cycle is as short as the time between the suite's beats. Slots are given away beside the placement, so what fits is
// placed in the first round.
func TestConformance(t *testing.T) {
	for _, f := range family {
		t.Run(f.name, func(t *testing.T) {
			s := settings{CycleKey: "20"}
			for k, v := range f.set {
				s[k] = v
			}
			policytest.Run(t, policytest.Options{New: func() scheduler.Policy { return fresh(t, f.new, s) }, Rounds: 5})
		})
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for key, value := range map[string]string{VariantKey: "noms11", CycleKey: "9", LateKey: "never", LateWhen: "x", LengthKey: "x", UnknownKey: "0",
		WholeKey: "maybe", SurplusKey: "x", SourceKey: "x", LimitKey: "x", BufferKey: "101"} {
		for _, n := range []scheduler.New{New, NewReverse, NewMinMiss} {
			_, err := n(scheduler.Setup{Conf: settings{key: value}.conf()})
			require.True(t, failure.Is(err, failure.Config), "%s=%s: %v", key, value, err)
			require.ErrorContains(t, err, key)
		}
	}
}
