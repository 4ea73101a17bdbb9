package web

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func defaultBatchForm(p project.Project) page.BatchForm {
	plan := p.Protocol.Plan
	return page.BatchForm{Name: fmt.Sprintf("Batch %d", p.Batches+1), Overlap: "2",
		BreakEvery: strconv.Itoa(plan.BreakEveryItems), BreakMinutes: strconv.Itoa(plan.BreakMinutes)}
}

func batchFormFromFields(fields url.Values) page.BatchForm {
	f := page.BatchForm{
		Name: fields.Get("name"), Overlap: fields.Get("overlap"), Seed: fields.Get("seed"),
		OverlapSamplePercent: fields.Get("overlap_sample_percent"),
		OverlapSampleLabels:  fields.Get("overlap_sample_labels"),
		Sample:               fields.Get("sample"), StratifyBy: fields.Get("stratify"),
		Assignment: fields.Get("assign"),
		Round:      project.RoundItems(fields.Get("round")),
		Draw:       fields.Get("draw"), Selection: page.SelectionFromQuery(fields),
		BreakEvery: fields.Get("break_every"), BreakMinutes: fields.Get("break_minutes"),
		Calibration: fields.Get("calibration"), FewerCalibration: fields.Get("fewer_calibration"),
		Duplicates: fields.Get("duplicates"), Gold: fields.Get("gold"), GoldMinimum: fields.Get("gold_minimum"),
		OtherEmails: fields.Get("other_emails"), Annotators: fields["annotators"],
		ByRecord: fields.Get("by_record") != "", ReferenceAtEnd: fields.Get("reference_at_end") != "",
		Shares: map[string]string{},
	}
	for name := range fields {
		if email, ok := strings.CutPrefix(name, "share:"); ok {
			f.Shares[strings.ToLower(email)] = fields.Get(name)
		}
	}
	return f
}

// batchSpecFromForm reads a form, with an error at each field that cannot be
// read. Without a seed of its own, the form gets seedUsed, that of its preview.
func batchSpecFromForm(l *locale.Locale, f page.BatchForm, seedUsed string) (project.BatchSpec, page.FormErrors) {
	n := numberReader{locale: l}
	spec := project.BatchSpec{
		Name:             f.Name,
		Annotators:       slices.Concat(f.Annotators, splitEmails(f.OtherEmails)),
		Shares:           n.readShares(f),
		Assignment:       project.AssignmentMode(f.Assignment),
		Overlap:          n.readWhole("overlap", f.Overlap, locale.Text("The overlap")),
		OverlapSample:    n.readOverlapSample(f),
		Sample:           parseField(&n, "sample", f.Sample, project.ParseSample),
		Draw:             parseField(&n, "sample", f.Draw, project.ParseJudgeDraw),
		StratifyBy:       f.StratifyBy,
		Round:            f.Round,
		ByRecord:         f.ByRecord,
		BreakEvery:       n.readWhole("break_every", f.BreakEvery, locale.Text("The number of items between breaks")),
		BreakMinutes:     n.readWhole("break_minutes", f.BreakMinutes, locale.Text("The length of a break")),
		CalibrationCount: n.readOrDefault("calibration", f.Calibration, locale.Text("The number of calibration items")),
		FewerCalibration: f.FewerCalibration,
		ReferenceAtEnd:   f.ReferenceAtEnd,
		DuplicateCount:   n.readOrDefault("duplicates", f.Duplicates, locale.Text("The number of hidden duplicates")),
		GoldCount:        n.readWhole("gold", cmp.Or(f.Gold, "0"), locale.Text("The number of gold items")),
		GoldMinimum: n.readWhole("gold_minimum", cmp.Or(f.GoldMinimum, "0"),
			locale.Text("The share of right answers")),
		Seed: n.readSeed("seed", cmp.Or(strings.TrimSpace(f.Seed), seedUsed)),
	}
	return spec, n.formErrors
}

// parseField reads a field and collects its error.
func parseField[T any](n *numberReader, field, text string, parse func(string) (T, error)) T {
	value, err := parse(text)
	n.addError(field, err)
	return value
}

func (n *numberReader) readOverlapSample(f page.BatchForm) project.OverlapSample {
	if percent := strings.TrimSpace(f.OverlapSamplePercent); percent == "" || percent == "0" {
		return project.OverlapSample{}
	}
	return parseField(n, "overlap_sample", strings.TrimSpace(f.OverlapSamplePercent)+"%:"+
		strings.TrimSpace(f.OverlapSampleLabels), project.ParseOverlapSample)
}

// readShares reads the shares of the chosen annotators that are not 1.
func (n *numberReader) readShares(f page.BatchForm) map[string]float64 {
	var texts []string
	for _, email := range f.Annotators {
		if share := strings.TrimSpace(f.Shares[strings.ToLower(email)]); share != "" && share != "1" {
			texts = append(texts, email+"="+share)
		}
	}
	shares, err := project.ParseShares(texts)
	n.addError("shares", err)
	return shares
}

// A numberReader reads the numbers of a form and collects their errors.
type numberReader struct {
	locale     *locale.Locale // of the errors
	formErrors page.FormErrors
}

func (n *numberReader) addError(field string, err error) {
	if err != nil {
		n.formErrors = append(n.formErrors, toFormErrors(n.locale, err, field)...)
	}
}

func (n *numberReader) readWhole(field, text string, label locale.Text) int {
	number, err := readWholeNumber(url.Values{field: {text}}, field, label)
	if err == nil && number > 1_000_000_000 {
		err = fault.Invalid.Errorf("%s is too large.", label)
	}
	n.addError(field, err)
	return number
}

// readOrDefault reads a number; an empty field takes the default of the
// protocol.
func (n *numberReader) readOrDefault(field, text string, label locale.Text) int {
	if strings.TrimSpace(text) == "" {
		return project.UseDefault
	}
	return n.readWhole(field, text, label)
}

func (n *numberReader) readSeed(field, text string) int64 {
	seed, err := parseSeed(text)
	n.addError(field, err)
	return seed
}

func parseSeed(text string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	seed, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seed < 1 {
		return 0, fault.Invalid.Errorf("The seed must be a whole number above 0. “%s” is not.", text)
	}
	return seed, nil
}

// splitEmails splits a list of email addresses at spaces, commas and
// semicolons.
func splitEmails(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) })
}
