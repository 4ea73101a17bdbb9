package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/stats"
)

type planCommand struct {
	Scale      string    `default:"1..5" placeholder:"1..5" help:"The scale of the field."`
	Kappa      float64   `default:"0.5" help:"The agreement to expect, from 0 to 1: a pilot's, or a similar field's."`
	Width      float64   `default:"0.2" help:"How wide the interval of κ may be, from end to end."`
	Annotators int       `default:"5" help:"How many annotators there are."`
	MaxOverlap int       `default:"5" help:"The largest overlap to look at."`
	Shares     []float64 `placeholder:"1,2,4" help:"How often each point of the scale is expected. Default: all alike."`
	Weights    string    `enum:"unweighted,linear,quadratic" default:"linear" help:"Of κ: unweighted, linear or quadratic."`
	Items      int       `help:"Say how wide the interval would be with so many items instead."`
	Seed       uint64    `default:"1" help:"What the simulated batches are drawn by."`
	Format     string    `enum:"text,json" default:"text" help:"text or json."`
}

// Run says how many items and how much overlap a wished width takes, by
// simulating batches. It needs no database.
func (p planCommand) Run(s streams) error {
	scale, err := stats.ParseRangeScale(p.Scale)
	if err != nil {
		return usageError{err}
	}
	if p.Annotators < 2 || p.Annotators > 500 || p.MaxOverlap < 2 || p.Items < 0 || p.Items > 100_000 {
		return usageError{errors.New("a plan is made for 2 to 500 annotators, an overlap of at least 2, and up to 100000 items")}
	}
	e := stats.BatchAssumptions{Scale: scale, Weighting: stats.Weighting(p.Weights), Kappa: p.Kappa, Shares: p.Shares, Annotators: p.Annotators}
	plans, err := p.computePlans(e)
	if err != nil {
		return usageError{err}
	}
	if p.Format == "json" {
		return printJSON(s.out, toPlansJSON(plans))
	}
	return p.printPlans(s, plans)
}

// computePlans returns one plan for each overlap.
func (p planCommand) computePlans(e stats.BatchAssumptions) ([]stats.SampleSizePlan, error) {
	o := stats.IntervalOptions{Seed: p.Seed}
	if p.Items == 0 {
		return e.PlanSampleSizes(p.Width, p.MaxOverlap, o)
	}
	var plans []stats.SampleSizePlan
	for overlap := 2; overlap <= min(p.MaxOverlap, p.Annotators); overlap++ {
		plan, err := e.PredictWidth(p.Items, overlap, o)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// A planJSON is a plan as programs read it.
type planJSON struct {
	Overlap int     `json:"overlap"`
	Items   int     `json:"items"`
	Labels  int     `json:"labels"`
	Width   float64 `json:"width"`
}

func toPlansJSON(plans []stats.SampleSizePlan) map[string][]planJSON {
	list := make([]planJSON, len(plans))
	for i, plan := range plans {
		list[i] = planJSON{plan.Overlap, plan.Items, plan.Ratings, plan.Width}
	}
	return map[string][]planJSON{"plans": list}
}

func (p planCommand) printPlans(s streams, plans []stats.SampleSizePlan) error {
	fmt.Fprintf(s.out, "With κ about %.2f (%s) on %s, and %d annotators:\n", p.Kappa, p.Weights, p.Scale, p.Annotators)
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  OVERLAP\tITEMS\tLABELS\tLABELS EACH\tWIDTH OF THE INTERVAL")
	for _, plan := range plans {
		fmt.Fprintf(table, "  %d\t%d\t%d\t%d\t%.2f\n", plan.Overlap, plan.Items, plan.Ratings, (plan.Ratings+p.Annotators-1)/p.Annotators, plan.Width)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "The width is the mean over simulated batches of the 95 % interval, from end to end. It covers the draw of items, not the choice of annotators.")
	return nil
}
