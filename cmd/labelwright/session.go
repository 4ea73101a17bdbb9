package main

import (
	"cmp"
	"fmt"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

type projectSession struct {
	Project        string  `required:"" help:"The project's key."`
	AfterMiss      *string `enum:"go_on,again,wait" placeholder:"WAY" help:"After a calibration far from the reference: go_on, again or wait (for a lead)."`
	AsideNext      *string `enum:"somebody,later,nobody" placeholder:"WAY" help:"To whom an item goes that was set aside: somebody else, back later, or nobody."`
	BreakAfter     *int    `placeholder:"MINUTES" help:"A break is also due after so many minutes; 0 for never."`
	DayItems       *int    `placeholder:"N" help:"The most that one person is given in a day; 0 for no limit."`
	SittingMinutes *int    `placeholder:"MINUTES" help:"The longest sitting; 0 for no limit."`
	ReturnAfter    *int    `placeholder:"MINUTES" help:"An open item goes back to the pool after so long; 0 for never."`
	Warning        *string `help:"The content warning. Changed, everybody reads it anew."`
	Support        *string `placeholder:"URL" help:"Where annotators find somebody to talk to."`
}

// Run changes what is given, and shows how it stands.
func (p projectSession) Run(c *cli, s streams, ctx bound) error {
	return c.with(ctx, func(db *postgres.DB) error {
		found, err := db.Project(ctx, operator, p.Project)
		if err != nil {
			return err
		}
		session, err := db.SessionOf(ctx, found.ID)
		if err != nil {
			return err
		}
		if changed := p.over(session); changed != session {
			if err := db.SetSession(ctx, 0, found, changed); err != nil {
				return err
			}
			session = changed
		}
		fmt.Fprintf(s.out, "After a miss: %s. Set aside: to %s. A break after %d minutes, %d items a day, %d minutes a sitting, back to the pool after %d minutes; 0 is never or no limit.\n",
			session.AfterMiss, session.AsideNext, session.BreakAfter, session.DayItems, session.SittingMinutes, session.ReturnAfter)
		fmt.Fprintf(s.out, "Support: %s. Content warning: %s\n", cmp.Or(session.SupportURL, "none"), cmp.Or(session.Warning, "none."))
		return nil
	})
}

// over returns s with what was given on the command line.
func (p projectSession) over(s project.Session) project.Session {
	set(&s.AfterMiss, p.AfterMiss)
	set(&s.AsideNext, p.AsideNext)
	set(&s.BreakAfter, p.BreakAfter)
	set(&s.DayItems, p.DayItems)
	set(&s.SittingMinutes, p.SittingMinutes)
	set(&s.ReturnAfter, p.ReturnAfter)
	set(&s.Warning, p.Warning)
	set(&s.SupportURL, p.Support)
	return s
}

func set[T any](into, given *T) {
	if given != nil {
		*into = *given
	}
}
