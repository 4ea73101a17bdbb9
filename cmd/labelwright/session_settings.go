package main

import (
	"cmp"
	"fmt"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type projectSession struct {
	Project             string  `required:"" help:"The project's key."`
	MissPolicy          *string `enum:"go_on,again,wait" placeholder:"WAY" help:"After a calibration far from the reference: go_on, again or wait (for a lead)."`
	SkipPolicy          *string `enum:"somebody,later,nobody" placeholder:"WAY" help:"To whom an item goes that was set aside: somebody else, back later, or nobody."`
	BreakAfterMinutes   *int    `placeholder:"MINUTES" help:"A break is also due after so many minutes; 0 for never."`
	DailyItemLimit      *int    `placeholder:"N" help:"The most that one person is given in a day; 0 for no limit."`
	SessionLimitMinutes *int    `placeholder:"MINUTES" help:"The longest sitting; 0 for no limit."`
	ReleaseAfterMinutes *int    `placeholder:"MINUTES" help:"An open item goes back to the pool after so long; 0 for never."`
	ContentWarning      *string `help:"The content warning. Changed, everybody reads it anew."`
	SupportURL          *string `placeholder:"URL" help:"Where annotators find somebody to talk to."`
}

// Run changes what is given, and shows how it stands.
func (p projectSession) Run(c *cli, s streams, ctx runContext) error {
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		found, err := db.Project(ctx, operator, p.Project)
		if err != nil {
			return err
		}
		settings, err := db.SessionSettings(ctx, found.ID)
		if err != nil {
			return err
		}
		if changed := p.applyTo(settings); changed != settings {
			if err := db.UpdateSessionSettings(ctx, 0, found, changed); err != nil {
				return err
			}
			settings = changed
		}
		fmt.Fprintf(s.out, "After a miss: %s. Set aside: to %s. A break after %d minutes, %d items a day, %d minutes a sitting, back to the pool after %d minutes; 0 is never or no limit.\n",
			settings.MissPolicy, settings.SkipPolicy, settings.BreakAfterMinutes, settings.DailyItemLimit, settings.SessionLimitMinutes, settings.ReleaseAfterMinutes)
		fmt.Fprintf(s.out, "Support: %s. Content warning: %s\n", cmp.Or(settings.SupportURL, "none"), cmp.Or(settings.ContentWarning, "none."))
		return nil
	})
}

// applyTo returns s with what was given on the command line.
func (p projectSession) applyTo(s project.SessionSettings) project.SessionSettings {
	setIfGiven(&s.MissPolicy, p.MissPolicy)
	setIfGiven(&s.SkipPolicy, p.SkipPolicy)
	setIfGiven(&s.BreakAfterMinutes, p.BreakAfterMinutes)
	setIfGiven(&s.DailyItemLimit, p.DailyItemLimit)
	setIfGiven(&s.SessionLimitMinutes, p.SessionLimitMinutes)
	setIfGiven(&s.ReleaseAfterMinutes, p.ReleaseAfterMinutes)
	setIfGiven(&s.ContentWarning, p.ContentWarning)
	setIfGiven(&s.SupportURL, p.SupportURL)
	return s
}

func setIfGiven[T any](target, value *T) {
	if value != nil {
		*target = *value
	}
}
