package conf

// Reader reads many keys and keeps the first error, so that a caller can fill a structure from a
// configuration without checking for errors in between. After an error, the values are undefined. A
// Reader is not safe for concurrent use.
type Reader struct {
	Conf *Config
	Err  error // first error
}

// Note records err unless the reader already has an error.
func (r *Reader) Note(err error) {
	if r.Err == nil {
		r.Err = err
	}
}
