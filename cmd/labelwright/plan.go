package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/comparison"
)

type planCommand struct {
	Scale      string    `default:"1..5" placeholder:"1..5" help:"Scale of the field."`
	Kappa      float64   `default:"0.5" help:"Expected agreement, from 0 to 1: that of a pilot or a similar field."`
	Width      float64   `default:"0.2" help:"Desired width of the 95% confidence interval of κ."`
	Annotators int       `default:"5" help:"Number of annotators."`
	MaxOverlap int       `default:"5" help:"Largest overlap to plan."`
	Shares     []float64 `placeholder:"1,2,4" help:"Expected frequency of each point of the scale. Default: all equal."`
	Weights    string    `enum:"unweighted,linear,quadratic" default:"linear" help:"Weights of κ: unweighted, linear or quadratic."`
	Items      int       `help:"Number of items. With it, the plan gives the width of the interval, or the detectable difference, instead."`
	Compare    bool      `help:"Plan the comparison of two groups that the same annotators label."`
	Difference float64   `default:"0.3" help:"With --compare: difference of the means to show with 80% power, in points."`
	Seconds    float64   `default:"60" help:"With --compare: seconds per label."`
	Seed       uint64    `default:"1" help:"Seed of the simulated batches."`
	Format     string    `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// Run prints how many items a desired width needs at each overlap, from simulated batches.
func (p planCommand) Run(s streams) error {
	scale, err := stats.ParseRangeScale(p.Scale)
	if err != nil {
		return usageError{err}
	}
	if p.Annotators < 2 || p.Annotators > 500 || p.MaxOverlap < 2 || p.Items < 0 || p.Items > 100_000 {
		return usageError{errors.New("a flag is out of range: use 2 to 500 --annotators, a --max-overlap of at least 2, and 0 to 100,000 --items")}
	}
	if p.Compare {
		return p.planComparison(s, scale)
	}
	e := stats.BatchAssumptions{Scale: scale, Weighting: stats.Weighting(p.Weights), Kappa: p.Kappa, Shares: p.Shares,
		Annotators: p.Annotators}
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
	fmt.Fprintf(s.out, "Expected κ %.2f (%s), scale %s, %d annotators:\n", p.Kappa, p.Weights, p.Scale, p.Annotators)
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  OVERLAP\tITEMS\tLABELS\tLABELS PER ANNOTATOR\tINTERVAL WIDTH")
	for _, plan := range plans {
		fmt.Fprintf(table, "  %d\t%d\t%d\t%d\t%.2f\n", plan.Overlap, plan.Items, plan.Ratings,
			(plan.Ratings+p.Annotators-1)/p.Annotators, plan.Width)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "The width is that of the 95% confidence interval, on average over simulated batches. It accounts for the sampling of items, not of annotators.")
	return nil
}

// planComparison prints how many items show a difference at each overlap, or which difference so many items show.
func (p planCommand) planComparison(s streams, scale stats.NumericScale) error {
	if p.Difference <= 0 || p.Seconds <= 0 || p.Kappa < 0 || p.Kappa > 1 {
		return usageError{errors.New("a flag is out of range: use a --difference and --seconds above 0, and a --kappa from 0 to 1")}
	}
	deviation, err := stats.Deviation(scale, p.Shares)
	if err != nil {
		return usageError{err}
	}
	a, plans := comparison.Assumptions{Kappa: p.Kappa, Deviation: deviation}, []comparison.Plan{}
	for overlap := 1; overlap <= min(p.MaxOverlap, p.Annotators); overlap++ {
		items := p.Items
		if items == 0 {
			items = a.PlanItems(p.Difference, overlap)
		}
		plans = append(plans, a.PlanComparison(items, overlap, p.Seconds))
	}
	if p.Format == "json" {
		return printJSON(s.out, map[string][]comparison.Plan{"plans": plans})
	}
	fmt.Fprintf(s.out, "Two groups of equal size, expected κ %.2f, scale %s:\n", p.Kappa, p.Scale)
	table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "  OVERLAP\tITEMS\tLABELS\tHOURS\tDETECTABLE DIFFERENCE")
	for _, plan := range plans {
		fmt.Fprintf(table, "  %d\t%d\t%d\t%.1f\t%.2f\n", plan.Overlap, plan.Items, plan.Labels, plan.Hours,
			plan.Difference)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(s.out, "A detectable difference is shown with 80% power, if the same annotators label both groups. Items in pairs need fewer.")
	return nil
}
