package web

import (
	"context"
	"net/http"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// showCalibration shows an annotator how the set they finished lies to the
// reference.
func (s *Server) showCalibration(w http.ResponseWriter, r *http.Request) error {
	batchID := queryID[project.BatchID](r, "batch")
	if isWarned, err := s.renderPendingWarning(w, r, batchID); isWarned || err != nil {
		return err
	}
	c, err := s.db.CalibrationResult(r.Context(), currentAccount(r).ID, batchID)
	if err != nil {
		return err
	}
	d, err := s.newCalibrationData(r.Context(), c)
	if err != nil {
		return err
	}
	d.User, d.OpenItemID = currentUser(r), queryParam(r, "item")
	return render(w, r, http.StatusOK, page.Calibration(d))
}

func (s *Server) newCalibrationData(ctx context.Context, c postgres.CalibrationResult) (page.CalibrationData, error) {
	discussion, err := s.db.CalibrationComments(ctx, c.BatchID)
	if err != nil {
		return page.CalibrationData{}, err
	}
	commentsByItem := groupComments(discussion)
	d := page.CalibrationData{
		Project: page.Project{Title: c.Project.Title, SupportURL: c.Project.SupportURL}, Batch: formatID(c.BatchID),
		Protocol: c.Project.Protocol, Attempt: c.CalibrationAttempt, Biases: c.Biases, CanComment: discussion.IsOpen, ApprovalReason: c.Reason,
	}
	for _, i := range c.Items {
		d.Items = append(d.Items, page.CalibrationItem{ID: formatID(i.ItemID), Content: i.Content, Facts: i.Facts,
			IsAnswered: i.Answered, OwnAnswers: i.Own, ReferenceAnswers: i.Reference, Reasons: i.Reasons, Comments: commentsByItem[i.ItemID]})
	}
	return d, nil
}

// groupComments sorts what was said by item.
func groupComments(d postgres.CalibrationComments) map[project.ItemID][]page.CalibrationComment {
	byItem := map[project.ItemID][]page.CalibrationComment{}
	for _, r := range d.Comments {
		byItem[r.ItemID] = append(byItem[r.ItemID], page.CalibrationComment{Author: r.Author, CreatedAt: r.CreatedAt, Message: r.Message})
	}
	return byItem
}

// renderPendingWarning shows the content warning of a batch's project, where it has not been
// read today, and reports whether it did.
func (s *Server) renderPendingWarning(w http.ResponseWriter, r *http.Request, batchID project.BatchID) (isRendered bool, err error) {
	warning, err := s.db.ContentWarning(r.Context(), currentAccount(r).ID, batchID)
	if err != nil || warning.Text == "" {
		return false, err
	}
	return true, render(w, r, http.StatusOK, page.ContentWarning(page.ContentWarningData{User: currentUser(r), Batch: formatID(batchID),
		Project: page.Project{Title: warning.Title, SupportURL: warning.SupportURL}, Warning: warning.Text}))
}

// acknowledgeBatchWarning takes the warning as read where no item follows.
func (s *Server) acknowledgeBatchWarning(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	if err := s.db.AcknowledgeBatchWarning(r.Context(), currentAccount(r).ID, batchID); err != nil {
		return err
	}
	return s.redirectToItem(w, r, batchID, "")
}

// formID returns the id in a form field, or 0, which no row has.
func formID[T ~int64](r *http.Request, key string) T { return parseID[T](r.PostFormValue(key)) }

func calibrationPath(batchID project.BatchID) string {
	return "/work/calibration?batch=" + formatID(batchID)
}

// itemAnchor has a page with a discussion open at an item.
func itemAnchor(itemID project.ItemID) string {
	id := formatID(itemID)
	return "item=" + id + "#item-" + id
}

func (s *Server) markSectionRead(w http.ResponseWriter, r *http.Request) error {
	batchID, section := formID[project.BatchID](r, "batch"), r.PostFormValue("section")
	if !isStorable(section) {
		return errUnstorableText
	}
	if err := s.db.MarkSectionRead(r.Context(), currentAccount(r).ID, batchID, section); err != nil {
		return err
	}
	return redirect(w, r, calibrationPath(batchID)+"#next")
}

// startWork leads from the calibration to the first item.
func (s *Server) startWork(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	if err := s.db.StartWork(r.Context(), currentAccount(r).ID, batchID); err != nil {
		return err
	}
	return s.redirectToNext(w, r, batchID)
}

// retakeCalibration leads to the first item of the set, once more.
func (s *Server) retakeCalibration(w http.ResponseWriter, r *http.Request) error {
	batchID := formID[project.BatchID](r, "batch")
	err := s.db.RetakeCalibration(r.Context(), currentAccount(r).ID, batchID)
	if err != nil && fault.KindOf(err) != fault.NotFound { // sent twice, the set is open already
		return err
	}
	return s.redirectToNext(w, r, batchID)
}

func (s *Server) redirectToNext(w http.ResponseWriter, r *http.Request, batchID project.BatchID) error {
	token, err := s.db.OpenNext(r.Context(), currentAccount(r).ID, batchID)
	if err != nil {
		return err
	}
	return s.redirectToItem(w, r, batchID, token)
}

func (s *Server) postComment(w http.ResponseWriter, r *http.Request) error {
	fields, err := readFields(r)
	if err != nil {
		return err
	}
	batchID, itemID := formID[project.BatchID](r, "batch"), formID[project.ItemID](r, "item")
	if err := s.db.AddCalibrationComment(r.Context(), currentAccount(r).ID, batchID, itemID, fields.Get("message")); err != nil {
		return err
	}
	return redirect(w, r, calibrationPath(batchID)+"&"+itemAnchor(itemID))
}
