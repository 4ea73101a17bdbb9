package page

import (
	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/web/ui"
)

var roleTexts = map[account.Role]locale.Text{
	account.Annotator: locale.Text("annotator"), account.Viewer: locale.Text("viewer"),
	account.Lead: locale.Text("lead"), account.Admin: locale.Text("admin"),
}

func roleName(l *locale.Locale, r account.Role) string { return l.Translate(roleTexts[r]) }

// roleOptions are the roles that an admin assigns.
func roleOptions(l *locale.Locale, chosen account.Role) (options []ui.Option) {
	descriptions := map[account.Role]string{
		account.Annotator: l.T("Labels the items assigned to them."),
		account.Viewer:    l.T("Reads the reports of their projects, without annotators and items."),
		account.Lead:      l.T("Creates projects, publishes protocols and manages their own projects."),
		account.Admin:     l.T("Manages all projects and accounts, and reads the audit log."),
	}
	for _, r := range account.Roles {
		options = append(options, ui.Option{Value: string(r), Text: capitalize(roleName(l, r)), Hint: descriptions[r],
			Chosen: r == chosen})
	}
	return options
}
