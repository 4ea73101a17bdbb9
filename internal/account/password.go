package account

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/sync/semaphore"

	"github.com/labelwright/labelwright/internal/fault"
)

// Parameters of argon2id as recommended by OWASP.
const (
	memoryKiB = 19 * 1024
	passes    = 2
	saltLen   = 16
	keyLen    = 32
)

// hashSlots bounds concurrent hashing to two passwords: 38 MiB and two cores.
var hashSlots = semaphore.NewWeighted(2)

// MinPasswordLength is the minimum length of a password in characters.
const MinPasswordLength = 12

// CheckPassword returns why password is not allowed, or nil.
func CheckPassword(password string) error {
	switch n := utf8.RuneCountInString(password); {
	case n < MinPasswordLength:
		return fault.Invalid.Errorf("Use at least %d characters. A long phrase works well.", MinPasswordLength)
	case len(password) > 1024:
		return fault.Invalid.Errorf("The password is longer than 1,024 bytes. Choose a shorter one.")
	case slices.Contains(commonPasswords, strings.ToLower(password)) || hasFewCharacters(password):
		return fault.Invalid.Errorf("The password is easy to guess. Choose another one.")
	}
	return nil
}

// hasFewCharacters reports whether password has fewer than three different characters.
func hasFewCharacters(password string) bool {
	seen := map[rune]bool{}
	for _, r := range password {
		seen[r] = true
	}
	return len(seen) < 3
}

// commonPasswords holds the most frequent long passwords in lists of leaked ones.
var commonPasswords = strings.Fields(`
	123456789012 1234567890123 1234567890qwerty 123qweasdzxc 1q2w3e4r5t6y 1qaz2wsx3edc
	abcdefghijkl administrator iloveyou1234 letmeinplease passw0rd1234 password1234
	password12345 password123456 passwordpassword qwerty123456 qwertyuiop123 qwertyuiopas
	qwertyqwerty welcome12345 labelwright labelwright1 labelwright123 changeme1234 trustno1trustno1
	correcthorsebatterystaple`)

// HashPassword returns password as an argon2id PHC string. It waits for a free slot until
// ctx ends.
func HashPassword(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltLen)
	rand.Read(salt)
	key, err := deriveKey(ctx, password, salt, passes, memoryKiB, 1, keyLen)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=1$%s$%s", argon2.Version, memoryKiB, passes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)), nil
}

// VerifyPassword reports whether password matches hash. An empty hash takes the same time
// and never matches, so that response times do not reveal which accounts exist.
func VerifyPassword(ctx context.Context, hash, password string) (bool, error) {
	if hash == "" {
		_, err := deriveKey(ctx, password, make([]byte, saltLen), passes, memoryKiB, 1, keyLen)
		return false, err
	}
	var version int
	var memory, time uint32
	var threads uint8
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, fmt.Errorf("stored password: not an argon2id string")
	}
	if _, err := fmt.Sscanf(parts[2]+" "+parts[3], "v=%d m=%d,t=%d,p=%d", &version, &memory, &time, &threads); err != nil {
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
	got, err := deriveKey(ctx, password, salt, time, memory, threads, uint32(len(want)))
	return subtle.ConstantTimeCompare(got, want) == 1, err
}

func deriveKey(ctx context.Context, password string, salt []byte, time, memory uint32, threads uint8, length uint32) ([]byte, error) {
	if err := hashSlots.Acquire(ctx, 1); err != nil {
		return nil, fault.Unavailable
	}
	defer hashSlots.Release(1)
	return argon2.IDKey([]byte(password), salt, time, memory, threads, length), nil
}
