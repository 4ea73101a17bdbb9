package web

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// defaultDrawSize is the number of items that the form of a draw starts with.
const defaultDrawSize = "50"

// showNextLabels shows what to label next for a judge. A draw without a seed goes to the address
// of one with a seed, so that the same address shows the same items while the data do not change.
func (s *Server) showNextLabels(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.NextLabelsData{User: currentUser(r), Project: p,
		Form: page.NextLabelsForm{Judge: queryParam(r, "judge"), By: queryParam(r, "order"),
			Size: queryParam(r, "size"), Seed: queryParam(r, "seed")}}
	judges, err := s.db.Judges(r.Context(), currentAccount(r).ID, p)
	if err != nil {
		return err
	}
	for _, j := range judges {
		d.Judges = append(d.Judges, j.Name)
	}
	if d.Form.Size == "" {
		d.Form.Size = defaultDrawSize
		return render(w, r, http.StatusOK, page.NextLabels(d))
	}
	if d.Form.Seed == "" {
		d.Form.Seed = strconv.FormatInt(rand.Int64N(1_000_000_000)+1, 10)
		return redirect(w, r, page.NextLabelsPath(p.Key, d.Form))
	}
	status, err := s.drawNextLabels(r, &d)
	if err != nil {
		return err
	}
	return render(w, r, status, page.NextLabels(d))
}

// drawNextLabels adds the drawn items to d, or what is wrong with the form.
func (s *Server) drawNextLabels(r *http.Request, d *page.NextLabelsData) (status int, err error) {
	size, err := readWholeNumber(url.Values{"size": {d.Form.Size}}, "size", locale.Text("The number of items"))
	if err != nil {
		d.Errors = toFormErrors(currentLocale(r), err, "size")
		return http.StatusUnprocessableEntity, nil
	}
	seed, err := parseSeed(d.Form.Seed)
	if err != nil {
		return 0, err
	}
	proposal, err := s.db.ProposeLabels(r.Context(), currentAccount(r).ID, d.Project,
		project.JudgeDraw{Judge: d.Form.Judge, By: project.DrawOrder(cmp.Or(d.Form.By, string(project.DrawAtRandom))),
			Size: size, Seed: seed})
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "size")
		return status, nil
	}
	d.Proposal = &proposal
	return http.StatusOK, err
}
