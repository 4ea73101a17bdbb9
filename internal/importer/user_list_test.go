package importer_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
)

var memberRoles = []account.Role{account.Annotator, account.Lead}

func TestReadUsers_Formats_AreRead(t *testing.T) {
	t.Parallel()
	ada, lead := account.NewAccount{Email: "ada.lovelace@example.org", Name: "Ada Lovelace", Role: account.Annotator},
		account.NewAccount{Email: "ben@example.org", Name: "Ben, Dr", Role: account.Lead}
	for name, text := range map[string]string{
		"lines":      "ada.lovelace@example.org\n\nben@example.org, \"Ben, Dr\", Lead\n",
		"names":      "Ada Lovelace <ada.lovelace@example.org>\r\nben@example.org;Ben, Dr;lead",
		"tabs":       "ada.lovelace@example.org\tAda Lovelace\nben@example.org\tBen, Dr\tlead",
		"header":     "\ufeffname,email,role\nAda Lovelace,ada.lovelace@example.org,\n\"Ben, Dr\",ben@example.org,lead\n",
		"other case": "EMAIL;Role;Name\nada.lovelace@example.org\nben@example.org;LEAD;Ben, Dr",
	} {
		users, err := importer.ReadUsers("list", text, account.Annotator, memberRoles)
		if diff := cmp.Diff([]account.NewAccount{ada, lead}, users); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	users, err := importer.ReadUsers("list", "eve@example.org, lead", account.Annotator, memberRoles)
	if err != nil || users[0].Role != account.Lead || users[0].Name != "Eve" {
		t.Errorf("address and role: %+v, %v", users, err)
	}
}

func TestReadUsers_Errors_NameLineAndColumn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "list: The list is empty. Enter one address per line.",
		"ada@example.org\nada":         "list:2:email: “ada” is not an email address.",
		"a@example.org\nA@example.org": "list:2:email: “A@example.org” is in line 1 already. Remove one of them.",
		"a@example.org, A, boss":       "list:1:role: “boss” is not a role. Use annotator, lead.",
		"a@example.org, A, admin":      "list:1:role: “admin” is not a role. Use annotator, lead.",
		"a@example.org,b,lead,d":       "list:1: The line has 4 values. Write address, name and role, with a comma between them.",
		"email,phone\na@example.org,1": "list:1:phone: This column is not known. Use email, name and role.",
		"a@example.org, \"A":           "list:1: The quotation marks do not match. Write one user per line.",
		"a@example.org\xff":            "list: The list contains characters that cannot be stored. Save it as UTF-8.",
		"a@example.org, A\u202eB":      "list:1:name: The text contains an invisible control character, such as a line break. Type it again without copying it.",
	} {
		_, err := importer.ReadUsers("list", text, account.Annotator, memberRoles)
		fileErrors, ok := errors.AsType[importer.FileErrors](err)
		if !ok || fileErrors.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
