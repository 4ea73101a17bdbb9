package web

import (
	"net/http"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showMember(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.MemberRecordData{Project: p}
	d.Notice = currentLocale(r).Translate(map[string]locale.Text{"role": locale.Text("Role changed."),
		"pause":  locale.Text("Paused. The member keeps the open item and gets no other."),
		"resume": locale.Text("Resumed. The member can continue."),
		"ended":  locale.Text("Work ended. The member sees your thank-you on the Work page."),
	}[queryParam(r, "after")])
	return s.renderMember(w, r, http.StatusOK, d)
}

// renderMember shows the record of the member in the path.
func (s *Server) renderMember(w http.ResponseWriter, r *http.Request, status int, d page.MemberRecordData) error {
	record, err := s.db.MemberRecord(r.Context(), currentAccount(r).ID, d.Project, pathParam(r, "pseudonym"))
	if err != nil {
		return err
	}
	d.User, d.Now = currentUser(r), time.Now()
	d.Member, d.WorkEndedAt, d.TotalItems, d.TotalMS = page.MemberRow(record.Member), record.WorkEndedAt,
		record.TotalItems, record.TotalMS
	d.Requested, d.Reopened, d.Unresolved = record.Corrections.Requested, record.Corrections.Reopened,
		record.Corrections.Unresolved
	for _, b := range record.Batches {
		d.Batches = append(d.Batches, page.MemberBatch{ID: b.BatchID, Name: b.Name, IsClosed: b.IsClosed,
			PausedAt: b.PausedAt, RemovedAt: b.RemovedAt,
			Completed: b.Completed, HasOpenItem: b.HasOpenItem, LastOpenedAt: b.LastOpenedAt,
			CalibrationAttempts: b.CalibrationAttempts, CalibrationCompleted: b.CalibrationCompleted,
			MissedFields: b.MissedFields, AwaitsDecision: b.AwaitsDecision,
			ComparedAnswers: b.ComparedAnswers, EqualAnswers: b.EqualAnswers})
	}
	for _, read := range record.Reading {
		d.Reading = append(d.Reading, page.MemberReading(read))
	}
	d.Days = pageWorkDays(record.Days)
	return render(w, r, status, page.MemberRecord(d))
}

func pageWorkDays(days []postgres.WorkDay) (list []page.WorkDay) {
	for _, day := range days {
		list = append(list, page.WorkDay{ProjectTitle: day.ProjectTitle, Day: day.Day, Items: day.Items,
			ActiveMS: day.ActiveMS})
	}
	return list
}

// setMemberRole makes a member a lead or an annotator of the project.
func (s *Server) setMemberRole(w http.ResponseWriter, r *http.Request, p project.Project) error {
	member, err := s.db.SetMemberRole(r.Context(), currentAccount(r).ID, p, pathParam(r, "pseudonym"),
		account.Role(r.PostFormValue("role")))
	if status := formErrorStatus(err); status != 0 {
		return s.renderMember(w, r, status, page.MemberRecordData{Project: p, Errors: toFormErrors(currentLocale(r),
			err, "")})
	}
	if err != nil {
		return err
	}
	if a := currentAccount(r); member.AccountID == a.ID && member.Role != account.Lead && !a.Role.IsAdmin() {
		return redirect(w, r, "/projects")
	}
	return redirect(w, r, page.ProjectPath(p.Key, "members", member.Pseudonym)+"?after=role")
}

// pauseMember pauses or resumes a member in a batch.
func (s *Server) pauseMember(w http.ResponseWriter, r *http.Request, p project.Project) error {
	pseudonym, batch, action := pathParam(r, "pseudonym"), r.PostFormValue("batch"), r.PostFormValue("action")
	change := project.BatchChange{Reason: r.PostFormValue("reason")}
	switch action {
	case "pause":
		change.Pause = []string{pseudonym}
	case "resume":
		change.Resume = []string{pseudonym}
	default:
		return s.renderMember(w, r, http.StatusUnprocessableEntity, page.MemberRecordData{Project: p,
			Errors: page.FormErrors{{Message: currentLocale(r).T("Choose pause or resume.")}}})
	}
	_, err := s.db.ChangeBatch(r.Context(), currentAccount(r).ID, p, batch, change)
	if status := formErrorStatus(err); status != 0 {
		return s.renderMember(w, r, status, page.MemberRecordData{Project: p, Errors: toFormErrors(currentLocale(r),
			err, "")})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "members", pseudonym)+"?after="+action)
}

// endWork thanks a member and ends their work in the project.
func (s *Server) endWork(w http.ResponseWriter, r *http.Request, p project.Project) error {
	thankYou := r.PostFormValue("thank_you")
	member, err := s.db.EndWork(r.Context(), currentAccount(r).ID, p, pathParam(r, "pseudonym"), thankYou)
	if status := formErrorStatus(err); status != 0 {
		return s.renderMember(w, r, status, page.MemberRecordData{Project: p, ThankYou: thankYou,
			Errors: toFormErrors(currentLocale(r), err, "thank_you")})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "members", member.Pseudonym)+"?after=ended")
}
