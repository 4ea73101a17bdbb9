package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/version"
	"github.com/labelwright/labelwright/internal/webhook"
	"github.com/labelwright/labelwright/web/api"
)

type webhookFlags struct {
	AllowedNetworks []string `name:"webhook-allow" env:"LABELWRIGHT_WEBHOOK_ALLOW" placeholder:"NETWORK" help:"Private networks that webhooks may reach, separated by commas, such as 10.1.0.0/16. Default: none."`
}

func (f webhookFlags) newEventSender() (*webhook.Sender, error) {
	allowed, err := webhook.ParseNetworks(f.AllowedNetworks)
	if err != nil {
		return nil, usageError{errors.New("--webhook-allow: " + err.Error())}
	}
	return webhook.NewSender(version.String(), allowed), nil
}

type webhookCommand struct {
	Create       webhookCreate       `cmd:"" help:"Create a webhook, and print its secret."`
	Change       webhookChange       `cmd:"" help:"Change the address or the events of a webhook."`
	List         webhookList         `cmd:"" help:"List the webhooks of a project."`
	Test         webhookTest         `cmd:"" help:"Send a test event."`
	Deliveries   webhookDeliveries   `cmd:"" help:"List the deliveries of a webhook, newest first."`
	Resend       webhookResend       `cmd:"" help:"Send an event again."`
	RotateSecret webhookRotateSecret `cmd:"" help:"Make a new secret for a webhook, and print it."`
	Disable      webhookDisable      `cmd:"" help:"Stop a webhook."`
	Enable       webhookEnable       `cmd:"" help:"Start a stopped webhook."`
	Delete       webhookDelete       `cmd:"" help:"Delete a webhook and its delivery log."`
}

type webhookCreate struct {
	Project string              `required:"" help:"Key of the project."`
	Events  []webhook.EventType `placeholder:"EVENT" help:"Events to send, separated by commas. Default: all."`
	URL     string              `arg:"" name:"url" help:"Address that receives the events."`
	resultFlags
}

// Run creates a webhook.
func (w webhookCreate) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		created, err := api.CreateWebhook.Call(ctx, client, api.ProjectBody[api.NewWebhook]{
			ProjectPath: projectPath(w.Project), Body: api.NewWebhook{URL: w.URL, Events: w.Events}})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.err, "Created webhook %d. The secret is not printed again:\n", created.ID)
		return w.show(s, created, "%s\n", created.Secret)
	})
}

type webhookList struct {
	Project string `required:"" help:"Key of the project."`
	resultFlags
}

// Run prints the webhooks of a project.
func (w webhookList) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, w.resultFlags, api.ListWebhooks, projectPath(w.Project),
		func(list api.WebhookList) error {
			if len(list.Webhooks) == 0 {
				fmt.Fprintln(s.out, "The project has no webhooks yet. Create one with `labelwright webhook create`.")
				return nil
			}
			table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
			fmt.Fprintln(table, "ID\tURL\tEVENTS\tWAITING\tDELIVERED\tSTATUS")
			for _, h := range list.Webhooks {
				fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\t%s\n", h.ID, h.URL, eventNames(h.Events), h.Pending,
					formatOptionalTime(h.LastDeliveredAt), h.Status)
			}
			return table.Flush()
		})
}

// eventNames lists events, or says that there are all.
func eventNames(types []webhook.EventType) string {
	if len(types) == len(webhook.EventTypes) {
		return "all"
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

type webhookFlag struct {
	Project string     `required:"" help:"Key of the project."`
	ID      webhook.ID `arg:"" help:"Id of the webhook, as the list has it."`
	resultFlags
}

func (w webhookFlag) path() api.WebhookPath {
	return api.WebhookPath{ProjectPath: projectPath(w.Project), Webhook: w.ID}
}

type webhookChange struct {
	webhookFlag
	URL    string              `placeholder:"URL" help:"New address."`
	Events []webhook.EventType `placeholder:"EVENT" help:"Events to send from now on, separated by commas."`
}

// Run changes a webhook.
func (w webhookChange) Run(c *cli, s streams, ctx runContext) error {
	if w.URL == "" && len(w.Events) == 0 {
		return usageError{errors.New("say what to change, with --url or --events")}
	}
	return c.withClient(ctx, func(client *api.Client) error {
		changed, err := api.ChangeWebhook.Call(ctx, client, api.WebhookBody[api.WebhookChange]{WebhookPath: w.path(),
			Body: api.WebhookChange{URL: w.URL, Events: w.Events}})
		if err != nil {
			return err
		}
		return w.show(s, changed, "Changed webhook %d. Events that wait are sent to its address, too.\n", changed.ID)
	})
}

type webhookDeliveries struct {
	webhookFlag
	pageFlags
}

// Run prints the deliveries of a webhook.
func (w webhookDeliveries) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, w.resultFlags, api.ListDeliveries, api.ListDeliveriesInput{WebhookPath: w.path(),
		PageParams: w.params()}, func(list api.DeliveryList) error {
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tCREATED\tEVENT\tSUBJECT\tATTEMPTS\tSTATUS\tLAST ANSWER")
		for _, d := range list.Deliveries {
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%d\t%s\t%s\n", d.ID, formatMinute(d.CreatedAt), d.Type, d.Subject,
				d.AttemptCount, d.Status, lastAnswer(d))
		}
		if err := table.Flush(); err != nil {
			return err
		}
		printCursor(s, "deliveries", list.NextCursor)
		return nil
	})
}

