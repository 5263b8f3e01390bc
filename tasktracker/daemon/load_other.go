//go:build !linux

package daemon

import "errors"

func readCPU() (cpuTimes, error) {
	return cpuTimes{}, errors.New("CPU times are available only on Linux")
}
