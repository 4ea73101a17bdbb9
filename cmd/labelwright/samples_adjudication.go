package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
)

// importAdjudications imports the sample decisions, if the project has any.
func (d demoProject) importAdjudications(ctx context.Context, db *postgres.DB, p project.Project,
	items []project.Item) error {
	name := "adjudicated-" + d.Key + ".jsonl"
	content, err := sampleFiles.ReadFile("samples/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if content, err = replaceItemNames(content, itemNames(p.Protocol, items)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	scope, err := db.AdjudicationScope(ctx, p)
	if err != nil {
		return err
	}
	decisions, err := importer.ReadAdjudications(p.Protocol, scope, name, bytes.NewReader(content))
	if err != nil {
		return err
	}
	_, err = db.ImportAdjudications(ctx, 0, p, name, decisions)
	return err
}

// replaceItemNames replaces the names of items in a sample file with their own ids.
func replaceItemNames(content []byte, names map[string]string) ([]byte, error) {
	var out bytes.Buffer
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, err
		}
		line["item"] = names[fmt.Sprint(line["item"])]
		if err := json.NewEncoder(&out).Encode(line); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
