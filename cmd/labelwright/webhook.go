package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

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
	Project string   `required:"" help:"Key of the project."`
	Events  []string `placeholder:"EVENT" help:"Events to send, separated by commas. Default: all."`
	URL     string   `arg:"" name:"url" help:"Address that receives the events."`
	resultFlags
}

// Run creates a webhook.
func (w webhookCreate) Run(c *cli, s streams, ctx runContext) error {
	n := webhook.New{URL: w.URL, EventTypes: eventTypes(w.Events)}
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		id, secret, err := db.CreateWebhook(ctx, actor(ctx).ID, p, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.err, "Created webhook %d. The secret is not printed again:\n", id)
		return w.print(s, map[string]any{"id": id, "secret": secret}, "%s\n", secret)
	})
}

func eventTypes(names []string) (types []webhook.EventType) {
	for _, name := range names {
		types = append(types, webhook.EventType(strings.TrimSpace(name)))
	}
	return types
}

type webhookChange struct {
	Project string     `required:"" help:"Key of the project."`
	URL     string     `placeholder:"URL" help:"New address."`
	Events  []string   `placeholder:"EVENT" help:"Events to send from now on, separated by commas."`
	ID      webhook.ID `arg:"" help:"Id of the webhook, as the list has it."`
	resultFlags
}

// Run changes a webhook.
func (w webhookChange) Run(c *cli, s streams, ctx runContext) error {
	if w.URL == "" && len(w.Events) == 0 {
		return usageError{errors.New("say what to change, with --url or --events")}
	}
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		err := db.ChangeWebhook(ctx, actor(ctx).ID, p, w.ID, webhook.New{URL: w.URL, EventTypes: eventTypes(w.Events)})
		if err != nil {
			return err
		}
		return w.print(s, map[string]any{"id": w.ID},
			"Changed webhook %d. Events that wait are sent to its address, too.\n", w.ID)
	})
}

type webhookList struct {
	Project string `required:"" help:"Key of the project."`
	Format  string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// Run prints the webhooks of a project.
func (w webhookList) Run(c *cli, s streams, ctx runContext) error {
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		webhooks, err := db.Webhooks(ctx, actor(ctx).ID, p)
		if err != nil {
			return err
		}
		if w.Format == "json" {
			entries := make([]webhook.HookRow, len(webhooks))
			for i, h := range webhooks {
				entries[i] = webhook.NewHookRow(h)
			}
			return printJSON(s.out, map[string]any{"webhooks": entries})
		}
		if len(webhooks) == 0 {
			fmt.Fprintln(s.out, "The project has no webhooks yet. Create one with `labelwright webhook create`.")
			return nil
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tURL\tEVENTS\tWAITING\tDELIVERED\tSTATUS")
		for _, h := range webhooks {
			fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\t%s\n", h.ID, h.URL, eventNames(h.EventTypes), h.PendingCount,
				formatOptionalTime(h.LastDeliveredAt), h.Status())
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

type webhookTest struct {
	Project string     `required:"" help:"Key of the project."`
	ID      webhook.ID `arg:"" help:"Id of the webhook, as the list has it."`
	resultFlags
}

// Run queues a test event.
func (w webhookTest) Run(c *cli, s streams, ctx runContext) error {
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		if err := db.TestWebhook(ctx, actor(ctx).ID, p, w.ID); err != nil {
			return err
		}
		return w.print(s, map[string]any{"id": w.ID},
			"The server sends a test event to webhook %d within seconds. See: labelwright webhook deliveries --project %s %d\n", w.ID, p.Key, w.ID)
	})
}

type webhookDeliveries struct {
	Project string             `required:"" help:"Key of the project."`
	ID      webhook.ID         `arg:"" help:"Id of the webhook, as the list has it."`
	Limit   int                `default:"50" help:"Number of deliveries, up to 1000."`
	Before  webhook.DeliveryID `placeholder:"ID" help:"List those before this delivery."`
	Format  string             `enum:"text,json" default:"text" help:"Output format: text or json."`
}

const maxListedDeliveries = 1000

// Run prints the deliveries of a webhook.
func (w webhookDeliveries) Run(c *cli, s streams, ctx runContext) error {
	if w.Limit < 1 || w.Limit > maxListedDeliveries {
		return usageError{fmt.Errorf("--limit %d is not a number from 1 to %d", w.Limit, maxListedDeliveries)}
	}
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		deliveries, err := db.WebhookDeliveries(ctx, actor(ctx).ID, p, w.ID, w.Before, w.Limit)
		if err != nil {
			return err
		}
		if w.Format == "json" {
			entries := make([]webhook.DeliveryRow, len(deliveries))
			for i, d := range deliveries {
				entries[i] = webhook.NewDeliveryRow(d)
			}
			return printJSON(s.out, map[string]any{"deliveries": entries})
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tCREATED\tEVENT\tSUBJECT\tATTEMPTS\tSTATUS\tLAST ANSWER")
		for _, d := range deliveries {
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%d\t%s\t%s\n", d.ID, formatMinute(d.CreatedAt), d.EventType, d.Subject,
				d.AttemptCount, d.Status(), lastAnswer(d))
		}
		return table.Flush()
	})
}

