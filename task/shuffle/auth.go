package shuffle

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

const (
	urlHash   = "Url-Hash"
	replyHash = "Reply-Hash"
)

// request returns the text that a request's hash signs. It names the TaskTracker at addr. A program
// that takes over a stopped TaskTracker's port therefore cannot get the answer from another
// TaskTracker.
func request(addr, uri string) string { return "GET " + addr + " " + uri }

// sign returns the base64-encoded HMAC of a string.
func sign(token []byte, what string) string {
	h := hmac.New(sha256.New, token)
	h.Write([]byte(what))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// signed reports whether a hash is the HMAC of a string. It compares in constant time.
func signed(token []byte, what, hash string) bool {
	return hmac.Equal([]byte(sign(token, what)), []byte(hash))
}
