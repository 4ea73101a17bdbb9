// Package page holds the pages: one .templ file for each, and the typed values
// it is made from. A page decides nothing and knows nothing of requests or of
// the database.
//
// A new page starts like this one:
//
//	// HelpData is what the help page shows.
//	type HelpData struct {
//		Visitor ui.User
//	}
//
//	// Help says where to ask.
//	templ Help(d HelpData) {
//		@ui.Page(ui.Frame{Title: "Help", Visitor: d.Visitor, Here: "/help"}) {
//			@ui.PageHeading("Help", "One sentence that says what one does here.")
//			<section>
//				<h2>…</h2>
//			</section>
//		}
//	}
package page

func (d InvitationData) title() string { return "Welcome, " + d.Name }

func (d InvitationData) intro() string {
	if d.HasAccount {
		return "Choose a new password for " + d.Email + "."
	}
	return "Choose a password for " + d.Email + ". Then you can start."
}

func (d InvitationData) passwordHint() string {
	return passwordHint(d.MinPasswordLength)
}
