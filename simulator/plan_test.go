package simulator_test

import (
	"math/rand/v2"
	"testing"

	"github.com/howdah/howdah/simulator"
)

func randomPlan(t *testing.T, r *rand.Rand, c simulator.Config) *simulator.Plan { return nil }
