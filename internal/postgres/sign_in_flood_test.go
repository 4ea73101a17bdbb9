package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// A user signs in while another address guesses as fast as it can: it is the user's turn
// after a few guesses, not after all that were sent before.
func TestSignIn_Flood_DoesNotDelayUser(t *testing.T) {
	env := newTestEnv(t)
	hash, err := account.HashPassword(t.Context(), "", "a quiet morning tram", account.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	if err := env.SetPassword(t.Context(), 0, env.admin.ID, hash); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	verified := make(chan struct{}, 10_000)
	for n := range 400 {
		go func() {
			for m := 0; ctx.Err() == nil; m++ {
				_, err := env.SignIn(ctx, account.Credentials{Email: fmt.Sprintf("guess%d-%d@example.org", n, m),
					Password: "not it", ClientAddress: "198.51.100.9"})
				switch fault.KindOf(err) {
				case fault.SignedOut:
					verified <- struct{}{}
				case fault.Unavailable:
					time.Sleep(50 * time.Millisecond) // as a client does that reads Retry-After
				}
			}
		}()
	}
	for range 10 {
		<-verified // the flood is on
	}
	before, start := len(verified), time.Now()
	_, err = env.SignIn(t.Context(), account.Credentials{Email: env.admin.Email, Password: "a quiet morning tram",
		ClientAddress: "203.0.113.5"})
	if err != nil {
		t.Fatal(err)
	}
	between := len(verified) - before
	t.Logf("signed in after %v and %d guesses of the other address", time.Since(start), between)
	if between > 20 {
		t.Errorf("%d guesses were checked before the user's password", between)
	}
}

// However many wrong passwords others enter, from one network or from many, the user signs in with a new browser.
func TestSignIn_WrongPasswordsElsewhere_DoNotLockOut(t *testing.T) {
	env := newTestEnv(t)
	hash, err := account.HashPassword(t.Context(), "", "a quiet morning tram", account.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	if err := env.SetPassword(t.Context(), 0, env.admin.ID, hash); err != nil {
		t.Fatal(err)
	}
	signIn := func(password, address string) fault.Kind {
		_, err := env.SignIn(t.Context(), account.Credentials{Email: env.admin.Email, Password: password,
			ClientAddress: address})
		return fault.KindOf(err)
	}
	guess := func(address string, most int) {
		t.Helper()
		for n := range most + 1 {
			want := fault.SignedOut
			if n == most {
				want = fault.Limited
			}
			if kind := signIn("not it", address); kind != want {
				t.Fatalf("guess %d from %s: %v", n, address, kind)
			}
		}
	}
	guess("198.51.100.1", maxSignInAttempts)
	_, err = env.SignIn(t.Context(), account.Credentials{Email: env.admin.Email, Password: "a quiet morning tram",
		ClientAddress: "203.0.113.5"})
	if err != nil {
		t.Fatalf("after guesses from one network: %v", err)
	}
	env.execSQL(`INSERT INTO sign_in_attempts (email_hash, browser_hash)
		SELECT email_hash, sha256(n::text::bytea) FROM sign_in_attempts, generate_series(1, 10) n`)
	guess("198.51.100.2", maxFewerAttempts)
	_, err = env.SignIn(t.Context(), account.Credentials{Email: env.admin.Email, Password: "a quiet morning tram",
		ClientAddress: "203.0.113.6"})
	if err != nil {
		t.Fatalf("after guesses from many networks: %v", err)
	}
}
