package btworld

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
)

// world simulates a BitTorrent network whose trackers are scraped once an hour. Every random value
// is a hash of the seed and of the thing that the value describes. Any scrape can therefore be
// generated without the previous ones, with the same result on any processor.
//
// The scrapes of an hour are the replies of all trackers that answer in that hour, one tracker
// after another. Each tracker has slots for swarms, the most popular first. The number of a
// tracker's slots in an hour depends on the sizes of the trackers that answer. Swarms are born,
// grow old, and die, and the swarms in a slot take turns.
type world struct {
	seed     uint64
	swarms   int64 // number of swarms, and thus of scrapes in an hour
	trackers int64
	skew     int64

	now     int64   // hour of the replies; valid if replies is not empty
	replies []reply // one for each tracker that answers, ordered by first
	buf     []byte
}

// reply is the answer of one tracker.
type reply struct {
	tracker int64
	first   int64  // number of the tracker's first scrape within the hour
	text    []byte // the tracker's URL and the time of its answer
}

// began is the first hour, 2009-12-01 00:00:00 UTC.
const began = 1259625600

// scrape returns scrape number n, counted from 0. The result is valid until the next call.
func (w *world) scrape(n int64) []byte {
	moment, i := n/w.swarms, n%w.swarms
	if w.replies == nil || moment != w.now {
		w.ask(moment)
	}
	at, _ := slices.BinarySearchFunc(w.replies, i+1, func(r reply, i int64) int {
		if r.first < i {
			return -1
		}
		return 1
	})
	r := &w.replies[at-1]
	w.buf = w.append(w.buf[:0], r, i-r.first)
	return w.buf
}

// ask collects the replies of all trackers that are up in the given hour. Each tracker except the
// first is down in about one in twenty hours.
func (w *world) ask(moment int64) {
	w.now, w.replies = moment, w.replies[:0]
	total := uint64(0)
	for t := range w.trackers {
		if t > 0 && mix(w.seed, 'd', uint64(t), uint64(moment))%20 == 0 {
			continue
		}
		total += w.weight(t)
		w.replies = append(w.replies, reply{tracker: t})
	}
	// The first tracker, which is always up, gets the remainder.
	end := w.swarms
	for i := len(w.replies) - 1; i >= 0; i-- {
		r := &w.replies[i]
		if i > 0 {
			end -= int64(float64(w.swarms) * (float64(w.weight(r.tracker)) / float64(total)))
			r.first = end
		}
		at := began + moment*hour + int64(mix(w.seed, 't', uint64(r.tracker), uint64(moment))%(hour-600))
		r.text = appendTime(append(w.url(r.text[:0], r.tracker), '\t'), at)
	}
}

// weight returns a tracker's size according to Zipf's law with exponent skew.
func (w *world) weight(tracker int64) uint64 {
	size := uint64(1_000_000_000_000_000)
	for range w.skew {
		size /= uint64(tracker + 1)
	}
	return size
}

func (w *world) url(dst []byte, tracker int64) []byte {
	dst = append(dst, "http://tracker"...)
	dst = strconv.AppendInt(dst, 10+tracker, 10)
	return append(dst, ".example.org/scrape"...)
}

// shared is the distance between slots that have the same content at every tracker, starting at
// slot 0.
const shared = 4

// append appends to dst the scrape for a slot of the tracker that sent r.
func (w *world) append(dst []byte, r *reply, slot int64) []byte {
	owner := uint64(r.tracker) + 1
	if slot%shared == 0 {
		owner = 0
	}
	place := mix(w.seed, 's', owner, uint64(slot))
	life := int64(2) << (place % 10) // 2 to 1024 hours
	since := w.now + int64(place>>8%uint64(life))
	swarm, age := mix(w.seed, 'h', place, uint64(since/life)), since%life

	dst = append(appendHash(dst, swarm), '\t')
	dst = append(dst, r.text...)
	seeders, leechers, downloads := w.users(r.tracker, slot, swarm, age, life)
	for _, n := range [...]int64{seeders, leechers, downloads} {
		dst = strconv.AppendInt(append(dst, '\t'), n, 10)
	}
	return dst
}

// users generates the seeders, leechers, and downloads of a swarm. The number of users
// approximately follows Zipf's law over slots and trackers, decreases with the swarm's age, and is
// higher at night. About one in six unpopular swarms is empty.
func (w *world) users(tracker, slot int64, swarm uint64, age, life int64) (seeders, leechers, downloads int64) {
	chance := mix(w.seed, 'u', swarm, uint64(tracker), uint64(w.now))
	night := max(w.now%24-12, 12-w.now%24) // 12 at midnight, 0 at noon
	users := 40_000/(slot+1)/(tracker+1)*(life-age)/life*(20+night)/32 + int64(chance%6)
	seeders = users * int64(40+chance>>8%50) / 100
	return seeders, users - seeders, age * (users/4 + int64(swarm%3))
}

// appendHash appends a swarm's content hash as 40 hexadecimal digits, like BitTorrent's.
func appendHash(dst []byte, swarm uint64) []byte {
	var b [24]byte
	for i := range 3 {
		binary.BigEndian.PutUint64(b[8*i:], mix(swarm, uint64(i)))
	}
	return hex.AppendEncode(dst, b[:20])
}

// mix derives one random number from several values, using the steps of SplitMix64.
func mix(all ...uint64) (z uint64) {
	for _, x := range all {
		z = (z ^ x) + 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
	}
	return z
}
