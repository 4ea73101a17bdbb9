package account_test

import (
	"errors"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

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
