package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
)

const (
	secondFactorPath = "/account/second-factor"
	secondStepPath   = "/sign-in/second-factor"
	secondStepTime   = 5 * time.Minute // from the password to the code
)

// A secondStep is a sign-in whose password is right. The browser's session stores it until the code is entered.
type secondStep struct {
	AccountID account.ID `json:"account"`
	NextPath  string     `json:"next"`
	Until     time.Time  `json:"until"`
}

// lacksSecondFactor reports whether the role of a needs a second factor that a has not.
func (s *Server) lacksSecondFactor(a *account.Account) bool {
	return a != nil && !s.hasSecondFactor(a) && slices.Contains(s.config.SecondFactor, a.Role)
}

// beginSecondStep asks the user whose password is right for a code.
func (s *Server) beginSecondStep(w http.ResponseWriter, r *http.Request, a account.Account, nextPath string) error {
	text, err := json.Marshal(secondStep{a.ID, nextPath, time.Now().Add(secondStepTime)})
	if err != nil {
		return err
	}
	if err := s.sessions.RenewToken(r.Context()); err != nil {
		return err
	}
	s.sessions.Put(r.Context(), sessionSecondStep, string(text))
	return redirect(w, r, secondStepPath)
}

// currentSecondStep returns the sign-in that waits for a code, or none.
func (s *Server) currentSecondStep(r *http.Request) (step secondStep, exists bool) {
	err := json.Unmarshal([]byte(s.sessions.GetString(r.Context(), sessionSecondStep)), &step)
	return step, err == nil && time.Now().Before(step.Until)
}

func (s *Server) showSecondStep(w http.ResponseWriter, r *http.Request) error {
	step, exists := s.currentSecondStep(r)
	if !exists {
		return redirect(w, r, "/sign-in")
	}
	return s.renderSecondStep(w, r, step, http.StatusOK, nil)
}

// renderSecondStep shows the page that asks for the second factor, after a problem or nil.
func (s *Server) renderSecondStep(w http.ResponseWriter, r *http.Request, step secondStep, status int,
	problem error) error {
	d, err := s.newSecondStepData(r, step)
	if err != nil {
		return err
	}
	if problem != nil {
		s.logDenial(r, deniedSignIn)
		d.Errors = []string{currentLocale(r).Message(problem)}
	}
	return render(w, r, status, page.SecondStep(d))
}

// takeSecondStep signs in the user who entered a right code.
func (s *Server) takeSecondStep(w http.ResponseWriter, r *http.Request) error {
	step, exists := s.currentSecondStep(r)
	if !exists {
		return redirect(w, r, "/sign-in")
	}
	var a account.Account
	err := errTooManyAttempts
	if !s.signInLimiter.OnLimit(w, r, "sign-in "+clientAddress(r)) {
		a, err = s.db.FinishSignIn(r.Context(), step.AccountID, r.PostFormValue("code"))
	}
	if isPasswordProblem(err) {
		return s.renderSecondStep(w, r, step, problem.Status(fault.KindOf(err)), err)
	}
	if err != nil {
		return err
	}
	s.sessions.Remove(r.Context(), sessionSecondStep)
	return s.openSession(w, r, a, step.NextPath)
}

func (s *Server) showSecondFactor(w http.ResponseWriter, r *http.Request) error {
	return s.renderSecondFactor(w, r, http.StatusOK, page.SecondFactorData{})
}

func (s *Server) renderSecondFactor(w http.ResponseWriter, r *http.Request, status int,
	d page.SecondFactorData) (err error) {
	a := currentAccount(r)
	d.User, d.IsSetUp, d.IsRequired = currentUser(r), a.HasAuthenticator, s.lacksSecondFactor(a)
	if d.Passkeys, err = s.passkeysOf(r); err != nil {
		return err
	}
	d.Passkeys.Errors = d.PasskeyErrors
	if d.IsSetUp {
		if d.UnusedCodes, err = s.db.UnusedRecoveryCodes(r.Context(), a.ID); err != nil {
			return err
		}
		return render(w, r, status, page.SecondFactor(d))
	}
	if d.KeyAddress = s.sessions.GetString(r.Context(), sessionTOTPKey); d.KeyAddress == "" {
		if d.KeyAddress, err = account.NewTOTPKey(a.Email); err != nil {
			return err
		}
		s.sessions.Put(r.Context(), sessionTOTPKey, d.KeyAddress)
	}
	if d.Secret, err = account.TOTPSecret(d.KeyAddress); err != nil {
		return err
	}
	return render(w, r, status, page.SecondFactor(d))
}

// setUpSecondFactor stores the authenticator app that shows the code of the form. The recovery codes are shown once,
// in the response.
func (s *Server) setUpSecondFactor(w http.ResponseWriter, r *http.Request) error {
	a := currentAccount(r)
	key := s.sessions.GetString(r.Context(), sessionTOTPKey)
	if key == "" {
		return redirect(w, r, secondFactorPath)
	}
	secret, err := account.TOTPSecret(key)
	if err != nil {
		return err
	}
	codes, err := s.db.SetUpSecondFactor(r.Context(), a.ID, secret, r.PostFormValue("code"))
	if status := formErrorStatus(err); status != 0 {
		return s.renderSecondFactor(w, r, status, page.SecondFactorData{
			Errors: []string{currentLocale(r).Message(err)}})
	}
	if err != nil {
		return err
	}
	s.sessions.Remove(r.Context(), sessionTOTPKey)
	return render(w, r, http.StatusOK, page.RecoveryCodes(currentUser(r), codes))
}

// removeSecondFactor removes the authenticator app of a user who enters a code of it, or a recovery code.
func (s *Server) removeSecondFactor(w http.ResponseWriter, r *http.Request) error {
	a := currentAccount(r)
	_, err := s.db.VerifySecondFactor(r.Context(), a.ID, r.PostFormValue("code"))
	if isPasswordProblem(err) {
		return s.renderSecondFactor(w, r, problem.Status(fault.KindOf(err)),
			page.SecondFactorData{Errors: []string{currentLocale(r).Message(err)}})
	}
	if err == nil {
		err = s.db.RemoveSecondFactor(r.Context(), a.ID)
	}
	if err != nil {
		return err
	}
	return redirect(w, r, "/account?after=second-factor")
}

// resetSecondFactor removes the second factor of a user who lost it, for an admin.
func (s *Server) resetSecondFactor(w http.ResponseWriter, r *http.Request) error {
	id := pathID[account.ID](r)
	if err := s.db.ResetSecondFactor(r.Context(), currentAccount(r).ID, id); err != nil {
		return err
	}
	return redirect(w, r, page.UserPath(id)+"?after=change")
}
