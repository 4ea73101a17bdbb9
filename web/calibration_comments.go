package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// groupComments returns the comments on each calibration item.
func groupComments(d postgres.CalibrationComments, readerID account.ID) map[project.ItemID][]page.CalibrationComment {
	byItem := map[project.ItemID][]page.CalibrationComment{}
	for _, c := range d.Comments {
		byItem[c.ItemID] = append(byItem[c.ItemID], page.CalibrationComment{Author: c.Author,
			IsOwn: c.AccountID == readerID, CreatedAt: c.CreatedAt, Message: c.Message})
	}
	return byItem
}

// itemAnchor returns the query and fragment that open a page at the comments on
// an item.
func itemAnchor(itemID project.ItemID) string {
	id := formatID(itemID)
	return "item=" + id + "#item-" + id
}

// postComment adds an annotator's comment on a calibration item.
func (s *Server) postComment(w http.ResponseWriter, r *http.Request) error {
	batchID, itemID := formID[project.BatchID](r, "batch"), formID[project.ItemID](r, "item")
	if err := s.db.AddCalibrationComment(r.Context(), currentAccount(r).ID, batchID, itemID,
		r.PostFormValue("message")); err != nil {
		return err
	}
	return redirect(w, r, calibrationPath(batchID)+"&"+itemAnchor(itemID))
}

// postLeadComment adds a lead's comment on a calibration item.
func (s *Server) postLeadComment(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	itemID := formID[project.ItemID](r, "item")
	if err := s.db.AddLeadCalibrationComment(r.Context(), currentAccount(r).ID, b.ID, itemID,
		r.PostFormValue("message")); err != nil {
		return err
	}
	return redirect(w, r, calibrationResultsPath(p, b)+"?"+itemAnchor(itemID))
}
