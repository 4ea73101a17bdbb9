package prose

import "github.com/labelwright/labelwright/internal/report/study"

// Progress names the step that a report being computed is at; empty before the first one.
func (w Writer) Progress(p study.BuildProgress) string {
	switch p.Step {
	case "":
		return ""
	case study.StepReadLabels:
		return w.T("reading the labels")
	case study.StepAgreement:
		return w.T("agreement on “%s”", p.Subject)
	case study.StepPairs:
		return w.T("pairs on “%s”", p.Subject)
	case study.StepDisagreements:
		return w.T("disagreements")
	case study.StepRaterEffects:
		return w.T("rater effects")
	case study.StepAnnotator:
		return w.T("results of %s", p.Subject)
	case study.StepGroups:
		return w.T("comparison of groups")
	}
	return w.T("metrics and model judges")
}