// lastAnswer describes the latest attempt.
func lastAnswer(d webhook.Delivery) string {
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
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		id, err := db.ResendDelivery(ctx, actor(ctx).ID, p, w.ID)
		if err != nil {
			return err
		}
		return w.print(s, map[string]any{"id": id, "delivery": w.ID},
			"The server sends delivery %d again within seconds, with the same id.\n", w.ID)
	})
}

type webhookRotateSecret struct {
	Project string     `required:"" help:"Key of the project."`
	ID      webhook.ID `arg:"" help:"Id of the webhook, as the list has it."`
	resultFlags
}

// Run prints a new secret.
func (w webhookRotateSecret) Run(c *cli, s streams, ctx runContext) error {
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		secret, err := db.RotateWebhookSecret(ctx, actor(ctx).ID, p, w.ID)
		if err != nil {
			return err
		}
		fmt.Fprintln(s.err, "For 24 hours, messages are signed with the previous secret, too. The new secret is not printed again:")
		return w.print(s, map[string]any{"id": w.ID, "secret": secret}, "%s\n", secret)
	})
}

type webhookDisable struct {
	Project string     `required:"" help:"Key of the project."`
	ID      webhook.ID `arg:"" help:"Id of the webhook, as the list has it."`
	resultFlags
}

// Run stops a webhook.
func (w webhookDisable) Run(c *cli, s streams, ctx runContext) error {
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		if err := db.DisableWebhook(ctx, actor(ctx).ID, p, w.ID); err != nil {
			return err
		}
		return w.print(s, map[string]any{"id": w.ID},
			"Disabled webhook %d. Events from now on are not sent, and those that wait are kept.\n", w.ID)
	})
}

type webhookEnable struct {
	Project string     `required:"" help:"Key of the project."`
	ID      webhook.ID `arg:"" help:"Id of the webhook, as the list has it."`
	resultFlags
}

// Run starts a webhook.
func (w webhookEnable) Run(c *cli, s streams, ctx runContext) error {
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		if err := db.EnableWebhook(ctx, actor(ctx).ID, p, w.ID); err != nil {
			return err
		}
		return w.print(s, map[string]any{"id": w.ID}, "Enabled webhook %d. Events that waited are sent.\n", w.ID)
	})
}

type webhookDelete struct {
	Project string     `required:"" help:"Key of the project."`
	ID      webhook.ID `arg:"" help:"Id of the webhook, as the list has it."`
	Yes     bool       `help:"Delete the webhook with its secret, its waiting events and its delivery log."`
	resultFlags
}

// Run deletes a webhook.
func (w webhookDelete) Run(c *cli, s streams, ctx runContext) error {
	if !w.Yes {
		return usageError{errors.New("this deletes the secret, the waiting events and the delivery log of the webhook. Add --yes if that is intended")}
	}
	return c.withProject(ctx, w.Project, func(db *postgres.DB, p project.Project) error {
		if err := db.DeleteWebhook(ctx, actor(ctx).ID, p, w.ID); err != nil {
			return err
		}
		return w.print(s, map[string]any{"id": w.ID}, "Deleted webhook %d.\n", w.ID)
	})
}
