package account

import "time"

// How long a browser stays signed in: in total, and without a request.
const (
	SignInLifetime    = 12 * time.Hour
	SignInIdleTimeout = time.Hour
)

// ConfirmationLifetime is how long an entered password allows changes that need one.
const ConfirmationLifetime = 10 * time.Minute

// A SignInID identifies a SignIn.
type SignInID int64

// A SignIn is a browser that is signed in to an account.
type SignIn struct {
	ID            SignInID
	Browser       string // such as "Firefox on Linux"
	ClientAddress string
	CreatedAt     time.Time
	LastActiveAt  time.Time // to the minute
}

// UnknownBrowser is the Browser of a sign-in without a known one.
const UnknownBrowser = "Unknown browser"

// Credentials are what a browser sends to sign in.
type Credentials struct {
	Email         string
	Password      string
	BrowserToken  string // of a browser that signed in before, or empty
	ClientAddress string
}
