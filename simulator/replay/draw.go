package replay

// Draw gives a random number that depends on its arguments alone and not on how many were drawn before: the same task of the
// same job has the same luck under every policy and in every engine. It is SplitMix64's finaliser over a chain.
func Draw(seed uint64, of ...uint64) uint64 {
	x := mix(seed)
	for _, v := range of {
		x = mix(x ^ v)
	}
	return x
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Streams keep draws for different purposes apart.
const (
	StreamShuffle uint64 = iota + 1 // which recorded shuffle a reduce of the other kind gets
	StreamStagger                   // when in its interval a tracker beats
	StreamStraggle
	StreamFail
	StreamCrash
)

// Below turns a random number into one from 0 to n-1. n is small against 2^64, so the bias does not count.
func Below(x uint64, n int) int { return int(x % uint64(n)) }

// Millionths turns a random number into one from 0 to 999999.
func Millionths(x uint64) int64 { return int64(x % 1_000_000) }
