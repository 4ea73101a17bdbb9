package main

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/web/api"
)

type protocolCommand struct {
	List     protocolList     `cmd:"" help:"List the published protocols."`
	Show     protocolShow     `cmd:"" help:"Print a published protocol's definition."`
	Validate protocolValidate `cmd:"" help:"Check a definition. It needs no database."`
	Publish  protocolPublish  `cmd:"" help:"Publish a definition."`
	Schema   protocolSchema   `cmd:"" help:"Print the JSON Schema of definitions."`
}

type protocolList struct{ resultFlags }

// Run lists the published protocols.
func (l protocolList) Run(c *cli, s streams, ctx runContext) error {
	return printAnswer(c, s, ctx, l.resultFlags, api.ListProtocols, api.NoInput{}, func(list api.ProtocolList) error {
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "PROTOCOL\tFIELDS\tRULES\tPROJECTS\tTITLE")
		for _, p := range list.Protocols {
			fmt.Fprintf(table, "%s@%d (v%d.%d)\t%d\t%d\t%d\t%s\n", p.Key, p.Version, p.Version, p.Revision,
				p.FieldCount, p.RuleCount, p.Projects, p.Title)
		}
		return table.Flush()
	})
}

type protocolShow struct {
	Key string `arg:"" help:"KEY, or KEY@VERSION for an earlier version."`
}

// Run prints the source of a definition.
func (p protocolShow) Run(c *cli, s streams, ctx runContext) error {
	key, version, err := postgres.ParseProtocolName(p.Key)
	if err != nil {
		return err
	}
	if c.Server == "" && !c.hasDatabase() {
		if source := builtinSource(key, version); source != "" {
			_, err := io.WriteString(s.out, source)
			return err
		}
	}
	return c.withClient(ctx, func(client *api.Client) error {
		found, err := api.ShowProtocol.Call(ctx, client, api.ShowProtocolInput{Key: key, Version: version})
		if err != nil {
			return err
		}
		_, err = io.WriteString(s.out, found.Source)
		return err
	})
}

// builtinSource returns the definition of a built-in protocol, or nothing. Version 0 is the latest.
func builtinSource(key string, version int) string {
	for _, p := range protocol.Builtin() {
		if p.Key == key && (version == 0 || version == p.Version) {
			return p.Source
		}
	}
	return ""
}

type protocolValidate struct {
	File string `arg:"" help:"Definition; - for standard input."`
	resultFlags
}

// Run checks a definition.
func (p protocolValidate) Run(s streams) error {
	parsed, err := readProtocol(s, p.File)
	if err != nil {
		return err
	}
	return p.print(s, map[string]any{"key": parsed.Key, "version": parsed.Version, "revision": parsed.Revision,
		"fields":       len(parsed.Fields),
		"observations": len(parsed.Observations), "rules": len(parsed.Rules)},
		"%s: %s is valid: %s, %s, %s.\n", filepath.Base(p.File), parsed.Name(),
		pluralize(len(parsed.Fields), "field"), pluralize(len(parsed.Observations), "observation"),
		pluralize(len(parsed.Rules), "rule"))
}

type protocolPublish struct {
	File string `arg:"" help:"Definition; - for standard input."`
	resultFlags
}

// Run publishes a definition.
func (p protocolPublish) Run(c *cli, s streams, ctx runContext) error {
	parsed, err := readProtocol(s, p.File)
	if err != nil {
		return err
	}
	return c.withNewClient(ctx, func(client *api.Client) error {
		published, err := api.PublishProtocol.Call(ctx, client, api.BodyInput[api.Definition]{
			Body: api.Definition{Source: parsed.Source}})
		if err != nil {
			return err
		}
		return p.show(s, published, "Published %s. New projects use it. Open batches use a new revision after `labelwright batch use-revision`.\n", parsed.Name())
	})
}

type protocolSchema struct{}

// Run prints the JSON Schema.
func (protocolSchema) Run(s streams) error {
	_, err := s.out.Write(protocol.Schema())
	return err
}

// maxDefinitionBytes is more than protocol.Read accepts, so that protocol.Read reports the error.
const maxDefinitionBytes = 1 << 20

func readProtocol(s streams, path string) (protocol.Protocol, error) {
	file, err := s.open(path)
	if err != nil {
		return protocol.Protocol{}, err
	}
	defer file.Close()
	source, err := io.ReadAll(io.LimitReader(file, maxDefinitionBytes))
	if err != nil {
		return protocol.Protocol{}, fmt.Errorf("read %s: %w", path, err)
	}
	if path == "-" {
		path = "standard input"
	}
	return protocol.ReadDraft(path, source)
}
