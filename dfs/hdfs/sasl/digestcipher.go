package sasl

import (
	"crypto/cipher"
	"crypto/des"
	"crypto/md5"
	"crypto/rc4"
	"fmt"
	"slices"
	"strings"
)

// chooseCipher chooses one of the ciphers that the server offers. It prefers RC4 to triple DES
// because Java offers both, and RC4 is ten times as fast. Neither is secure. To protect its data, a
// cluster must use AES, which is negotiated on top (dfs.encrypt.data.transfer.cipher.suites).
func chooseCipher(offered []string) (string, error) {
	for _, c := range []string{"rc4", "3des"} {
		if slices.Contains(offered, c) {
			return c, nil
		}
	}
	return "", fmt.Errorf("the server offers no strong cipher, only %q", strings.Join(offered, ","))
}

// newSealer returns the cipher for one direction of a connection (section 2.4).
func newSealer(name string, key [md5.Size]byte, encrypt bool) (sealer, error) {
	switch name {
	case "rc4":
		c, err := rc4.NewCipher(key[:])
		return (*streamSealer)(c), err
	case "3des":
		// There are two 56-bit keys, and the first is used twice. The last 8 bytes of the key are
		// the initialization vector.
		one, two := desKey(key[:7]), desKey(key[7:14])
		c, err := des.NewTripleDESCipher(slices.Concat(one, two, one))
		if err != nil {
			return nil, err
		}
		if encrypt {
			return blockSealer{cipher.NewCBCEncrypter(c, key[8:])}, nil
		}
		return blockSealer{cipher.NewCBCDecrypter(c, key[8:])}, nil
	}
	return nil, fmt.Errorf("unknown cipher %q", name)
}

type streamSealer rc4.Cipher

func (*streamSealer) block() int       { return 1 }
func (s *streamSealer) crypt(b []byte) { (*rc4.Cipher)(s).XORKeyStream(b, b) }

type blockSealer struct{ mode cipher.BlockMode }

func (s blockSealer) block() int     { return s.mode.BlockSize() }
func (s blockSealer) crypt(b []byte) { s.mode.CryptBlocks(b, b) }

// desKey spreads 56 bits over 8 bytes. The lowest bit of each byte is the parity bit, which DES
// ignores.
func desKey(b []byte) []byte {
	var bits uint64
	for _, c := range b {
		bits = bits<<8 | uint64(c)
	}
	out := make([]byte, 8)
	for i := range out {
		out[i] = byte(bits>>(49-7*i)) << 1
	}
	return out
}
