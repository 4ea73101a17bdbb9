package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

// renderUnreadMessages shows the messages that the annotator must read before continuing.
func (s *Server) renderUnreadMessages(w http.ResponseWriter, r *http.Request, messages []postgres.UnreadMessage) error {
	d := page.MessagesData{User: currentUser(r)}
	if batchID := queryID[project.BatchID](r, "batch"); batchID != 0 {
		d.Batch = formatID(batchID)
	}
	for _, m := range messages {
		d.Messages = append(d.Messages, toPageMessage(m))
	}
	return render(w, r, http.StatusOK, page.Messages(d))
}

func toPageMessage(m postgres.UnreadMessage) page.UnreadMessage {
	shown := page.UnreadMessage{Field: "announcement", ID: formatID(m.AnnouncementID), ProjectTitle: m.ProjectTitle,
		Question: m.Question, Message: m.Message, CreatedAt: m.CreatedAt}
	if m.QuestionID != 0 {
		shown.Field, shown.ID = "question", formatID(m.QuestionID)
		shown.Item = askedItem(m.BatchID, m.Token, m.State, m.ItemTitle)
	}
	return shown
}

// acknowledgeMessages records that the annotator read the messages of the form, and
// continues.
func (s *Server) acknowledgeMessages(w http.ResponseWriter, r *http.Request) error {
	announcements, questions := formIDs[labeling.AnnouncementID](r, "announcement"), formIDs[labeling.QuestionID](r,
		"question")
	if err := s.db.AcknowledgeMessages(r.Context(), currentAccount(r).ID, announcements, questions); err != nil {
		return err
	}
	return redirectToItem(w, r, formID[project.BatchID](r, "batch"), "")
}

// formIDs returns the ids in the form fields with that name.
func formIDs[T ~int64](r *http.Request, key string) (ids []T) {
	for _, text := range r.PostForm[key] {
		ids = append(ids, parseID[T](text))
	}
	return ids
}

func (s *Server) showAnnouncements(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	return s.renderAnnouncements(w, r, http.StatusOK, p, b, nil)
}

func (s *Server) renderAnnouncements(w http.ResponseWriter, r *http.Request, status int, p project.Project,
	b project.Batch, formErrors page.FormErrors) error {
	announcements, err := s.db.Announcements(r.Context(), b.ID)
	if err != nil {
		return err
	}
	d := page.AnnouncementsData{User: currentUser(r), Project: p, Batch: b, Message: r.PostFormValue("message"),
		Errors: formErrors}
	for _, n := range announcements {
		d.Announcements = append(d.Announcements, toPageAnnouncement(n))
	}
	if queryParam(r, "after") == "sent" {
		d.Notice = currentLocale(r).T("Announcement sent. Annotators see it before they continue.")
	}
	return render(w, r, status, page.Announcements(d))
}

func toPageAnnouncement(n postgres.Announcement) page.Announcement {
	shown := page.Announcement{Message: n.Message, CreatedAt: n.CreatedAt, CreatedBy: n.CreatedBy,
		Annotators: len(n.Acknowledgment)}
	for _, k := range n.Acknowledgment {
		if k.AcknowledgedAt == nil {
			shown.Outstanding = append(shown.Outstanding, k.Annotator)
		} else {
			shown.ReadBy = append(shown.ReadBy, page.Reading{Annotator: k.Annotator, ReadAt: *k.AcknowledgedAt})
		}
	}
	return shown
}

// announce sends a message to the annotators of a batch.
func (s *Server) announce(w http.ResponseWriter, r *http.Request, p project.Project, b project.Batch) error {
	err := s.db.Announce(r.Context(), currentAccount(r).ID, p, b, r.PostFormValue("message"))
	if status := formErrorStatus(err); status != 0 {
		return s.renderAnnouncements(w, r, status, p, b, toFormErrors(currentLocale(r), err, "message"))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.BatchPath(p, b, "announcements")+"?after=sent")
}
