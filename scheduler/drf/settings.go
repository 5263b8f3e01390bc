package drf

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/job"
)

type settings struct {
	group   string
	weights map[string]float64
	hold    bool
}

func read(c *conf.Config) (*settings, error) {
	group, err := conf.DRFShareBy.Get(c)
	if err != nil {
		return nil, err
	}
	s := &settings{group: group, weights: map[string]float64{}}
	for _, pair := range conf.DRFWeights.Get(c) {
		name, weight, _ := strings.Cut(pair, "=")
		w, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
		name = strings.TrimSpace(name)
		switch _, twice := s.weights[name]; {
		case err != nil || !(w >= 1e-6 && w <= 1e6) || name == "":
			return nil, c.Refuse(conf.DRFWeights.Name, fmt.Errorf("%q: want name=weight with a weight from 0.000001 to 1000000",
				pair))
		case twice:
			return nil, c.Refuse(conf.DRFWeights.Name, fmt.Errorf("%s occurs twice", name))
		}
		s.weights[name] = w
	}
	s.hold, err = conf.DRFHold.Get(c)
	return s, err
}

// groupOf returns the name of the user, queue, or job to which the job's resources are charged.
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
