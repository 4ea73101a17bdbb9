package labeling

import (
	"time"

	"github.com/labelwright/labelwright/internal/project"
)

// A Break is the current break of an annotator.
type Break struct {
	BatchID        project.BatchID
	Planned        bool // by the batch; otherwise the annotator asked for it
	StartedAt      time.Time
	ScheduledEndAt time.Time
	ProjectTitle   string
	SupportURL     string
	Pace           Pace `db:"-"` // in the batch; read next to it
}
