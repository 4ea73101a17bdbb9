package page

import (
	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/web/ui"
)

var roleTexts = map[account.Role]locale.Text{
	account.Annotator: locale.Text("annotator"), account.Lead: locale.Text("lead"), account.Admin: locale.Text("admin"),
}

// roleName returns the name of a role on the pages of leads.
func roleName(r account.Role) string { return string(roleTexts[r]) }

// roleOptions are the roles that an admin assigns.
func roleOptions(chosen account.Role) (options []ui.Option) {
	descriptions := map[account.Role]string{
		account.Annotator: "Labels the items assigned to them.",
		account.Lead:      "Creates projects, publishes protocols and manages their own projects.",
		account.Admin:     "Manages all projects and accounts, and reads the audit log.",
	}
	for _, r := range account.Roles {
		options = append(options, ui.Option{Value: string(r), Text: capitalize(roleName(r)), Hint: descriptions[r], Chosen: r == chosen})
	}
	return options
}
