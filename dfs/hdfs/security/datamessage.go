package security

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/howdah/howdah/internal/pb"
)

// The statuses of a message (DataTransferEncryptorMessageProto.DataTransferEncryptorStatus), and
// the only supported cipher suite.
const (
	statusSuccess    = 0
	statusUnknownKey = 1

	suiteAES = 2 // AES/CTR/NoPadding
)

var errUnknownKey = errors.New("the DataNode does not know the encryption key, which is too old or too new")

// dataMessage is a DataTransferEncryptorMessageProto.
type dataMessage struct {
	status  uint64
	payload []byte
	text    string
	ciphers []cipherOption
}

// cipherOption is a CipherOptionProto.
type cipherOption struct {
	suite         uint64
	inKey, inIV   []byte
	outKey, outIV []byte
}

func (m *dataMessage) encode() pb.Message {
	b := pb.Message(nil).Uint(1, m.status).Bytes(2, m.payload)
	for _, c := range m.ciphers {
		o := pb.Message(nil).Uint(1, c.suite)
		for i, v := range [][]byte{c.inKey, c.inIV, c.outKey, c.outIV} {
			if v != nil {
				o = o.Bytes(2+i, v)
			}
		}
		b = b.Bytes(4, o)
	}
	return b
}

func parseDataMessage(b []byte) (m dataMessage, err error) {
	r := pb.Read(b)
	for r.Next() && err == nil {
		switch r.Num {
		case 1:
			m.status = r.Uint()
		case 2:
			m.payload = r.Bytes()
		case 3:
			m.text = r.String()
		case 4:
			var c cipherOption
			c, err = parseCipher(r.Bytes())
			m.ciphers = append(m.ciphers, c)
		}
	}
	return m, errors.Join(err, r.Err)
}

func parseCipher(b []byte) (c cipherOption, err error) {
	fields := map[int]*[]byte{2: &c.inKey, 3: &c.inIV, 4: &c.outKey, 5: &c.outIV}
	r := pb.Read(b)
	for r.Next() {
		if r.Num == 1 {
			c.suite = r.Uint()
		} else if f := fields[r.Num]; f != nil {
			*f = r.Bytes()
		}
	}
	return c, r.Err
}

// receive reads the DataNode's next message. It returns an error if the DataNode rejects the login.
func (h *dataHandshake) receive() (m dataMessage, err error) {
	b, err := readDelimited(h.r, maxHandshake)
	if err != nil {
		return m, err
	}
	if m, err = parseDataMessage(b); err != nil {
		return m, err
	}
	switch m.status {
	case statusSuccess:
		return m, nil
	case statusUnknownKey:
		return m, errUnknownKey
	}
	return m, fmt.Errorf("the DataNode rejects the login: %s", m.text)
}

// readDelimited reads a message preceded by its length, a varint.
func readDelimited(r *bufio.Reader, max uint64) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if n > max {
		return nil, fmt.Errorf("a message has %d bytes; the limit is %d", n, max)
	}
	b := make([]byte, n)
	if _, err = io.ReadFull(r, b); err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}
