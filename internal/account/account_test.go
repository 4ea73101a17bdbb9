package account_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

func TestVerifyPassword_OnlyExactMatch(t *testing.T) {
	t.Parallel()
	hash, err := account.HashPassword(t.Context(), "a quiet morning tram")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("stored as %q", hash)
	}
	for password, want := range map[string]bool{"a quiet morning tram": true, "a quiet morning tran": false, "": false} {
		if got, err := account.VerifyPassword(t.Context(), hash, password); err != nil || got != want {
			t.Errorf("VerifyPassword(%q) = %v, %v", password, got, err)
		}
	}
	if got, err := account.VerifyPassword(t.Context(), "", "anything"); got || err != nil {
		t.Errorf("empty hash: %v, %v", got, err)
	}
}

func TestVerifyPassword_DamagedHash(t *testing.T) {
	t.Parallel()
	for _, hash := range []string{"plain", "$argon2id$v=19$m=x$a$b", "$argon2id$v=19$m=64,t=1,p=1$!$b", "$argon2id$v=19$m=64,t=1,p=1$YQ$!"} {
		if ok, err := account.VerifyPassword(t.Context(), hash, "anything"); ok || err == nil {
			t.Errorf("%q: %v, %v", hash, ok, err)
		}
	}
}

func TestCheckPassword_Guessable(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"short", "password1234", "PassWord1234", "aaaaaaaaaaaaaaaa", "abababababababab", strings.Repeat("x1y", 400)} {
		if err := account.CheckPassword(password); !errors.Is(err, fault.Invalid) {
			t.Errorf("%.20q: %v", password, err)
		}
	}
	for _, password := range []string{"a quiet morning tram", "ein Satz mit Äpfeln", "十二个字的密码也是可以的哦"} {
		if err := account.CheckPassword(password); err != nil {
			t.Errorf("%q: %v", password, err)
		}
	}
}

func TestHashPassword_Canceled_IsUnavailable(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := account.HashPassword(ctx, "a quiet morning tram"); err != nil && !errors.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}

func TestNewAccount_Check_Rejects(t *testing.T) {
	t.Parallel()
	valid := account.NewAccount{Email: " ada@example.org ", Name: " Ada ", Role: account.Lead}
	if a, err := valid.Check(); err != nil || a.Email != "ada@example.org" || a.Name != "Ada" {
		t.Error(a, err)
	}
	for _, invalid := range []account.NewAccount{
		{Email: "ada@example.org", Name: " ", Role: account.Lead},
		{Email: "Ada <ada@example.org>", Name: "Ada", Role: account.Lead},
		{Email: "ada", Name: "Ada", Role: account.Lead},
		{Email: "ada@example.org", Name: "Ada\x1b[2J", Role: account.Lead},
		{Email: "ada@example.org", Name: "A\u202eda", Role: account.Lead},
		{Email: "a\u202eda@example.org", Name: "Ada", Role: account.Lead},
		{Email: "ada@example.org", Name: "Ada", Role: "owner"},
	} {
		if _, err := invalid.Check(); !errors.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", invalid, err)
		}
	}
}
