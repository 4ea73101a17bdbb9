// Package page has the pages: one .templ file for each, with its data as typed
// structs. Pages decide nothing and know neither requests nor the database.
//
// A new page starts like this one:
//
//	// HelpData is the data of the help page.
//	type HelpData struct {
//		User ui.User
//	}
//
//	// Help lists who answers questions.
//	templ Help(d HelpData) {
//		@ui.Page(ui.Frame{Title: "Help", User: d.User, CurrentPath: "/help"}) {
//			@ui.PageHeading("Help", "One sentence about the page.")
//			<section>
//				<h2>…</h2>
//			</section>
//		}
//	}
package page