// lastAnswer describes the latest attempt.
func lastAnswer(d webhook.DeliveryRow) string {
	if len(d.Attempts) == 0 {
		return "none"
	}
	a := d.Attempts[0]
	if a.StatusCode == 0 {
		return a.Problem.Text()
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", a.StatusCode, a.Answer))
}

type webhookResend struct {
	Project string             `required:"" help:"Key of the project."`
	ID      webhook.DeliveryID `arg:"" help:"Id of the delivery, from labelwright webhook deliveries."`
	resultFlags
}

// Run sends a delivery again.
func (w webhookResend) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		hook, err := api.ResendDelivery.Call(ctx, client, api.ResendDeliveryInput{
			ProjectPath: projectPath(w.Project), Delivery: w.ID})
		if err != nil {
			return err
		}
		return w.show(s, hook, "The server sends delivery %d again within seconds, with the same id.\n", w.ID)
	})
}

type webhookRotateSecret struct{ webhookFlag }

// Run prints a new secret.
func (w webhookRotateSecret) Run(c *cli, s streams, ctx runContext) error {
	return c.withClient(ctx, func(client *api.Client) error {
		rotated, err := api.RotateWebhookSecret.Call(ctx, client, w.path())
		if err != nil {
			return err
		}
		fmt.Fprintln(s.err, "For 24 hours, messages are signed with the previous secret, too. The new secret is not printed again:")
		return w.show(s, rotated, "%s\n", rotated.Secret)
	})
}

type (
	webhookTest    struct{ webhookFlag }
	webhookDisable struct{ webhookFlag }
	webhookEnable  struct{ webhookFlag }
)

// Run queues a test event.
func (w webhookTest) Run(c *cli, s streams, ctx runContext) error {
	return w.run(c, s, ctx, api.TestWebhook, fmt.Sprintf(
		"The server sends a test event to webhook %%d within seconds. See: labelwright webhook deliveries --project %s %d",
		w.Project, w.ID))
}

// Run stops a webhook.
func (w webhookDisable) Run(c *cli, s streams, ctx runContext) error {
	return w.run(c, s, ctx, api.DisableWebhook,
		"Disabled webhook %d. Events from now on are not sent, and those that wait are kept.")
}

// Run starts a webhook.
func (w webhookEnable) Run(c *cli, s streams, ctx runContext) error {
	return w.run(c, s, ctx, api.EnableWebhook, "Enabled webhook %d. Events that waited are sent.")
}

func (w webhookFlag) run(c *cli, s streams, ctx runContext, action api.Operation[api.WebhookPath, api.Webhook],
	done string) error {
	return c.withClient(ctx, func(client *api.Client) error {
		hook, err := action.Call(ctx, client, w.path())
		if err != nil {
			return err
		}
		return w.show(s, hook, done+"\n", hook.ID)
	})
}

type webhookDelete struct {
	webhookFlag
	Yes bool `help:"Delete the webhook with its secret, its waiting events and its delivery log."`
}

// Run deletes a webhook.
func (w webhookDelete) Run(c *cli, s streams, ctx runContext) error {
	if !w.Yes {
		return usageError{errors.New("this deletes the secret, the waiting events and the delivery log of the webhook. Add --yes if that is intended")}
	}
	return c.withClient(ctx, func(client *api.Client) error {
		deleted, err := api.DeleteWebhook.Call(ctx, client, w.path())
		if err != nil {
			return err
		}
		return w.show(s, deleted, "Deleted webhook %d.\n", deleted.ID)
	})
}
