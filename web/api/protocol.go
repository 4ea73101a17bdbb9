package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A Protocol is a published version of a protocol.
type Protocol struct {
	Key      string `json:"key"`
	Version  int    `json:"version"`
	Revision int    `json:"revision" doc:"The latest revision of the version."`
	Title    string `json:"title"`
	Summary  string `json:"summary"`
	Projects int    `json:"projects" doc:"Number of projects that use the version."`

	FieldCount int `json:"field_count" doc:"Number of questions."`
	RuleCount  int `json:"rule_count" doc:"Number of rules that answers must keep."`
}

// A ProtocolDefinition is a protocol with its fields and its source.
type ProtocolDefinition struct {
	Protocol
	Parts  []ProtocolPart  `json:"parts" doc:"The texts of an item."`
	Fields []ProtocolField `json:"fields" doc:"The questions."`
	Source string          `json:"source" doc:"The definition as it was published, in YAML."`
}

// A ProtocolPart is a text of an item.
type ProtocolPart struct {
	Key  string `json:"key"`
	Kind string `json:"kind" enum:"text,conversation,chunk,chunks" doc:"How an item to import has the part. text: a text. conversation: a list of turns, such as {\"role\":\"user\",\"content\":\"Hi\"}, perhaps with a kind (thinking, tool_call, tool_result, image or document), name, call_id and address; messages as providers of models write them are read too. chunk: a text, with a chunk_id and a chunk_rank. chunks: a list such as {\"chunk_id\":\"c1\",\"chunk_rank\":1,\"text\":\"…\"}; where the protocol has one chunk per item, each becomes an item. Items that are read have it as PartContent."`
}

// A ProtocolField is a question.
type ProtocolField struct {
	Key      string          `json:"key"`
	Title    string          `json:"title"`
	Question string          `json:"question"`
	OnlyWhen string          `json:"only_when,omitempty" doc:"The field applies only to items with this fact."`
	Scale    []ProtocolPoint `json:"scale"`
}

// A ProtocolPoint is an answer.
type ProtocolPoint struct {
	Value  int    `json:"value"`
	Label  string `json:"label,omitempty"`
	Anchor string `json:"anchor,omitempty"`
}

// A Definition is the body that previews or publishes a protocol.
type Definition struct {
	Source string `json:"source" minLength:"1" maxLength:"1000000" doc:"The definition in YAML, as show-protocol has it."`
}

// A Publication is what publishing a definition does.
type Publication struct {
	Key              string                `json:"key"`
	Version          int                   `json:"version"`
	Revision         int                   `json:"revision"`
	Fields           int                   `json:"fields"`
	Observations     int                   `json:"observations"`
	Rules            int                   `json:"rules"`
	IsNewVersion     bool                  `json:"is_new_version" doc:"false: a revision, which changes texts only."`
	AlreadyPublished bool                  `json:"already_published" doc:"The same text is published: publishing it again changes nothing."`
	Changes          []protocol.TextChange `json:"changes" doc:"The texts that a revision changes."`
}

// A ProtocolList lists protocols.
type ProtocolList struct {
	Protocols []Protocol `json:"protocols"`
}

func newProtocol(p postgres.PublishedProtocol) Protocol {
	return Protocol{Key: p.Key, Version: p.Version, Revision: p.Revision, Title: p.Title, Summary: p.Summary,
		Projects: p.ProjectCount, FieldCount: len(p.Fields), RuleCount: len(p.Rules)}
}

func newProtocolDefinition(p postgres.PublishedProtocol) ProtocolDefinition {
	return ProtocolDefinition{newProtocol(p),
		mapped(p.Unit.Parts, func(part protocol.Part) ProtocolPart {
			return ProtocolPart{part.Key, string(part.Kind)}
		}),
		mapped(p.Fields, newProtocolField), p.Source}
}

