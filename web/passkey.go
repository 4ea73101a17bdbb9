package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/passkey"
	"github.com/labelwright/labelwright/web/page"
	"github.com/labelwright/labelwright/web/problem"
)

const passkeyPath = "/sign-in/passkey"

// hasPasskeys reports whether users sign in with passkeys: browsers offer them here, and not only the company signs
// users in.
func (s *Server) hasPasskeys() bool { return s.passkeys != nil && !s.config.OIDCOnly }

// withPasskeys runs h where users sign in with passkeys.
func (s *Server) withPasskeys(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !s.hasPasskeys() {
			return fault.NotFound
		}
		return h(w, r)
	}
}

// hasSecondFactor reports whether a has a second factor that is used here.
func (s *Server) hasSecondFactor(a *account.Account) bool {
	return a.HasAuthenticator || a.HasPasskey && s.hasPasskeys()
}

func (s *Server) putPasskeyAttempt(r *http.Request, a passkey.Attempt) error {
	text, err := json.Marshal(a)
	if err == nil {
		s.sessions.Put(r.Context(), sessionPasskey, string(text))
	}
	return err
}

var errNoPasskeyAttempt = fault.SignedOut.Errorf("The passkey was not accepted. Try again.")

// popPasskeyAttempt returns what the browser was asked. Each attempt is used once.
func (s *Server) popPasskeyAttempt(r *http.Request) (a passkey.Attempt, err error) {
	if json.Unmarshal([]byte(s.sessions.PopString(r.Context(), sessionPasskey)), &a) != nil {
		return a, errNoPasskeyAttempt
	}
	return a, nil
}

// showPasskeySignIn asks the browser for any passkey of this site.
func (s *Server) showPasskeySignIn(w http.ResponseWriter, r *http.Request) error {
	d := s.newSignInData("", queryParam(r, "next"))
	if s.signInLimiter.OnLimit(w, r, "sign-in "+clientAddress(r)) {
		return s.renderFailedSignIn(w, r, d, errTooManyAttempts)
	}
	options, attempt, err := s.passkeys.BeginSignIn(nil)
	if err != nil {
		return err
	}
	attempt.NextPath = d.NextPath
	if err := s.putPasskeyAttempt(r, attempt); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.PasskeySignIn(options))
}

// newSecondStepData returns the data of the page that asks for a second factor, a code or a passkey.
func (s *Server) newSecondStepData(r *http.Request, step secondStep) (d page.SecondStepData, err error) {
	a, err := s.db.Account(r.Context(), step.AccountID)
	if err != nil {
		return d, err
	}
	d.HasAuthenticator = a.HasAuthenticator
	if !a.HasPasskey || !s.hasPasskeys() {
		return d, nil
	}
	user, err := s.db.PasskeyUser(r.Context(), a.ID)
	if err != nil {
		return d, err
	}
	var attempt passkey.Attempt
	if d.PasskeyOptions, attempt, err = s.passkeys.BeginSignIn(&user); err != nil {
		return d, err
	}
	attempt.NextPath = step.NextPath
	return d, s.putPasskeyAttempt(r, attempt)
}

// signInWithPasskey signs in the user of a passkey. It counts as both factors: the device verified the user.
func (s *Server) signInWithPasskey(w http.ResponseWriter, r *http.Request) error {
	attempt, err := s.popPasskeyAttempt(r)
	var a account.Account
	if s.signInLimiter.OnLimit(w, r, "sign-in "+clientAddress(r)) {
		err = errTooManyAttempts
	}
	if err == nil {
		a, err = s.finishPasskeySignIn(r, attempt)
	}
	if err != nil {
		s.log.WarnContext(r.Context(), "sign-in with a passkey failed", "error", err)
		if step, exists := s.currentSecondStep(r); exists && fault.KindOf(err) == fault.SignedOut {
			return s.renderSecondStep(w, r, step, http.StatusUnprocessableEntity, err)
		}
		return s.renderFailedSignIn(w, r, s.newSignInData("", attempt.NextPath), err)
	}
	s.sessions.Remove(r.Context(), sessionSecondStep)
	return s.openSession(w, r, a, attempt.NextPath)
}

func (s *Server) finishPasskeySignIn(r *http.Request, attempt passkey.Attempt) (a account.Account, err error) {
	user, used, err := s.passkeys.FinishSignIn(attempt, r.PostFormValue("credential"),
		func(credentialID []byte) (account.PasskeyUser, error) {
			return s.db.UserOfPasskey(r.Context(), credentialID)
		})
	if err != nil {
		return a, err
	}
	return s.db.SignInWithPasskey(r.Context(), user.ID, used)
}

// beginPasskey asks the browser for a new passkey with the name of the form.
func (s *Server) beginPasskey(w http.ResponseWriter, r *http.Request) error {
	name, err := account.CheckName(r.PostFormValue("passkey_name"))
	if err != nil {
		return s.renderSecondFactor(w, r, http.StatusUnprocessableEntity,
			page.SecondFactorData{PasskeyErrors: []string{currentLocale(r).Message(err)}})
	}
	user, err := s.db.PasskeyUser(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	options, attempt, err := s.passkeys.BeginAdd(user)
	if err != nil {
		return err
	}
	attempt.Name = name
	if err := s.putPasskeyAttempt(r, attempt); err != nil {
		return err
	}
	return render(w, r, http.StatusOK, page.NewPasskey(currentUser(r), name, options))
}

// addPasskey stores the passkey that the browser made.
func (s *Server) addPasskey(w http.ResponseWriter, r *http.Request) error {
	err := s.storePasskey(r)
	if slices.Contains([]fault.Kind{fault.SignedOut, fault.Conflict}, fault.KindOf(err)) {
		s.log.WarnContext(r.Context(), "passkey not added", "error", err)
		return s.renderSecondFactor(w, r, http.StatusUnprocessableEntity,
			page.SecondFactorData{PasskeyErrors: []string{currentLocale(r).Message(problem.ToFault(err))}})
	}
	if err != nil {
		return err
	}
	return redirect(w, r, "/account?after=passkey")
}

func (s *Server) storePasskey(r *http.Request) error {
	attempt, err := s.popPasskeyAttempt(r)
	if err != nil {
		return err
	}
	user, err := s.db.PasskeyUser(r.Context(), currentAccount(r).ID)
	if err != nil {
		return err
	}
	added, err := s.passkeys.FinishAdd(user, attempt, r.PostFormValue("credential"))
	if err != nil {
		return err
	}
	added.Name = attempt.Name
	return s.db.AddPasskey(r.Context(), user.ID, added)
}

func (s *Server) removePasskey(w http.ResponseWriter, r *http.Request) error {
	if err := s.db.RemovePasskey(r.Context(), currentAccount(r).ID, pathID[account.PasskeyID](r)); err != nil {
		return err
	}
	return redirect(w, r, "/account?after=passkey-removed")
}

// passkeysOf returns the data of the section with the passkeys of the user.
func (s *Server) passkeysOf(r *http.Request) (d page.PasskeyData, err error) {
	if d.IsOffered = s.hasPasskeys(); !d.IsOffered {
		return d, nil
	}
	user, err := s.db.PasskeyUser(r.Context(), currentAccount(r).ID)
	if errors.Is(err, fault.NotFound) {
		return d, nil
	}
	d.Passkeys = user.Passkeys
	return d, err
}
