package drf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

// The keys.
const (
	// GroupKey: among whom the cluster is shared: user (the paper's), queue or job.
	GroupKey = "howdah.drf.share.by"
	// WeightsKey: weights of users or queues as name=weight, comma-separated; who is not named has 1 (section 4.3).
	WeightsKey = "howdah.drf.weights"
	// HoldKey: whether a tracker is kept free for the one with the smallest share when its task does not fit there yet.
	HoldKey = "howdah.drf.hold"
)

type settings struct {
	group   string
	weights map[string]float64
	hold    bool
}

func read(c *conf.Config) (*settings, error) {
	s := &settings{group: c.Get(GroupKey), weights: map[string]float64{}}
	switch s.group {
	case "user", "queue", "job":
	default:
		return nil, c.Refuse(GroupKey, errors.New("want user, queue or job"))
	}
	for _, pair := range c.Strings(WeightsKey) {
		name, weight, _ := strings.Cut(pair, "=")
		w, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
		name = strings.TrimSpace(name)
		switch _, twice := s.weights[name]; {
		case err != nil || !(w >= 1e-6 && w <= 1e6) || name == "":
			return nil, c.Refuse(WeightsKey, fmt.Errorf("%q: want name=weight with a weight from 0.000001 to 1000000", pair))
		case twice:
			return nil, c.Refuse(WeightsKey, fmt.Errorf("%s is named twice", name))
		}
		s.weights[name] = w
	}
	var err error
	s.hold, err = c.Bool(HoldKey, true)
	return s, err
}

// groupOf names the one whom a job belongs to.
func (s *settings) groupOf(j *job.Spec, seq int32) string {
	switch s.group {
	case "queue":
		return j.Queue
	case "job":
		return fmt.Sprintf("job %06d", seq)
	}
	return j.User
}

func (s *settings) weight(name string) float64 {
	if w, ok := s.weights[name]; ok {
		return w
	}
	return 1
}
