package account_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

var ada = account.Owner{Name: "Ada Lovelace", Email: "countess@analytical-engine.example"}

func TestVerify_OnlyExactMatch(t *testing.T) {
	t.Parallel()
	hash, err := account.HashPassword(t.Context(), "", "a quiet morning tram", ada)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("stored as %q", hash)
	}
	turn := awaitTurn(t)
	defer turn.End()
	for password, want := range map[string]bool{"a quiet morning tram": true, "a quiet morning tran": false,
		"": false} {
		if got, err := turn.Verify(hash, password); err != nil || got != want {
			t.Errorf("Verify(%q) = %v, %v", password, got, err)
		}
	}
	if got, err := turn.Verify("", "anything"); got || err != nil {
		t.Errorf("empty hash: %v, %v", got, err)
	}
}

func TestVerify_DamagedHash(t *testing.T) {
	t.Parallel()
	turn := awaitTurn(t)
	defer turn.End()
	for _, hash := range []string{"plain", "$argon2id$v=19$m=x$a$b", "$argon2id$v=19$m=64,t=1,p=1$!$b",
		"$argon2id$v=19$m=64,t=1,p=1$YQ$!"} {
		if ok, err := turn.Verify(hash, "anything"); ok || err == nil {
			t.Errorf("%q: %v, %v", hash, ok, err)
		}
	}
}

func awaitTurn(t *testing.T) account.HashTurn {
	t.Helper()
	turn, err := account.AwaitHashTurn(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func TestCheckPassword_Guessable(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"short",
		// name, address, product
		"Ada Lovelace", "adalovelace1", "Ada Lovelace 2026", "LovelaceAda!!", "4d4 L0vel4ce!", "countess1815",
		"countess@analytical-engine.example",
		"analytical-engine", "Labelwright!!", "labelwright2026", "l4belwr1ght!!",
		// common passwords and words
		"password1234", "PassWord1234", "P@ssw0rd1234!", "letmein123456", "iloveyou2026!", "iloveyouforever",
		"football12345", "superman12345",
		"trustno1trustno1", "mypasswordis1234", "changeme!!12", "admin admin 1", "welcome to 1", "thequickbrownfox",
		"dragon dragon",
		// sequences, keyboards, dates
		"abcdefghijklmnop", "1234567890abc", "qwertyuiopasdf", "1q2w3e4r5t6y", "qazwsxedcrfv", "November2026!",
		"summer2026!!", "11/22/2026 2026",
		// repetitions
		"aaaaaaaaaaaaaaaa", "aaaaaaaaaaab", "abababababab", "ababababab12", "abcabcabcabc", "tramtramtramtram",
		"tram tram tram tr", "Passw0rd!Passw0rd!",
		strings.Repeat("x1y", 400), strings.Repeat("a quiet morning tram", 60),
	} {
		if err := account.CheckPassword(password, ada); !errors.Is(err, fault.Invalid) {
			t.Errorf("%.40q: %v", password, err)
		}
	}
}

func TestCheckPassword_Strong(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"a quiet morning tram", "correct horse battery staple", "x7Kq-2pLw-9vTz", "ein Satz mit Äpfeln",
		"十二个字的密码也是可以的哦",
		"سماء زرقاء فوق البحر", "Ada keeps 3 quiet geese", strings.Repeat("lantern ", 3) + "overgrown tide",
	} {
		if err := account.CheckPassword(password, ada); err != nil {
			t.Errorf("%q: %v", password, err)
		}
	}
}

// Each reason is named, so that the user knows what to change.
func TestCheckPassword_Reason(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]string{
		"too short":        "at least 12 characters",
		"Ada Lovelace":     "your name, your email address",
		"abcdefghijklmnop": "a sequence",
		"iloveyouforever":  "common words",
		"tramtramtramtram": "repeats itself",
	} {
		if got := fault.Message(account.CheckPassword(password, ada)); !strings.Contains(got, want) {
			t.Errorf("%q: %q does not contain %q", password, got, want)
		}
	}
}

func FuzzCheckPassword_Ends(f *testing.F) {
	f.Add("a quiet morning tram", "Ada", "ada@example.org")
	f.Add(strings.Repeat("1x", 512), "\xff", "")
	f.Fuzz(func(_ *testing.T, password, name, email string) {
		_ = account.CheckPassword(password, account.Owner{Name: name, Email: email})
	})
}

func TestHashPassword_Canceled_IsUnavailable(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := account.HashPassword(ctx, "", "a quiet morning tram", ada); err != nil &&
		!errors.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}
