package mail

import (
	"fmt"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
)

// Facts are what the text of a mail says.
type Facts struct {
	Kind         account.MailKind
	Base         string // of the site
	ProjectTitle string
	Token        string   // of an invitation
	Waiting      []string // of a digest: what waits, by project
	MayRepeat    bool     // an earlier attempt may have arrived
}

// Text returns the subject and the body of a mail.
func (f Facts) Text() (subject, body string) {
	subject, body = f.text()
	if f.MayRepeat {
		body = "You may have received this mail before: sending it was interrupted.\n\n" + body
	}
	return subject, body
}

func (f Facts) text() (subject, body string) {
	switch f.Kind {
	case account.MailInvitation:
		return "Your invitation to Labelwright", fmt.Sprintf("You are invited to label with Labelwright. Open this link to choose a password:\n\n%s/invitations/%s\n\n"+
			"The link works once, within 72 hours. If it has expired, ask your lead for a new one.\n", f.Base, f.Token)
	case account.MailNewWork:
		return "You have new work in " + f.ProjectTitle, fmt.Sprintf("A lead added you to a batch of the project “%s”. Start here:\n\n%s/work\n%s", f.ProjectTitle, f.Base, f.footer())
	case account.MailAnswer:
		return "Your question was answered", fmt.Sprintf("A lead of the project “%s” answered your question. Read the answer here:\n\n%s/work\n%s", f.ProjectTitle, f.Base, f.footer())
	}
	return "Your Labelwright inbox", fmt.Sprintf("This waits for you:\n\n%s\n\n%s/inbox\n%s", strings.Join(f.Waiting, "\n"), f.Base, f.footer())
}

func (f Facts) footer() string {
	return fmt.Sprintf("\n--\nYou can turn off these mails: %s/account\n", f.Base)
}
