//go:build !linux

package cgroup

import (
	"errors"
	"log/slog"

	"github.com/howdah/howdah/job/failure"
)

func detect(string, *slog.Logger) (hierarchy, error) {
	return nil, failure.New(failure.NotFound, "open control groups", "", errors.New("only Linux has them"))
}
