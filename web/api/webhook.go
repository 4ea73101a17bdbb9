package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

// A Webhook is an address that receives events of a project. Its secret is in the response
// that made it, and in no other.
type Webhook struct {
	webhook.HookRow
	version int
}

func (w Webhook) objectVersion() int { return w.version }

// A WebhookList lists webhooks.
type WebhookList struct {
	Webhooks []Webhook `json:"webhooks"`
}

// A NewWebhook is the body that creates a webhook.
type NewWebhook struct {
	URL    string              `json:"url" minLength:"1" maxLength:"1000" example:"https://example.org/hooks/labels"`
	Events []webhook.EventType `json:"events,omitempty" maxItems:"20" enum:"batch.opened,batch.changed,batch.closed,batch.reopened,item.completed,item.adjudicated,verdict.changed,export.ready" doc:"Default: all."`
}

// A WebhookChange is the body that changes a webhook.
type WebhookChange struct {
	URL    string              `json:"url,omitempty" maxLength:"1000" doc:"Events that wait are sent there, too."`
	Events []webhook.EventType `json:"events,omitempty" maxItems:"20" enum:"batch.opened,batch.changed,batch.closed,batch.reopened,item.completed,item.adjudicated,verdict.changed,export.ready"`
}

// A WebhookSecret is a secret that was just made.
type WebhookSecret struct {
	ID     webhook.ID `json:"id" doc:"Id of the webhook."`
	Secret string     `json:"secret" doc:"Messages are signed with it. It is not shown again." example:"whsec_…"`
}

// A DeletedWebhook is the answer to a deletion.
type DeletedWebhook struct {
	ID webhook.ID `json:"id"`
}

// A WebhookPath is the input of an operation on a webhook.
type WebhookPath struct {
	ProjectPath
	Webhook webhook.ID `path:"webhook" minimum:"1" doc:"Id of the webhook."`
}

// A WebhookBody is the input of an operation on a webhook with a body.
type WebhookBody[B any] struct {
	WebhookPath
	Body B
}

// A DeliveryList is a part of the deliveries of a webhook.
type DeliveryList struct {
	Deliveries []webhook.DeliveryRow `json:"deliveries"`
	NextCursor string                `json:"next_cursor,omitempty"`
}

// The operations on webhooks.
var (
	ListWebhooks = newRead(endpoint{id: "list-webhooks", path: "/projects/{project}/webhooks", tag: "Webhooks",
		scope: account.ScopeManage, summary: "List the webhooks",
		text: "Their addresses may hold secrets, so the scope `read` is not enough."},
		func(ctx context.Context, a *API, c caller, _ *ProjectPath) (WebhookList, error) {
			webhooks, err := a.DB.Webhooks(ctx, c.id(), c.project)
			return WebhookList{mapped(webhooks, newWebhook)}, err
		})

	CreateWebhook = newWrite(endpoint{id: "create-webhook", method: http.MethodPost,
		path: "/projects/{project}/webhooks", tag: "Webhooks", scope: account.ScopeManage,
		status: http.StatusCreated, summary: "Create a webhook",
		text: "The response has the secret, which is not shown again. Messages are signed with it as Standard Webhooks describes, whose libraries verify them: " +
			"`{\"type\":\"item.completed\",\"timestamp\":\"…\",\"data\":{\"project\":\"pilot\",\"batch\":\"first\",\"item\":\"r17\",\"labels\":2}}`. An event can arrive again, with the same header `webhook-id`."},
		func(ctx context.Context, a *API, c caller, in *ProjectBody[NewWebhook]) (WebhookSecret, error) {
			id, secret, err := a.DB.CreateWebhook(ctx, c.id(), c.project, webhook.New{URL: in.Body.URL,
				EventTypes: in.Body.Events})
			return WebhookSecret{id, secret}, err
		})

	ShowWebhook = newRead(endpoint{id: "show-webhook", path: "/projects/{project}/webhooks/{webhook}", tag: "Webhooks",
		scope: account.ScopeManage, summary: "Show a webhook"},
		func(ctx context.Context, a *API, c caller, in *WebhookPath) (Webhook, error) {
			return a.showWebhook(ctx, c, in.Webhook, nil)
		})

	ChangeWebhook = newWrite(endpoint{id: "change-webhook", object: postgres.VersionedWebhook, method: http.MethodPatch,
		path: "/projects/{project}/webhooks/{webhook}",
		tag:  "Webhooks", scope: account.ScopeManage, summary: "Change the address or the events of a webhook",
		text: "What is missing in the body stays. The secret stays, too."},
		func(ctx context.Context, a *API, c caller, in *WebhookBody[WebhookChange]) (Webhook, error) {
			change := webhook.New{URL: in.Body.URL, EventTypes: in.Body.Events}
			return a.showWebhook(ctx, c, in.Webhook, a.DB.ChangeWebhook(ctx, c.id(), c.project, in.Webhook, change))
		})

	DeleteWebhook = newWrite(endpoint{id: "delete-webhook", object: postgres.VersionedWebhook,
		method: http.MethodDelete, path: "/projects/{project}/webhooks/{webhook}",
		tag: "Webhooks", scope: account.ScopeManage, summary: "Delete a webhook",
		text: "Its secret, the events that wait and the delivery log are deleted, too."},
		func(ctx context.Context, a *API, c caller, in *WebhookPath) (DeletedWebhook, error) {
			return DeletedWebhook{in.Webhook}, a.DB.DeleteWebhook(ctx, c.id(), c.project, in.Webhook)
		})

	RotateWebhookSecret = newWrite(endpoint{id: "rotate-webhook-secret", object: postgres.VersionedWebhook,
		method: http.MethodPost,
		path:   "/projects/{project}/webhooks/{webhook}/secret", tag: "Webhooks", scope: account.ScopeManage,
		summary: "Make a new secret for a webhook",
		text:    "For 24 hours each message has two signatures, so that the receiver can change its secret without losing messages."},
		func(ctx context.Context, a *API, c caller, in *WebhookPath) (WebhookSecret, error) {
			secret, err := a.DB.RotateWebhookSecret(ctx, c.id(), c.project, in.Webhook)
			return WebhookSecret{in.Webhook, secret}, err
		})

	TestWebhook    = newWebhookAction("test", "Send a test event", (*postgres.DB).TestWebhook)
	DisableWebhook = newWebhookAction("disable", "Stop a webhook", (*postgres.DB).DisableWebhook)
	EnableWebhook  = newWebhookAction("enable", "Start a stopped webhook", (*postgres.DB).EnableWebhook)
)

