package kerberos

import (
	"encoding/binary"
	"errors"

	"github.com/jcmturner/gokrb5/v8/credentials"
)

var errDamagedCache = errors.New("a length or a count in the file is wrong")

// parseCache parses a ticket cache. The library's parser trusts every length and count in the file,
// so it can panic or use up all memory. parseCache therefore checks them first.
func parseCache(c *credentials.CCache, b []byte) (err error) {
	defer recoverLibrary(&err)
	if len(b) < 2 || b[0] != 5 || b[1] < 1 || b[1] > 4 {
		return errors.New("the file is not a ticket cache of version 1 to 4")
	}
	k := &cacheChecker{rest: b[2:], version: b[1], order: binary.BigEndian}
	if k.version <= 2 {
		k.order = binary.NativeEndian
	}
	if k.version == 4 {
		k.header()
	}
	k.principal()
	for !k.damaged && len(k.rest) > 0 {
		k.credential()
	}
	if k.damaged {
		return errDamagedCache
	}
	return c.Unmarshal(b)
}

// cacheChecker checks the lengths and counts in a ticket cache (MIT krb5: Credential cache file
// format).
type cacheChecker struct {
	rest    []byte
	version byte
	order   binary.ByteOrder
	damaged bool
}

func (k *cacheChecker) skip(n int64) {
	if n > int64(len(k.rest)) {
		k.damaged = true
		return
	}
	k.rest = k.rest[n:]
}

// header reads the header of version 4. It reads as many fields as the library, which can stop
// before or after the header's end. header rejects such a file, because the library would mistake
// other bytes for counts.
func (k *cacheChecker) header() {
	length, at := int64(k.number(2)), int64(4)
	for !k.damaged && at <= length {
		k.number(2) // tag
		n := int64(k.number(2))
		k.skip(n)
		at += 4 + n
	}
	k.damaged = k.damaged || at != 4+length
}

// number reads a number of 2 or 4 bytes.
func (k *cacheChecker) number(size int) (n uint32) {
	if k.damaged || len(k.rest) < size {
		k.damaged = true
		return 0
	}
	if size == 2 {
		n = uint32(k.order.Uint16(k.rest))
	} else {
		n = k.order.Uint32(k.rest)
	}
	k.rest = k.rest[size:]
	return n
}

func (k *cacheChecker) data() { k.skip(int64(k.number(4))) }

func (k *cacheChecker) principal() {
	if k.version > 1 {
		k.skip(4) // name type
	}
	n := k.number(4) // number of components
	if k.version == 1 {
		n-- // does not count the realm
	}
	k.data() // realm
	for ; n > 0 && !k.damaged; n-- {
		k.data()
	}
}

func (k *cacheChecker) credential() {
	k.principal()
	k.principal()
	k.skip(2) // key type
	if k.version == 3 {
		k.skip(2)
	}
	k.data() // key
	const times, isSessionKey, flags = 16, 1, 4
	k.skip(times + isSessionKey + flags)
	for range 2 { // addresses and authorization data
		for n := k.number(4); n > 0 && !k.damaged; n-- {
			k.skip(2)
			k.data()
		}
	}
	k.data() // ticket
	k.data() // second ticket
}
