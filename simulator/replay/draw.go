package replay

// Draw returns a random number that depends only on its arguments, not on earlier draws. The same
// task of the same job therefore draws the same number under every policy and in every engine. Draw
// applies SplitMix64's finalizer to each argument in turn.
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

// Streams separate draws for different purposes.
const (
	StreamShuffle uint64 = iota + 1 // choice of another reduce's shuffle; see NewTimes
	StreamStagger                   // phase of a tracker's heartbeats within the interval
	StreamStraggle
	StreamFail
	StreamCrash
)

// Below maps a random number to the range 0 to n-1. The bias is negligible because n is small
// compared to 2^64.
func Below(x uint64, n int) int { return int(x % uint64(n)) }

// Millionths maps a random number to the range 0 to 999999.
func Millionths(x uint64) int64 { return int64(x % 1_000_000) }
