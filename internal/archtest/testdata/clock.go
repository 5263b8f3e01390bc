package example

import "time"

func clock(t time.Time) int64 { // want "time.Time"
	time.Sleep(1)             // want "time.Sleep"
	<-time.After(time.Second) // want "time.After"
	_ = time.NewTimer(1)      // want "time.NewTimer"
	_ = time.Since(t)         // want "time.Since"
	f := time.Now             // want "time is an argument in milliseconds"
	const grace = 5 * time.Second
	return f().UnixMilli()
}
