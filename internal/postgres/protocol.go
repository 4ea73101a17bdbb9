package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/protocol"
)

// A PublishedProtocol is the latest revision of a protocol version.
type PublishedProtocol struct {
	protocol.Protocol
	VersionID    protocol.VersionID
	PublishedAt  time.Time
	ProjectCount int
}

// Protocols returns every published version, by key.
func (db *DB) Protocols(ctx context.Context) ([]PublishedProtocol, error) {
	return db.publishedProtocols(ctx, db.pool)
}

func (db *DB) publishedProtocols(ctx context.Context, q querier) ([]PublishedProtocol, error) {
	rows, err := collectAll[struct {
		ID           protocol.VersionID
		Revision     int
		PublishedAt  time.Time
		ProjectCount int
	}](q.Query(ctx, `
		SELECT v.id, r.revision, r.published_at,
		       (SELECT count(*) FROM projects p WHERE p.protocol_version_id = v.id) AS project_count
		FROM protocol_versions v
		JOIN LATERAL (
			SELECT revision, published_at FROM protocol_revisions
			WHERE protocol_version_id = v.id ORDER BY revision DESC LIMIT 1) r ON true
		ORDER BY v.key COLLATE "C", v.version DESC`))
	if err != nil {
		return nil, err
	}
	var published []PublishedProtocol
	for _, row := range rows {
		p, err := db.protocolRevision(ctx, q, row.ID, row.Revision)
		if err != nil {
			return nil, err
		}
		published = append(published, PublishedProtocol{p, row.ID, row.PublishedAt, row.ProjectCount})
	}
	return published, nil
}

// Protocol returns a version of a protocol. Version 0 is the latest.
func (db *DB) Protocol(ctx context.Context, key string, version int) (PublishedProtocol, error) {
	r, err := latestRevision(ctx, db.pool, key, version)
	if errors.Is(err, fault.NotFound) {
		return PublishedProtocol{}, fault.NotFound.Errorf(
			"The protocol “%s” is not published in that version. `labelwright protocol list` lists the published protocols.", key)
	}
	if err != nil {
		return PublishedProtocol{}, err
	}
	p, err := db.protocolRevision(ctx, db.pool, r.VersionID, r.Revision)
	return PublishedProtocol{Protocol: p, VersionID: r.VersionID}, err
}

// ProtocolByName returns the version with the name KEY@VERSION, or the latest version
// of KEY.
func (db *DB) ProtocolByName(ctx context.Context, name string) (PublishedProtocol, error) {
	key, version, err := ParseProtocolName(name)
	if err != nil {
		return PublishedProtocol{}, err
	}
	return db.Protocol(ctx, key, version)
}

// ParseProtocolName splits KEY or KEY@VERSION. Without a version it returns 0.
func ParseProtocolName(name string) (key string, version int, err error) {
	key, text, hasVersion := strings.Cut(strings.TrimSpace(name), "@")
	if !hasVersion {
		return key, 0, nil
	}
	version, err = strconv.Atoi(text)
	if err != nil || version < 1 {
		return "", 0, fault.Invalid.Errorf("“%s” is not a protocol name. Enter KEY or KEY@VERSION, such as empathy@2.",
			name)
	}
	return key, version, nil
}

type revisionKey struct {
	version  protocol.VersionID
	revision int
}

// protocolRevision returns a published revision. It reads each revision once, because
// revisions never change.
func (db *DB) protocolRevision(ctx context.Context, q querier, version protocol.VersionID,
	revision int) (protocol.Protocol, error) {
	id := revisionKey{version, revision}
	if p, ok := db.protocols.Load(id); ok {
		return p.(protocol.Protocol), nil
	}
	var definition string
	err := q.QueryRow(ctx, `
		SELECT definition FROM protocol_revisions WHERE protocol_version_id = $1
		AND revision = $2`, version, revision).Scan(&definition)
	if errors.Is(err, pgx.ErrNoRows) {
		return protocol.Protocol{}, fault.NotFound.Errorf("Revision %d of this protocol is not published.", revision)
	}
	if err != nil {
		return protocol.Protocol{}, fmt.Errorf("load protocol version %d revision %d: %w", version, revision, err)
	}
	p, err := protocol.Read("published", []byte(definition))
	if err != nil {
		return protocol.Protocol{}, fmt.Errorf("read protocol version %d revision %d: %w", version, revision, err)
	}
	db.protocols.Store(id, p)
	return p, nil
}
