package main

import "github.com/labelwright/labelwright/internal/webhook"

func (webhookCreate) Help() string {
	return `Prints the secret to standard output, once. The messages are signed as Standard Webhooks describes; internal/webhook/README.md shows how to verify them. The server reaches https addresses of the public internet, and the private networks of "labelwright serve --webhook-allow".

Events: ` + webhook.TypeNames() + `.

Example:

  labelwright webhook create --project pilot --events item.completed,batch.closed https://example.org/hooks/labels`
}

func (webhookChange) Help() string {
	return `Changes what is given and keeps the rest, also the secret. Events that wait are sent to the new address.

Events: ` + webhook.TypeNames() + `.

Example:

  labelwright webhook change --project pilot 3 --events batch.closed,export.ready`
}

func (webhookList) Help() string {
	return `Lists the webhooks with the number of events that wait to be sent.

Example:

  labelwright webhook list --project pilot`
}

func (webhookTest) Help() string {
	return `Sends an event of the type webhook.test, which a running server delivers.

Example:

  labelwright webhook test --project pilot 3`
}

func (webhookDeliveries) Help() string {
	return `Lists events with the status, the attempts and the start of the receiver's last answer. Deliveries are kept for 30 days.

Example:

  labelwright webhook deliveries --project pilot 3 --format json`
}

func (webhookResend) Help() string {
	return `Sends an event again, with the same id, by which the receiver recognizes it. An event that waits for its next attempt is sent at once.

Example:

  labelwright webhook resend --project pilot 1207`
}

func (webhookRotateSecret) Help() string {
	return `Prints the new secret to standard output, once. For 24 hours each message has two signatures, so that the receiver can change its secret without losing messages.

Example:

  labelwright webhook rotate-secret --project pilot 3`
}

func (webhookDisable) Help() string {
	return `Nothing is sent until the webhook is enabled again, and new events are not kept for it.

Example:

  labelwright webhook disable --project pilot 3`
}

func (webhookEnable) Help() string {
	return `Starts a webhook that a lead disabled, or that was disabled because its receiver answered 410 Gone.

Example:

  labelwright webhook enable --project pilot 3`
}

func (webhookDelete) Help() string {
	return `Deletes the secret, the waiting events and the delivery log, too.

Example:

  labelwright webhook delete --project pilot 3 --yes`
}
