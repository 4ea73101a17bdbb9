package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

// itemFromPath returns the item of p that the path names.
func (s *Server) itemFromPath(r *http.Request, p project.Project) (project.Item, error) {
	return s.db.Item(r.Context(), p.ID, pathID[project.ItemID](r))
}

func (s *Server) showItem(w http.ResponseWriter, r *http.Request, p project.Project) error {
	item, err := s.itemFromPath(r, p)
	if err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.ItemPage(page.ItemPageData{User: currentUser(r), Project: p, Item: item,
		Metadata: metadataRows(item)}))
}

// metadataRows returns the metadata of an item sorted by name: strings as they
// are, other values as JSON.
func metadataRows(item project.Item) (rows []ui.SummaryRow) {
	for _, key := range slices.Sorted(maps.Keys(item.Meta)) {
		var text string
		if err := json.Unmarshal(item.Meta[key], &text); err != nil {
			text = string(item.Meta[key])
		}
		rows = append(rows, ui.SummaryRow{Label: key, Value: text})
	}
	return rows
}

// showItemAnswers shows the answers of all annotators to one item side by side.
func (s *Server) showItemAnswers(w http.ResponseWriter, r *http.Request, p project.Project) error {
	item, err := s.itemFromPath(r, p)
	if err != nil {
		return err
	}
	answers, err := s.db.ItemAnnotations(r.Context(), currentAccount(r).ID, p, item.ID)
	if err != nil {
		return err
	}
	d := page.SideBySideData{User: currentUser(r), Project: p, Item: item}
	for _, a := range answers {
		d.Answers = append(d.Answers, page.AnnotatorAnswers(a))
	}
	judgments, err := s.db.ItemJudgments(r.Context(), currentAccount(r).ID, p, item.ID)
	if err != nil {
		return err
	}
	for _, j := range judgments {
		d.Judgments = append(d.Judgments, page.AnnotatorAnswers(j))
	}
	return render(w, r, http.StatusOK, page.SideBySide(d))
}
