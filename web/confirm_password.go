package web

import (
	"maps"
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/ui"
)

const currentPasswordField = "current_password"

// withConfirmedPassword runs h for a user who entered the password a short while ago. Else it
// asks for the password on a page that keeps the posted form.
func (s *Server) withConfirmedPassword(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		confirmed, err := s.db.HasConfirmedPassword(r.Context(), currentSignIn(r))
		if err != nil {
			return err
		}
		if confirmed {
			return h(w, r)
		}
		fields := r.PostForm
		a := currentAccount(r)
		d := page.ConfirmPasswordData{User: currentUser(r), Path: r.URL.RequestURI(), Email: a.Email}
		status := http.StatusForbidden
		if fields.Has(currentPasswordField) {
			err := s.db.ConfirmPassword(r.Context(), currentSignIn(r), s.credentials(r, a.Email, currentPasswordField))
			if err == nil {
				return h(w, r)
			}
			if !isPasswordProblem(err) {
				return err
			}
			d.Errors, status = []string{fault.Message(err)}, outcomes[fault.KindOf(err)].status
		}
		delete(fields, currentPasswordField)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			for _, value := range fields[name] {
				d.Fields = append(d.Fields, ui.HiddenField{Name: name, Value: value})
			}
		}
		return render(w, r, status, page.ConfirmPassword(d))
	}
}
