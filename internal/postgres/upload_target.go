package postgres

import (
	"context"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A SharedImport is a project that one upload can fill together with another project.
type SharedImport struct {
	Key             string
	Title           string
	Protocol        string // its key
	CreatedTogether bool   // with the other project
}

// SharedImports returns the projects that files of p can fill as well: other projects for RAG
// records that the actor leads, of the other protocols. Those created with p come first.
func (db *DB) SharedImports(ctx context.Context, actor account.Account, p project.Project) ([]SharedImport, error) {
	if p.Protocol.Unit.RecordKind == protocol.RecordNone {
		return nil, nil
	}
	projects, err := collectAll[struct {
		SharedImport
		ProtocolVersionID protocol.VersionID
		Revision          int
	}](db.pool.Query(ctx, `
		SELECT p.key, p.title, v.key AS protocol, p.protocol_version_id,
		       (SELECT max(r.revision) FROM protocol_revisions r WHERE r.protocol_version_id = v.id) AS revision,
		       coalesce(p.created_with = (SELECT o.created_with FROM projects o
		       WHERE o.id = $3), false) AS created_together
		FROM projects p
		JOIN protocol_versions v ON v.id = p.protocol_version_id
		WHERE `+leadsProject+` AND p.id <> $3 AND p.archived_at IS NULL AND v.key <> $4
		ORDER BY created_together DESC, p.id DESC
		LIMIT 50`, actor.ID, isCommand(actor), p.ID, p.Protocol.Key))
	var shared []SharedImport
	for _, other := range projects {
		otherProtocol, err := db.protocolRevision(ctx, db.pool, other.ProtocolVersionID, other.Revision)
		if err != nil {
			return nil, err
		}
		if otherProtocol.Unit.RecordKind != protocol.RecordNone {
			shared = append(shared, other.SharedImport)
		}
	}
	return shared, err
}

// checkUploadTargets refuses projects that an upload cannot fill in addition to its own.
func checkUploadTargets(targets []project.Project) error {
	for _, t := range targets {
		if t.ArchivedAt != nil || t.Protocol.Unit.RecordKind == protocol.RecordNone {
			return fault.Conflict.Errorf("The project “%s” takes no RAG records. Choose other projects.", t.Title)
		}
	}
	return nil
}

// An uploadTarget is a project that an upload fills.
type uploadTarget struct {
	project project.Project
	upload  upload // with the number of items for the project
}

// uploadTargets returns the projects that an upload of p fills, p first. The actor leads all.
func (db *DB) uploadTargets(ctx context.Context, q querier, actor account.Account, p project.Project,
	u upload) ([]uploadTarget, error) {
	rows, err := collectAll[struct {
		Key       string
		ItemCount int
	}](q.Query(ctx, `
		SELECT p.key, coalesce(t.item_count, 0) AS item_count
		FROM upload_targets t
		JOIN projects p ON p.id = t.project_id
		WHERE t.token = $1
		ORDER BY p.id`, u.Token))
	if err != nil {
		return nil, err
	}
	targets := []uploadTarget{{p, u}}
	for _, row := range rows {
		target, err := loadProject(ctx, q, actor, row.Key)
		if err != nil {
			return nil, err
		}
		t := uploadTarget{upload: u}
		t.upload.ItemCount = row.ItemCount
		if t.project, err = db.projectFromRow(ctx, target); err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	return targets, nil
}
