package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/page"
)

// mostOthers is how many items the page of calibration items offers at once.
const mostOthers = 30

// references lists the calibration items of a project.
func (s *Server) references(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	given, err := s.db.References(r.Context(), p.ID)
	if err != nil {
		return err
	}
	d := page.ReferencesData{Visitor: visitor(r), Project: p, Search: asked(r, "search")}
	for _, g := range given {
		d.References = append(d.References, page.ReferenceLine{ID: g.ID, SourceID: g.SourceID, Answers: g.Answers, Why: g.Why})
	}
	others, err := s.db.Calibratable(r.Context(), p.ID, d.Search, mostOthers)
	if err != nil {
		return err
	}
	for _, o := range others {
		d.Others = append(d.Others, page.ItemLine{ID: o.ID, SourceID: o.SourceID})
	}
	if asked(r, "after") == "kept" {
		d.Notice = "The reference is kept."
	}
	return show(w, r, http.StatusOK, page.References(d))
}

// referencePage asks for the reference answers of an item.
func (s *Server) referencePage(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	return s.askReference(w, r, http.StatusOK, p, nil, nil)
}

// askReference shows the form as it was sent, or as it is kept.
func (s *Server) askReference(w http.ResponseWriter, r *http.Request, status int, p project.Project, sent *labeling.Reference, problems protocol.Problems) error {
	item, err := s.db.Item(r.Context(), p.ID, numberOf(r))
	if err != nil {
		return err
	}
	d := page.ReferenceData{Visitor: visitor(r), Project: p, Item: item, Problems: problems}
	kept, err := s.db.Reference(r.Context(), p.ID, item.ID)
	switch {
	case err == nil:
		d.Reference, d.Given = kept.Reference, true
	case fault.KindOf(err) != fault.NotFound:
		return err
	}
	if sent != nil {
		d.Reference = *sent
	}
	return show(w, r, status, page.ReferenceForm(d))
}

// keepReference takes the form of an item's reference answers.
func (s *Server) keepReference(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	why := map[string]string{}
	for key := range fields {
		if field, ok := strings.CutPrefix(key, labeling.WhyOf("")); ok {
			why[field] = strings.ReplaceAll(fields.Get(key), "\r\n", "\n")
			r.PostForm.Del(key)
		}
	}
	form, err := readForm(r)
	if err != nil {
		return err
	}
	sent := labeling.Reference{Answers: form.Answers, Why: why}
	if err = form.err(); err == nil {
		err = s.db.SetReference(r.Context(), who(r).ID, p, numberOf(r), sent)
	}
	if problems, ok := errors.AsType[protocol.Problems](err); ok {
		return s.askReference(w, r, http.StatusUnprocessableEntity, p, &sent, problems)
	}
	if err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "calibration")+"?after=kept")
}

func (s *Server) removeReference(w http.ResponseWriter, r *http.Request) error {
	p, err := s.led(r)
	if err != nil {
		return err
	}
	if err := s.db.Unreference(r.Context(), who(r).ID, p, numberOf(r)); err != nil {
		return err
	}
	return seeOther(w, r, page.ProjectPath(p.Key, "calibration"))
}
