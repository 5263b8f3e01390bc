package port

import (
	"net/http"
	"time"
)

const (
	// bodyTimeout is how long a client may take to send the body of a request. It can be short,
	// because bodies contain only forms.
	bodyTimeout = 30 * time.Second
	maxBody     = 1 << 20
	// writeTimeout is how long a client may take to accept writeChunk bytes.
	writeTimeout = time.Minute
	writeChunk   = 64 << 10
)

// Paced returns a handler that calls h, limits the bodies of requests to maxBody bytes, and ends
// the connection of a client that is too slow. It does not limit the length or the total time of a
// response.
func Paced(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &paced{ResponseWriter: w, control: http.NewResponseController(w)}
		if r.ContentLength != 0 {
			_ = p.control.SetReadDeadline(time.Now().Add(bodyTimeout)) // fails only in tests
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		}
		p.extend()
		h.ServeHTTP(p, r)
	})
}

// paced extends the deadline of the connection before every write.
type paced struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *paced) extend() { _ = p.control.SetWriteDeadline(time.Now().Add(writeTimeout)) }

func (p *paced) Write(b []byte) (n int, err error) {
	for {
		part := b[n:min(n+writeChunk, len(b))]
		p.extend()
		k, err := p.ResponseWriter.Write(part)
		n += k
		if err != nil || n == len(b) {
			return n, err
		}
	}
}

// Unwrap lets http.ResponseController find the methods of the original writer.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Flush implements http.Flusher.
func (p *paced) Flush() {
	p.extend()
	_ = p.control.Flush()
}
