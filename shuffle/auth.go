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

// sign gives the HMAC of what is said, in text form.
func sign(token []byte, what string) string {
	h := hmac.New(sha256.New, token)
	h.Write([]byte(what))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// signed compares without telling by its time how much is right.
func signed(token []byte, what, hash string) bool {
	return hmac.Equal([]byte(sign(token, what)), []byte(hash))
}
