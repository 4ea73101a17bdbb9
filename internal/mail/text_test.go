package mail_test

import (
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/mail"
)

func TestText_LanguageOfRecipient(t *testing.T) {
	t.Parallel()
	facts := mail.Facts{Base: "https://labels.example", ProjectTitle: "Pilot", Token: "t", MayRepeat: true}
	for _, kind := range []account.MailKind{account.MailInvitation, account.MailAddress,
		account.MailAddressChanged, account.MailNewWork, account.MailAnswer} {
		facts.Kind, facts.Locale = kind, locale.Pseudo
		subject, body := facts.Text()
		for line := range strings.Lines(subject + "\n" + body) {
			if line = strings.TrimSpace(line); line != "" && line != "--" && !strings.HasPrefix(line, "https://") &&
				!strings.HasPrefix(line, locale.OpeningMark) {
				t.Errorf("%s: not in the catalog: %s", kind, line)
			}
		}
	}
	facts.Kind, facts.Locale, facts.Inviter = account.MailInvitation, nil, "Lena"
	if _, body := facts.Text(); !strings.Contains(body,
		"Lena invites you to the project “Pilot” at https://labels.example.") {
		t.Errorf("an invitation does not say who invites to what:\n%s", body)
	}
	if subject, body := facts.Text(); !strings.Contains(subject, "Ihre Einladung") ||
		strings.Count(body, "https://labels.example/invitations/t") != 2 ||
		!strings.HasPrefix(subject, "Your invitation") {
		t.Errorf("an invitation is not in every language: %s\n%s", subject, body)
	}
}
