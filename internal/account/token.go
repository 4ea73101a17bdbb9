package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// InvitationLifetime is how long an invitation can be taken.
const InvitationLifetime = 72 * time.Hour

// NewToken returns 128 bits of chance as 22 characters for an address.
func NewToken() string {
	random := make([]byte, 16)
	rand.Read(random)
	return base64.RawURLEncoding.EncodeToString(random)
}

// HashToken returns what is stored of a token that opens something, so that a
// copy of the database opens nothing.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
