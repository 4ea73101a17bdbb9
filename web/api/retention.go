package api

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
)

// Retention is what is deleted after a period, and what is kept.
type Retention struct {
	Deleted []DeletedData `json:"deleted"`
	Kept    []KeptData    `json:"kept"`
}

// DeletedData is a kind of data that a job deletes after a period.
type DeletedData struct {
	Name    string `json:"name" doc:"A code." example:"exports"`
	Title   string `json:"title"`
	Seconds int    `json:"seconds" doc:"The period."`
	Due     int    `json:"due" doc:"Rows that the next run of the job deletes."`
}

// KeptData is a kind of data that no period ends.
type KeptData struct {
	Title string `json:"title"`
	Until string `json:"until"`
}

// ShowRetention shows the retention periods.
var ShowRetention = newRead(endpoint{id: "show-retention", path: "/retention", tag: "Accounts",
	scope: account.ScopeAdmin, summary: "Show what is deleted after which period, and what is kept",
	text: "Only for admins."},
	func(ctx context.Context, a *API, c caller, _ *struct{}) (r Retention, err error) {
		classes, err := a.DB.Retention(ctx, c.id())
		if err != nil {
			return r, err
		}
		r.Deleted = mapped(classes, func(class postgres.RetentionClass) DeletedData {
			return DeletedData{Name: class.Name, Title: locale.English.Translate(class.Title),
				Seconds: int(class.Period.Seconds()), Due: class.Due}
		})
		r.Kept = mapped(postgres.KeptClasses, func(k postgres.KeptClass) KeptData {
			return KeptData{Title: locale.English.Translate(k.Title), Until: locale.English.Translate(k.Until)}
		})
		return r, nil
	})
