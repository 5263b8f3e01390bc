package conf

// Reader reads many keys and keeps the first error, so that what fills a structure from a configuration looks like a table. After an
// error its values mean nothing. It is used by one goroutine.
type Reader struct {
	Conf *Config
	Err  error // the first one
}

// Note keeps an error, unless there was one before.
func (r *Reader) Note(err error) {
	if r.Err == nil {
		r.Err = err
	}
}

// Int is Config.Int.
func (r *Reader) Int(key string, def, min, max int64) int64 {
	n, err := r.Conf.Int(key, def, min, max)
	r.Note(err)
	return n
}

// Float is Config.Float.
func (r *Reader) Float(key string, def, min, max float64) float64 {
	f, err := r.Conf.Float(key, def, min, max)
	r.Note(err)
	return f
}

// Bool is Config.Bool.
func (r *Reader) Bool(key string, def bool) bool {
	b, err := r.Conf.Bool(key, def)
	r.Note(err)
	return b
}

// Size is Config.Size.
func (r *Reader) Size(key string, def, min, max int64) int64 {
	n, err := r.Conf.Size(key, def, min, max)
	r.Note(err)
	return n
}