// newWebhookAction returns an operation that has no body.
func newWebhookAction(name, summary string, run func(*postgres.DB, context.Context, account.ID, project.Project,
	webhook.ID) error) Operation[WebhookPath, Webhook] {
	return newWrite(endpoint{id: name + "-webhook", object: postgres.VersionedWebhook, method: http.MethodPost,
		path: "/projects/{project}/webhooks/{webhook}/" + name, tag: "Webhooks", scope: account.ScopeManage,
		summary: summary},
		func(ctx context.Context, a *API, c caller, in *WebhookPath) (Webhook, error) {
			return a.showWebhook(ctx, c, in.Webhook, run(a.DB, ctx, c.id(), c.project, in.Webhook))
		})
}

// ListDeliveriesInput is the input of ListDeliveries.
type ListDeliveriesInput struct {
	WebhookPath
	PageParams
}

// ResendDeliveryInput is the input of ResendDelivery.
type ResendDeliveryInput struct {
	ProjectPath
	Delivery webhook.DeliveryID `path:"delivery" minimum:"1" doc:"Id of the delivery."`
}

// The operations on webhooks.
var (
	ListDeliveries = newRead(endpoint{id: "list-deliveries", path: "/projects/{project}/webhooks/{webhook}/deliveries",
		tag: "Webhooks", scope: account.ScopeManage, summary: "List the deliveries of a webhook, newest first",
		text: "Events of the last 30 days, with their latest attempts."}, listDeliveries)

	ResendDelivery = newWrite(endpoint{id: "resend-delivery", method: http.MethodPost,
		path: "/projects/{project}/deliveries/{delivery}/resend", tag: "Webhooks", scope: account.ScopeManage,
		summary: "Send an event again",
		text:    "The event has the same id as before, so that the receiver recognizes it."},
		func(ctx context.Context, a *API, c caller, in *ResendDeliveryInput) (Webhook, error) {
			id, err := a.DB.ResendDelivery(ctx, c.id(), c.project, in.Delivery)
			return a.showWebhook(ctx, c, id, err)
		})
)

func newWebhook(w webhook.Webhook) Webhook { return Webhook{webhook.NewHookRow(w), w.Version} }

// showWebhook returns a webhook, after a change that may have failed.
func (a *API) showWebhook(ctx context.Context, c caller, id webhook.ID, err error) (Webhook, error) {
	if err != nil {
		return Webhook{}, err
	}
	w, err := a.DB.Webhook(ctx, c.id(), c.project, id)
	return newWebhook(w), err
}

func listDeliveries(ctx context.Context, a *API, c caller, in *ListDeliveriesInput) (DeliveryList, error) {
	before, err := parseNewestFirst[webhook.DeliveryID](in.Cursor)
	if err != nil {
		return DeliveryList{}, err
	}
	found, err := a.DB.WebhookDeliveries(ctx, c.id(), c.project, in.Webhook, before, in.Limit)
	list := DeliveryList{Deliveries: mapped(found, webhook.NewDeliveryRow)}
	if len(found) == in.Limit {
		list.NextCursor = strconv.FormatInt(int64(found[len(found)-1].ID), 10)
	}
	return list, err
}

// parseNewestFirst reads the cursor of a list that is sorted by falling ids; 0: from the start.
func parseNewestFirst[T ~int64](cursor string) (before T, err error) {
	if cursor == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || id < 1 {
		return 0, fault.Invalid.Errorf("“%s” is not a cursor. Use next_cursor of the page before.", cursor)
	}
	return T(id), nil
}
