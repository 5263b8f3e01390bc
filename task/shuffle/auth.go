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

// request returns the text that a client signs to authenticate its request for uri. The text
// contains addr, the TaskTracker's address. A program that takes over a stopped TaskTracker's port
// therefore cannot forward the request to another TaskTracker and get an answer.
func request(addr, uri string) string { return "GET " + addr + " " + uri }

// sign returns the base64-encoded HMAC of what.
func sign(token []byte, what string) string {
	h := hmac.New(sha256.New, token)
	h.Write([]byte(what))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// signed reports whether hash is the HMAC of what. It compares them in constant time.
func signed(token []byte, what, hash string) bool {
	return hmac.Equal([]byte(sign(token, what)), []byte(hash))
}
