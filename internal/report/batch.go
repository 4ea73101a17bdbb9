package report

import (
	"fmt"
	"math"
	"sync"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/agreement"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/internal/stats/comparison"
)

const (
	previewSeed       = 1   // the default seed of `labelwright plan`
	maxPreviewItems   = 150 // simulated; the width for more is extrapolated
	maxPreviewOverlap = 6   // labels per item to propose
	previewWidth      = 0.2 // that of ± 0.1
)

// PreviewBatch adds the expected precision to project.PreviewBatch. It simulates batches on
// the longest scale of the protocol.
func PreviewBatch(p protocol.Protocol, spec project.BatchSpec, plan project.BatchPlan) project.BatchPreview {
	preview := project.PreviewBatch(p.Plan, spec, plan)
	w := widthPredictor{scale: longestScale(p), annotators: preview.Annotators, items: preview.MultiLabelItems}
	preview.Precision.Target = p.Plan.TargetKappa
	if preview.Precision.Target <= 0 {
		preview.Precision.Target = agreement.DefaultTarget
	}
	if overlap := fewestLabels(plan.Labels); overlap > 1 {
		w.addPrecision(&preview.Precision, overlap)
	}
	addComparison(&preview, w.scale, p.Plan)
	return preview
}

// addComparison adds which difference two groups of equal size can show, as `labelwright plan --compare` does, if κ
// meets the target and each item has as many labels as the one with the fewest.
func addComparison(preview *project.BatchPreview, scale stats.NumericScale, session protocol.SessionPlan) {
	deviation, err := stats.Deviation(scale, nil)
	if err != nil || preview.Items < 2*comparison.MinItems {
		return
	}
	seconds := float64(session.MinSecondsPerItem+session.MaxSecondsPerItem) / 2
	a := comparison.Assumptions{Kappa: preview.Precision.Target, Deviation: deviation}
	plan := a.PlanComparison(preview.Items, max(1, preview.LabelsPerItem.Min), seconds)
	preview.Precision.Difference, preview.Precision.Hours = plan.Difference, float64(preview.Labels)*seconds/3600
}

// fewestLabels returns the least number of labels among the items with at least two.
func fewestLabels(labels []uint8) (fewest int) {
	for _, count := range labels {
		if count > 1 && (fewest == 0 || int(count) < fewest) {
			fewest = int(count)
		}
	}
	return fewest
}

func longestScale(p protocol.Protocol) (longest stats.NumericScale) {
	for _, f := range p.Fields {
		if s := stats.NewNumericScale(f.Scale.Values()...); len(s) > len(longest) {
			longest = s
		}
	}
	return longest
}

// A widthPredictor predicts the width of the interval of κ.
type widthPredictor struct {
	scale      stats.NumericScale
	annotators int
	items      int // with at least two labels
}

// addPrecision sets the expected widths, and what would be needed for ± 0.1.
func (w widthPredictor) addPrecision(p *project.Precision, overlap int) {
	p.WidthAtTarget = w.predict(p.Target, overlap)
	p.WidthAtHalf = w.predict(p.Target/2, overlap)
	if p.WidthAtTarget <= previewWidth {
		return
	}
	p.ItemsForTenth = int(math.Ceil(float64(w.items) * math.Pow(p.WidthAtTarget/previewWidth, 2)))
	for more := overlap + 1; more <= min(w.annotators, maxPreviewOverlap); more++ {
		if width := w.predict(p.Target, more); width > 0 && width <= previewWidth {
			p.LabelsForTenth = more
			return
		}
	}
}

// predict returns the expected width; 0 if none can be predicted, as for very few items.
func (w widthPredictor) predict(kappa float64, overlap int) float64 {
	simulated := min(w.items, maxPreviewItems)
	if simulated == 0 {
		return 0
	}
	key := widthKey{fmt.Sprint(w.scale), kappa, w.annotators, simulated, overlap}
	width, isKnown := predictedWidths.Load(key)
	if !isKnown {
		e := stats.BatchAssumptions{Scale: w.scale, Weighting: stats.Linear, Kappa: kappa, Annotators: w.annotators}
		expected, err := e.PredictWidth(simulated, overlap, stats.IntervalOptions{Seed: previewSeed})
		if err != nil {
			expected.Width = 0
		}
		width = expected.Width
		predictedWidths.Store(key, width)
	}
	return width.(float64) * math.Sqrt(float64(simulated)/float64(w.items))
}

// A widthKey is everything that a predicted width depends on.
type widthKey struct {
	scale                        string
	kappa                        float64
	annotators, items, labelsPer int
}

// predictedWidths keeps simulated widths by widthKey. A simulation takes longer than
// all other parts of a preview, which is repeated while a form is filled in.
var predictedWidths sync.Map
