package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"time"
)

// InvitationLifetime is how long an invitation is valid.
const InvitationLifetime = 72 * time.Hour

// NewToken returns 128 random bits as 22 URL-safe characters.
func NewToken() string {
	random := make([]byte, 16)
	rand.Read(random)
	return base64.RawURLEncoding.EncodeToString(random)
}

// NewOrderedToken returns a token that begins with the time, in 7 characters that sort by it, before
// the 128 random bits of NewToken. Rows that get such tokens one after the other are neighbors in
// an index, so that adding one seldom writes another page.
func NewOrderedToken(now time.Time) string {
	prefix := "000000" + strconv.FormatInt(now.Unix(), 32)
	return prefix[len(prefix)-7:] + NewToken()
}

// HashToken returns the stored form of a token. Tokens cannot be recovered from a copy of
// the database.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
