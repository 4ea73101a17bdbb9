package main

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/protocol"
)

type protocolCommand struct {
	List     protocolList     `cmd:"" help:"List the published protocols."`
	Show     protocolShow     `cmd:"" help:"Print a published protocol's definition."`
	Validate protocolValidate `cmd:"" help:"Check a definition. It needs no database."`
	Publish  protocolPublish  `cmd:"" help:"Publish a definition."`
	Schema   protocolSchema   `cmd:"" help:"Print the JSON Schema of definitions."`
}

type protocolList struct {
	Format string `enum:"text,json" default:"text" help:"Output format: text or json."`
}

// A protocolEntry is a protocol in the JSON output.
type protocolEntry struct {
	Protocol string `json:"protocol"` // KEY@VERSION
	Key      string `json:"key"`
	Version  int    `json:"version"`
	Revision int    `json:"revision"`
	Title    string `json:"title"`
	Fields   int    `json:"fields"`
	Rules    int    `json:"rules"`
	Projects int    `json:"projects"`
}

// Run lists the published protocols.
func (l protocolList) Run(c *cli, s streams, ctx runContext) error {
	return c.withDB(ctx, func(db *postgres.DB) error {
		protocols, err := db.Protocols(ctx)
		if err != nil {
			return err
		}
		if l.Format == "json" {
			entries := make([]protocolEntry, len(protocols))
			for i, p := range protocols {
				entries[i] = protocolEntry{fmt.Sprintf("%s@%d", p.Key, p.Version), p.Key, p.Version, p.Revision,
					p.Title, len(p.Fields), len(p.Rules), p.ProjectCount}
			}
			return printJSON(s.out, map[string]any{"protocols": entries})
		}
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "PROTOCOL\tFIELDS\tRULES\tPROJECTS\tTITLE")
		for _, p := range protocols {
			fmt.Fprintf(table, "%s@%d (v%d.%d)\t%d\t%d\t%d\t%s\n", p.Key, p.Version, p.Version, p.Revision,
				len(p.Fields), len(p.Rules), p.ProjectCount, p.Title)
		}
		return table.Flush()
	})
}

type protocolShow struct {
	Key string `arg:"" help:"KEY, or KEY@VERSION for an earlier version."`
}

// Run prints the source of a definition.
func (p protocolShow) Run(c *cli, s streams, ctx runContext) error {
	return c.withDB(ctx, func(db *postgres.DB) error {
		found, err := db.ProtocolByName(ctx, p.Key)
		if err != nil {
			return err
		}
		_, err = io.WriteString(s.out, found.Source)
		return err
	})
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
	return c.withDB(ctx, func(db *postgres.DB) error {
		if err := db.Publish(ctx, actor(ctx).ID, parsed); err != nil {
			return err
		}
		return p.print(s, map[string]any{"key": parsed.Key, "version": parsed.Version, "revision": parsed.Revision},
			"Published %s. New projects use it. Open batches use a new revision after `labelwright batch use-revision`.\n", parsed.Name())
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
	return protocol.Read(path, source)
}
