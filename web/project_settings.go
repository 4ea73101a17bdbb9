package web

import (
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/stats"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showProjectSettings(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.ProjectSettingsData{Project: p, Title: p.Title}
	d.Notice = currentLocale(r).Translate(map[string]locale.Text{"saved": locale.Text("Title saved."),
		"tie-rule-saved": locale.Text("Tie rule saved."),
		"formats-saved":  locale.Text("Formats saved. Annotators see them from their next item."),
		"archived":       locale.Text("Project archived."),
		"erased":         locale.Text("All texts of the project were erased."),
		"unarchived":     locale.Text("The project is current again."),
	}[queryParam(r, "after")])
	return s.renderProjectSettings(w, r, http.StatusOK, d)
}

func (s *Server) renderProjectSettings(w http.ResponseWriter, r *http.Request, status int,
	d page.ProjectSettingsData) error {
	d.User = currentUser(r)
	members, err := s.db.Members(r.Context(), d.Project.ID)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Role == account.Lead {
			d.LeadCount++
		}
	}
	if d.OpenBatches, err = s.db.CountOpenBatches(r.Context(), d.Project.ID); err != nil {
		return err
	}
	if d.ErasedAt, err = s.db.ProjectErasedAt(r.Context(), d.Project.ID); err != nil {
		return err
	}
	return render(w, r, status, page.ProjectSettings(d))
}

// renameProject changes the title of a project.
func (s *Server) renameProject(w http.ResponseWriter, r *http.Request, p project.Project) error {
	title := r.PostFormValue("title")
	err := s.db.RenameProject(r.Context(), currentAccount(r).ID, p, title)
	return s.settingsChanged(w, r, page.ProjectSettingsData{Project: p, Title: title}, "saved", err)
}

// saveTieRule changes how the consensus of ties is found.
func (s *Server) saveTieRule(w http.ResponseWriter, r *http.Request, p project.Project) error {
	rule := stats.TieRule(r.PostFormValue("tie_rule"))
	err := s.db.ChangeProject(r.Context(), currentAccount(r).ID, p, project.Change{TieRule: &rule})
	return s.settingsChanged(w, r, page.ProjectSettingsData{Project: p, Title: p.Title}, "tie-rule-saved", err)
}

// archiveProject makes a project read-only.
func (s *Server) archiveProject(w http.ResponseWriter, r *http.Request, p project.Project) error {
	reason := r.PostFormValue("reason")
	err := s.db.ArchiveProject(r.Context(), currentAccount(r).ID, p, reason)
	return s.settingsChanged(w, r, page.ProjectSettingsData{Project: p, Title: p.Title, Reason: reason},
		"archived", err)
}

// unarchiveProject makes an archived project a current one.
func (s *Server) unarchiveProject(w http.ResponseWriter, r *http.Request, p project.Project) error {
	err := s.db.UnarchiveProject(r.Context(), currentAccount(r).ID, p)
	return s.settingsChanged(w, r, page.ProjectSettingsData{Project: p, Title: p.Title}, "unarchived", err)
}

// eraseProject erases the texts of an archived project.
func (s *Server) eraseProject(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.ProjectSettingsData{Project: p, Title: p.Title, Reason: r.PostFormValue("reason"),
		TypedKey: r.PostFormValue("key")}
	_, _, err := s.db.EraseProject(r.Context(), currentAccount(r).ID, p, d.TypedKey, d.Reason)
	return s.settingsChanged(w, r, d, "erased", err)
}

// settingsChanged shows the form d again for an error of the user, or the settings.
func (s *Server) settingsChanged(w http.ResponseWriter, r *http.Request, d page.ProjectSettingsData, after string,
	err error) error {
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "")
		return s.renderProjectSettings(w, r, status, d)
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(d.Project.Key, "settings")+"?after="+after)
}

// saveTextFormats changes how the texts of parts are shown.
func (s *Server) saveTextFormats(w http.ResponseWriter, r *http.Request, p project.Project) error {
	formats := map[string]protocol.TextFormat{}
	for _, part := range p.Protocol.Unit.Parts {
		if format := r.PostFormValue("format_" + part.Key); format != "" {
			formats[part.Key] = protocol.TextFormat(format)
		}
	}
	actorID, pattern := currentAccount(r).ID, project.CitationPattern(r.PostFormValue("citation_pattern"))
	d := page.ProjectSettingsData{Project: p, Title: p.Title, Citations: &pattern}
	err := s.db.ChangeProject(r.Context(), actorID, p, project.Change{CitationPattern: &pattern})
	if err == nil {
		err = s.db.SetTextFormats(r.Context(), actorID, p, formats)
	}
	return s.settingsChanged(w, r, d, "formats-saved", err)
}

func (s *Server) showInstructions(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.InstructionsData{User: currentUser(r), Project: p, Text: p.Instructions}
	if queryParam(r, "after") == "saved" {
		d.Notice = currentLocale(r).T("Instructions saved. Annotators read them before their next item.")
	}
	return render(w, r, http.StatusOK, page.Instructions(d))
}

// saveInstructions stores the instructions, or shows how annotators would see them.
func (s *Server) saveInstructions(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.InstructionsData{User: currentUser(r), Project: p, Text: r.PostFormValue("instructions")}
	if r.PostFormValue("action") == "preview" {
		d.IsPreview = true
		return render(w, r, http.StatusOK, page.Instructions(d))
	}
	err := s.db.SetInstructions(r.Context(), currentAccount(r).ID, p, d.Text)
	if status := formErrorStatus(err); status != 0 {
		d.Errors = toFormErrors(currentLocale(r), err, "instructions")
		return render(w, r, status, page.Instructions(d))
	}
	if err != nil {
		return err
	}
	return redirect(w, r, page.ProjectPath(p.Key, "instructions")+"?after=saved")
}
