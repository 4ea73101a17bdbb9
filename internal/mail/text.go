package mail

import (
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
)

// Facts are what the text of a mail says.
type Facts struct {
	Kind         account.MailKind
	Locale       *locale.Locale // of the recipient; nil: not known
	Base         string         // of the site
	ProjectTitle string
	Inviter      string   // of an invitation; empty: not known
	Token        string   // of a link
	Waiting      []string // of a digest: what waits, by project
	MayRepeat    bool     // an earlier attempt may have arrived
}

// Text returns the subject and the body of a mail. An invitation to a user whose language is
// not known is in every language.
func (f Facts) Text() (subject, body string) {
	l := f.Locale
	if l == nil {
		l = locale.English
	}
	subject, body = f.text(l)
	if f.Kind != account.MailInvitation || f.Locale != nil {
		return subject, body
	}
	for _, other := range locale.Offered {
		if other != l {
			otherSubject, otherBody := f.text(other)
			subject, body = subject+" · "+otherSubject, body+"\n\n"+otherBody
		}
	}
	return subject, body
}

// Invitation says who invites to what, and where: inviter and project can be empty.
func Invitation(l *locale.Locale, inviter, project, site string) string {
	switch {
	case inviter != "" && project != "":
		return l.T("%s invites you to the project “%s” at %s.", inviter, project, site)
	case inviter != "":
		return l.T("%s invites you to Labelwright at %s.", inviter, site)
	}
	return l.T("You are invited to Labelwright at %s.", site)
}

func (f Facts) text(l *locale.Locale) (subject, body string) {
	var lines []string
	if f.MayRepeat {
		lines = append(lines, l.T("You may have received this mail before: sending it was interrupted."))
	}
	switch f.Kind {
	case account.MailInvitation:
		lines = append(lines, Invitation(l, f.Inviter, f.ProjectTitle, f.Base),
			l.T("Open this link to choose a password:"), f.Base+"/invitations/"+f.Token,
			l.T("The link works once, within 72 hours. If it has expired, ask your lead for a new one."))
		return l.T("Your invitation to Labelwright"), strings.Join(lines, "\n\n") + "\n"
	case account.MailPassword:
		lines = append(lines, l.T("Open this link to choose a new password:"), f.Base+"/invitations/"+f.Token,
			l.T("The link works once, within 72 hours. If you did not ask for it, do nothing: your password stays."))
		return l.T("A new password for Labelwright"), strings.Join(lines, "\n\n") + "\n"
	case account.MailAddress:
		lines = append(lines, l.T("Open this link to use this address for your account. Sign in if you are asked to:"),
			f.Base+"/account/address/"+f.Token,
			l.T("The link works once, within 72 hours. If you did not ask for it, do nothing: no account gets this address."))
		return l.T("Your new address for Labelwright"), strings.Join(lines, "\n\n") + "\n"
	case account.MailAddressChanged:
		lines = append(lines, l.T("Your account at %s has another email address now. If you did not want that, ask an admin at once.",
			f.Base))
		return l.T("Your address for Labelwright was changed"), strings.Join(lines, "\n\n") + "\n"
	case account.MailNewWork:
		subject = l.T("You have new work in %s", f.ProjectTitle)
		lines = append(lines, l.T("A lead added you to a batch of the project “%s”. Start here:", f.ProjectTitle),
			f.Base+"/work")
	case account.MailAnswer:
		subject = l.T("Your question was answered")
		lines = append(lines, l.T("A lead of the project “%s” answered your question. Read the answer here:",
			f.ProjectTitle), f.Base+"/work")
	default:
		subject = l.T("Your Labelwright inbox")
		lines = append(lines, l.T("This waits for you:"), strings.Join(f.Waiting, "\n"), f.Base+"/inbox")
	}
	return subject, strings.Join(lines, "\n\n") + "\n\n--\n" + l.T("You can turn off these mails: %s", f.Base+
		"/account") + "\n"
}
