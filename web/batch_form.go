package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func defaultBatchForm(p project.Project) page.BatchForm {
	plan := p.Protocol.Plan
	return page.BatchForm{Overlap: "2", Items: "0", BreakEvery: strconv.Itoa(plan.BreakEveryItems), BreakMinutes: strconv.Itoa(plan.BreakMinutes)}
}

func batchFormFromFields(fields url.Values) page.BatchForm {
	return page.BatchForm{
		Name: fields.Get("name"), Overlap: fields.Get("overlap"), Items: fields.Get("items"), Seed: fields.Get("seed"),
		BreakEvery: fields.Get("break_every"), BreakMinutes: fields.Get("break_minutes"),
		Calibration: fields.Get("calibration"), Duplicates: fields.Get("duplicates"),
		OtherEmails: fields.Get("other_emails"), Annotators: fields["annotators"],
	}
}

// batchSpecFromForm reads a form, with an error at each field that cannot be
// read.
func batchSpecFromForm(f page.BatchForm) (project.BatchSpec, page.FormErrors) {
	var n numberReader
	spec := project.BatchSpec{
		Name:             f.Name,
		Annotators:       slices.Concat(f.Annotators, splitEmails(f.OtherEmails)),
		Overlap:          n.readWhole("overlap", f.Overlap, "The overlap"),
		Items:            n.readWhole("items", f.Items, "The number of items"),
		BreakEvery:       n.readWhole("break_every", f.BreakEvery, "The number of items between breaks"),
		BreakMinutes:     n.readWhole("break_minutes", f.BreakMinutes, "The length of a break"),
		CalibrationCount: n.readOrDefault("calibration", f.Calibration, "The number of calibration items"),
		DuplicateCount:   n.readOrDefault("duplicates", f.Duplicates, "The number of hidden duplicates"),
		Seed:             n.readSeed("seed", f.Seed),
	}
	return spec, n.formErrors
}

// A numberReader reads the numbers of a form and collects their errors.
type numberReader struct{ formErrors page.FormErrors }

func (n *numberReader) addError(field string, err error) {
	if err != nil {
		n.formErrors = append(n.formErrors, toFormErrors(err, field)...)
	}
}

func (n *numberReader) readWhole(field, text, label string) int {
	number, err := readWholeNumber(url.Values{field: {text}}, field, label)
	if err == nil && number > 1_000_000_000 {
		err = fault.Invalid.Errorf("%s is too large.", label)
	}
	n.addError(field, err)
	return number
}

// readOrDefault reads a number; an empty field takes the default of the
// protocol.
func (n *numberReader) readOrDefault(field, text, label string) int {
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
