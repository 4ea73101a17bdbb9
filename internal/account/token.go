package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
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

// HashToken returns the stored form of a token. Tokens cannot be recovered from a copy of
// the database.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
