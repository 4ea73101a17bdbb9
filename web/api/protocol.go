package api

import (
	"context"

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
	Kind string `json:"kind"`
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

// A ProtocolList lists protocols.
type ProtocolList struct {
	Protocols []Protocol `json:"protocols"`
}

func newProtocol(p postgres.PublishedProtocol) Protocol {
	return Protocol{p.Key, p.Version, p.Revision, p.Title, p.Summary, p.ProjectCount}
}

func newProtocolDefinition(p postgres.PublishedProtocol) ProtocolDefinition {
	return ProtocolDefinition{newProtocol(p),
		mapped(p.Unit.Parts, func(part protocol.Part) ProtocolPart { return ProtocolPart{part.Key, string(part.Kind)} }),
		mapped(p.Fields, func(f protocol.Field) ProtocolField {
			return ProtocolField{f.Key, f.Title, f.Question, f.OnlyWhen,
				mapped(f.Scale, func(x protocol.Point) ProtocolPoint { return ProtocolPoint{x.Value, x.Label, x.Anchor} })}
		}), p.Source}
}

func (a *API) addProtocols() {
	addRead(a, endpoint{id: "list-protocols", path: "/protocols", tag: "Protocols", scope: account.ScopeRead, summary: "List the published protocols"},
		func(ctx context.Context, _ caller, _ *struct{}) (ProtocolList, error) {
			published, err := a.DB.Protocols(ctx)
			return ProtocolList{mapped(published, newProtocol)}, err
		})
	addRead(a, endpoint{id: "show-protocol", path: "/protocols/{key}/{version}", tag: "Protocols", scope: account.ScopeRead, summary: "Show a protocol",
		text: "The fields have the keys and scales that judgments and decisions use."},
		func(ctx context.Context, _ caller, in *struct {
			Key     string `path:"key" maxLength:"63" example:"empathy"`
			Version int    `path:"version" minimum:"1" maximum:"100000" example:"1"`
		}) (ProtocolDefinition, error) {
			p, err := a.DB.Protocol(ctx, in.Key, in.Version)
			if err != nil {
				return ProtocolDefinition{}, err
			}
			return newProtocolDefinition(p), nil
		})
}
