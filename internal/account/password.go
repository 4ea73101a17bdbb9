package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Parameters of argon2id as recommended by OWASP.
const (
	memoryKiB = 19 * 1024
	passes    = 2
	saltLen   = 16
	keyLen    = 32
)

// HashPassword returns password as an argon2id PHC string, or fault.Invalid if the owner must
// not use it. It waits for a turn.
func HashPassword(ctx context.Context, client, password string, owner Owner) (string, error) {
	if err := CheckPassword(password, owner); err != nil {
		return "", err
	}
	turn, err := AwaitHashTurn(ctx, client)
	if err != nil {
		return "", err
	}
	defer turn.End()
	salt := make([]byte, saltLen)
	rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, passes, memoryKiB, 1, keyLen)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, memoryKiB, passes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)), nil
}

// Verify reports whether password matches hash. An empty hash takes the same time and
// never matches, so that response times do not reveal which accounts exist.
func (t HashTurn) Verify(hash, password string) (bool, error) {
	if hash == "" {
		argon2.IDKey([]byte(password), make([]byte, saltLen), passes, memoryKiB, 1, keyLen)
		return false, nil
	}
	var version int
	var memory, time uint32
	var threads uint8
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, fmt.Errorf("stored password: not an argon2id string")
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &time,
		&threads); err != nil {
		return false, fmt.Errorf("stored password: parameters: %w", err)
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("stored password: salt: %w", err)
	}
	want, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return false, fmt.Errorf("stored password: key: %w", err)
	}
	got := argon2.IDKey([]byte(password), salt, time, memory, threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, nil
}
