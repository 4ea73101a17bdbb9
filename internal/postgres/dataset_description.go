package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/project"
)

// A DatasetDescription is what the card of an exported dataset says about it.
type DatasetDescription struct {
	License     string // a license id such as cc-by-4.0; empty: none was chosen
	Description string
	Languages   []string // codes such as en
}

// DatasetDescription returns the description of a project's dataset.
func (db *DB) DatasetDescription(ctx context.Context, projectID project.ID) (DatasetDescription, error) {
	return collectOne[DatasetDescription](db.pool.Query(ctx, `
		SELECT dataset_license AS license, dataset_description AS description, dataset_languages AS languages
		FROM projects WHERE id = $1`, projectID))
}

// DescribeDataset changes the description of a project's dataset.
func (db *DB) DescribeDataset(ctx context.Context, actorID account.ID, p project.Project, d DatasetDescription) error {
	d.License = strings.ToLower(plaintext.Trim(d.License))
	text, err := plaintext.ReadText(d.Description, 0, 5000, fault.Invalid.Errorf(
		"The description is longer than 5,000 characters. Shorten it."))
	if err != nil {
		return project.FormProblems{{Field: "description", Err: err}}
	}
	d.Description = text
	if d.Languages == nil {
		d.Languages = []string{}
	}
	err = db.updateProject(ctx, actorID, p, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE projects SET dataset_license = $2, dataset_description = $3,
			dataset_languages = $4 WHERE id = $1`,
			p.ID, d.License, d.Description, d.Languages)
		if err != nil {
			return err
		}
		return recordAudit(ctx, tx, actorID, "project.describe_dataset", projectSubject(p.Key),
			map[string]any{"license": d.License, "languages": d.Languages})
	})
	for constraint, problem := range datasetProblems {
		if violates(err, constraint) {
			return problem
		}
	}
	return err
}

// datasetProblems are the messages of the constraints on a description.
var datasetProblems = map[string]project.FormProblems{
	"projects_dataset_license_format": {{Field: "license",
		Err: fault.Invalid.Errorf("Enter the id of a license, such as cc-by-4.0, mit or other.")}},
	"projects_dataset_languages_format": {{Field: "languages",
		Err: fault.Invalid.Errorf("Enter languages as codes such as en or de, separated by commas.")}},
}
