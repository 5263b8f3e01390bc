package transfer

import (
	"errors"
	"strconv"

	"github.com/howdah/howdah/internal/pb"
)

// The statuses of answers and acknowledgments.
const (
	statusSuccess     = 0
	statusFailed      = 1
	statusBadChecksum = 2
	statusBadToken    = 5
	statusChecksumOK  = 6
	statusRestart     = 8 // the DataNode is restarting
	statusInProgress  = 12
)

var statusNames = map[uint64]string{1: "ERROR", 2: "ERROR_CHECKSUM", 3: "ERROR_INVALID", 4: "ERROR_EXISTS",
	5: "ERROR_ACCESS_TOKEN", 7: "ERROR_UNSUPPORTED", 8: "OOB_RESTART", 13: "ERROR_BLOCK_PINNED"}

// StatusError is an error status in a DataNode's answer.
type StatusError struct {
	Status  uint64
	Message string
}

func (e *StatusError) Error() string {
	name := statusNames[e.Status]
	if name == "" {
		name = "status " + strconv.FormatUint(e.Status, 10)
	}
	if e.Message == "" {
		return name
	}
	return name + ": " + e.Message
}

// answer is a DataNode's answer to an operation.
type answer struct {
	status      uint64
	message     string
	badLink     string // address of the failed node in the pipeline
	checksum    Checksum
	chunkOffset int64
}

func (c *conn) answer() (a answer, err error) {
	m, err := c.message(nil)
	if err != nil {
		return a, err
	}
	return decodeAnswer(m)
}

func decodeAnswer(m []byte) (a answer, err error) {
	r := pb.Read(m)
	for r.Next() && err == nil {
		switch r.Num {
		case 1:
			a.status = r.Uint()
		case 2:
			a.badLink = r.String()
		case 4:
			info := pb.Read(r.Bytes())
			for info.Next() && err == nil {
				switch info.Num {
				case 1:
					a.checksum, err = decodeChecksum(info.Bytes())
				case 2:
					a.chunkOffset = info.Int()
				}
			}
			err = errors.Join(err, info.Err)
		case 5:
			a.message = r.String()
		}
	}
	return a, errors.Join(err, r.Err)
}
