package web

import (
	"context"
	"net/http"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
	"github.com/labelwright/labelwright/web/page"
)

func (s *Server) showWebhooks(w http.ResponseWriter, r *http.Request, p project.Project) error {
	d := page.WebhooksData{Project: p}
	if queryParam(r, "after") == "delete" {
		d.Notice = currentLocale(r).T("Webhook deleted.")
	}
	return s.renderWebhooks(w, r, http.StatusOK, d)
}

func (s *Server) renderWebhooks(w http.ResponseWriter, r *http.Request, status int, d page.WebhooksData) (err error) {
	d.User = currentUser(r)
	if d.Webhooks, err = s.db.Webhooks(r.Context(), currentAccount(r).ID, d.Project); err != nil {
		return err
	}
	return render(w, r, status, page.Webhooks(d))
}

// createWebhook creates a webhook. Its secret is shown once, in the response.
func (s *Server) createWebhook(w http.ResponseWriter, r *http.Request, p project.Project) error {
	n := webhookForm(r)
	_, secret, err := s.db.CreateWebhook(r.Context(), currentAccount(r).ID, p, n)
	if status := formErrorStatus(err); status != 0 {
		return s.renderWebhooks(w, r, status, page.WebhooksData{Project: p, Form: n, Errors: toFormErrors(
			currentLocale(r), err, "url")})
	}
	if err != nil {
		return err
	}
	return s.renderWebhooks(w, r, http.StatusOK, page.WebhooksData{Project: p, Secret: secret,
		Notice: currentLocale(r).T("Webhook created.")})
}

func webhookForm(r *http.Request) webhook.New {
	n := webhook.New{URL: r.PostFormValue("url")}
	for _, t := range r.PostForm["events"] {
		n.EventTypes = append(n.EventTypes, webhook.EventType(t))
	}
	return n
}

// webhookNotices are shown after a change.
var webhookNotices = map[string]locale.Text{
	"test":   locale.Text("A test event is sent within seconds. Reload the page to see its delivery."),
	"resend": locale.Text("The event is sent again within seconds, with the same id. Reload the page to see it."),
	"change": locale.Text("Webhook changed."), "disable": locale.Text("Webhook disabled."),
	"enable": locale.Text("Webhook enabled. Events that waited are sent."),
}

// deliveriesPerPage is how many deliveries a page lists.
const deliveriesPerPage = 50

func (s *Server) showWebhook(w http.ResponseWriter, r *http.Request, p project.Project) error {
	return s.renderWebhook(w, r, http.StatusOK, page.WebhookData{Project: p,
		Notice: currentLocale(r).Translate(webhookNotices[queryParam(r, "after")])})
}

func (s *Server) renderWebhook(w http.ResponseWriter, r *http.Request, status int, d page.WebhookData) (err error) {
	ctx, actorID, id := r.Context(), currentAccount(r).ID, pathID[webhook.ID](r)
	d.User = currentUser(r)
	if d.Webhook, err = s.db.Webhook(ctx, actorID, d.Project, id); err != nil {
		return err
	}
	if d.Deliveries, err = s.db.WebhookDeliveries(ctx, actorID, d.Project, id, queryID[webhook.DeliveryID](r, "before"),
		deliveriesPerPage+1); err != nil {
		return err
	}
	if d.Errors == nil {
		d.Form = webhook.New{URL: d.Webhook.URL, EventTypes: d.Webhook.EventTypes}
	}
	if len(d.Deliveries) > deliveriesPerPage {
		d.Deliveries = d.Deliveries[:deliveriesPerPage]
		d.Next = d.Deliveries[deliveriesPerPage-1].ID
	}
	return render(w, r, status, page.Webhook(d))
}

// rotateWebhookSecret makes a new secret, which is shown once, in the response.
func (s *Server) rotateWebhookSecret(w http.ResponseWriter, r *http.Request, p project.Project) error {
	secret, err := s.db.RotateWebhookSecret(r.Context(), currentAccount(r).ID, p, pathID[webhook.ID](r))
	if err != nil {
		return err
	}
	return s.renderWebhook(w, r, http.StatusOK, page.WebhookData{Project: p, Secret: secret,
		Notice: currentLocale(r).T(
			"New secret made. For 24 hours messages are signed with the previous one, too.")})
}

// A webhookChange is a method of postgres.DB that changes a webhook.
type webhookChange func(context.Context, account.ID, project.Project, webhook.ID) error

// changeWebhook returns a handler that changes a webhook.
func (s *Server) changeWebhook(name string, change webhookChange) projectHandler {
	return func(w http.ResponseWriter, r *http.Request, p project.Project) error {
		id := pathID[webhook.ID](r)
		return s.webhookChanged(w, r, p, id, name, change(r.Context(), currentAccount(r).ID, p, id))
	}
}

// webhookChanged shows the webhook after a change, with the error of one that was refused.
func (s *Server) webhookChanged(w http.ResponseWriter, r *http.Request, p project.Project, id webhook.ID, name string,
	err error) error {
	if fault.KindOf(err) == fault.Conflict {
		return s.renderWebhook(w, r, http.StatusConflict, page.WebhookData{Project: p, Error: currentLocale(
			r).Message(err)})
	}
	if err != nil {
		return err
	}
	if name == "delete" {
		return redirect(w, r, page.ProjectPath(p.Key, "webhooks")+"?after=delete")
	}
	return redirect(w, r, page.ProjectPath(p.Key, "webhooks", formatID(id))+"?after="+name)
}

// setWebhook changes the address and the events of a webhook. No event means all.
func (s *Server) setWebhook(w http.ResponseWriter, r *http.Request, p project.Project) error {
	id, n := pathID[webhook.ID](r), webhookForm(r)
	if len(n.EventTypes) == 0 {
		n.EventTypes = webhook.EventTypes
	}
	err := s.db.ChangeWebhook(r.Context(), currentAccount(r).ID, p, id, n)
	if fault.KindOf(err) == fault.Invalid {
		return s.renderWebhook(w, r, http.StatusUnprocessableEntity, page.WebhookData{Project: p, Form: n,
			Errors: toFormErrors(currentLocale(r), err, "url")})
	}
	return s.webhookChanged(w, r, p, id, "change", err)
}

// resendDelivery sends the event in the field delivery again.
func (s *Server) resendDelivery(w http.ResponseWriter, r *http.Request, p project.Project) error {
	id, err := s.db.ResendDelivery(r.Context(), currentAccount(r).ID, p, formID[webhook.DeliveryID](r, "delivery"))
	return s.webhookChanged(w, r, p, id, "resend", err)
}
