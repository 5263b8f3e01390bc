package simmr

import (
	"context"
	"errors"

	"github.com/howdah/howdah/experiments/lab"
)

// RealRun is below.
func RealRun(ctx context.Context, r *lab.Run, p Policy) (*Accuracy, error) {
	return nil, errors.New("no")
}