func newProtocolField(f protocol.Field) ProtocolField {
	return ProtocolField{f.Key, f.Title, f.Question, f.OnlyWhen, mapped(f.Scale,
		func(x protocol.Point) ProtocolPoint { return ProtocolPoint{x.Value, x.Label, x.Anchor} })}
}

// ShowProtocolInput is the input of ShowProtocol.
type ShowProtocolInput struct {
	Key     string `path:"key" maxLength:"63" example:"empathy"`
	Version int    `path:"version" minimum:"0" maximum:"100000" doc:"0: the latest version." example:"1"`
}

// The operations on protocols.
var (
	ListProtocols = newRead(endpoint{id: "list-protocols", path: "/protocols", tag: "Protocols",
		scope:   account.ScopeRead,
		summary: "List the published protocols"},
		func(ctx context.Context, a *API, _ caller, _ *NoInput) (ProtocolList, error) {
			published, err := a.DB.Protocols(ctx)
			return ProtocolList{mapped(published, newProtocol)}, err
		})

	ShowProtocol = newRead(endpoint{id: "show-protocol", path: "/protocols/{key}/{version}", tag: "Protocols",
		scope: account.ScopeRead, summary: "Show a protocol",
		text: "The fields have the keys and scales that judgments and decisions use."},
		func(ctx context.Context, a *API, _ caller, in *ShowProtocolInput) (ProtocolDefinition, error) {
			p, err := a.DB.Protocol(ctx, in.Key, in.Version)
			return newProtocolDefinition(p), err
		})

	ShowProtocolSchema = newRead(endpoint{id: "show-protocol-schema", path: "/protocols/schema", tag: "Protocols",
		scope: account.ScopeRead, summary: "Show the JSON Schema of definitions"},
		func(_ context.Context, _ *API, _ caller, _ *NoInput) (map[string]any, error) {
			var schema map[string]any
			return schema, json.Unmarshal(protocol.Schema(), &schema)
		})

	PreviewProtocol = newWrite(endpoint{id: "preview-protocol", method: http.MethodPost, path: "/protocols/preview",
		tag:   "Protocols",
		scope: account.ScopeManage, summary: "Check a definition",
		text: "Returns what publishing it would do, and publishes nothing. `errors` of a 422 has each error of the definition, with its line."},
		func(ctx context.Context, a *API, c caller, in *BodyInput[Definition]) (Publication, error) {
			publication, _, err := a.previewProtocol(ctx, c, in.Body)
			return publication, err
		})

	PublishProtocol = newWrite(endpoint{id: "publish-protocol", method: http.MethodPost, path: "/protocols",
		tag:   "Protocols",
		scope: account.ScopeManage, status: http.StatusCreated, summary: "Publish a definition",
		text: "A new version, or the next revision of one. New projects use it; an open batch uses a revision after `use-revision`. The token must reach all projects."},
		func(ctx context.Context, a *API, c caller, in *BodyInput[Definition]) (Publication, error) {
			publication, parsed, err := a.previewProtocol(ctx, c, in.Body)
			if err == nil {
				err = a.DB.Publish(ctx, c.id(), parsed)
			}
			return publication, err
		})
)

// previewProtocol reads a definition and returns what publishing it does.
func (a *API) previewProtocol(ctx context.Context, c caller, d Definition) (Publication, protocol.Protocol, error) {
	if err := c.requireAllProjects("publish a protocol"); err != nil {
		return Publication{}, protocol.Protocol{}, err
	}
	p, err := protocol.ReadDraft("definition", []byte(strings.ReplaceAll(d.Source, "\r\n", "\n")))
	if err != nil {
		return Publication{}, p, err
	}
	plan, err := a.DB.PreviewPublication(ctx, c.id(), p)
	return Publication{p.Key, p.Version, p.Revision, len(p.Fields), len(p.Observations), len(p.Rules),
		plan.IsNewVersion, plan.AlreadyPublished, notNil(plan.Changes)}, p, err
}
