package postgres

import (
	"context"
	"time"

	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/report/study"
)

// A ReportSource is the items and labels that a report was computed from.
type ReportSource struct {
	labels *study.LabelSource
	items  reportItems
	readAt time.Time // all labels of an earlier submit were read
}

// Len returns the number of labels.
func (s *ReportSource) Len() int { return s.labels.Len() }

// reportItems identify the items of a report and their questions. Of an item nothing else changes
// than whether it is a calibration item.
type reportItems struct {
	ProtocolVersionID protocol.VersionID
	Count             int64
	IDSum             string // a number that may be too large for an int64
}

func (s Snapshot) identifyReportItems(ctx context.Context) (reportItems, error) {
	return collectOne[reportItems](s.tx.Query(ctx, `
		SELECT $2::bigint AS protocol_version_id, count(*) AS count, coalesce(sum(id), 0)::text AS id_sum FROM items WHERE project_id = $1 AND NOT is_calibration`, s.project.ID, s.project.ProtocolVersionID))
}
