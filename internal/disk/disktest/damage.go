package disktest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Damage returns a damaged copy of a file and a description of the damage.
func Damage(rng *rand.Rand, file []byte) (what string, damaged []byte) {
	b := bytes.Clone(file)
	at := rng.IntN(len(b))
	n := min(1+rng.IntN(2000), len(b)-at)
	switch rng.IntN(7) {
	case 0:
		b[at] ^= 1 << rng.IntN(8)
		return fmt.Sprintf("flip at byte %d", at), b
	case 1:
		for i := range b[at : at+n] {
			b[at+i] = byte(rng.Uint32())
		}
		return fmt.Sprintf("%d bytes of noise at byte %d", n, at), b
	case 2:
		clear(b[at : at+n])
		return fmt.Sprintf("hole of %d bytes at byte %d", n, at), b
	case 3:
		return fmt.Sprintf("%d bytes lost at byte %d", n, at), slices.Delete(b, at, at+n)
	case 4:
		return fmt.Sprintf("%d bytes doubled at byte %d", n, at), slices.Insert(b, at, bytes.Clone(b[at:at+n])...)
	case 5:
		to := rng.IntN(len(b))
		n = min(n, len(b)-to)
		for i := range n {
			b[at+i], b[to+i] = b[to+i], b[at+i]
		}
		return fmt.Sprintf("%d bytes at byte %d swapped with those at byte %d", n, at, to), b
	default:
		return fmt.Sprintf("cut at byte %d", at), b[:at]
	}
}

// ReachesEnd reports whether damaged no longer ends with the last n bytes of file. If the last
// write had n bytes, such damage can look like a crash during that write.
func ReachesEnd(file, damaged []byte, n int) bool {
	return !bytes.HasSuffix(damaged, file[len(file)-n:])
}
