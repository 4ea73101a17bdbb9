package account

import (
	"encoding/json"
	"time"
)

// A PasskeyID identifies a Passkey.
type PasskeyID int64

// A Passkey signs a user in without a password.
type Passkey struct {
	ID           PasskeyID
	CredentialID []byte
	Credential   json.RawMessage // the public key, and what its device says of itself
	SignCount    int64
	Name         string
	CreatedAt    time.Time
	LastUsedAt   *time.Time
}

// A PasskeyUser is a user as devices with passkeys know them.
type PasskeyUser struct {
	ID       ID
	Handle   []byte // says nothing about the user
	Email    string
	Name     string
	Passkeys []Passkey
}
