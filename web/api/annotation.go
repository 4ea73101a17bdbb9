package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"time"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres"
)

// streamPageSize is the number of rows that a stream reads at once.
const streamPageSize = 500

// An annotation is a line of the stream of annotations.
type annotation struct {
	ID                       string         `json:"id"`
	Batch                    string         `json:"batch"`
	Item                     string         `json:"item"`
	Record                   string         `json:"record,omitempty"`
	Annotator                string         `json:"annotator"`
	Kind                     string         `json:"kind"`
	AttemptNo                int            `json:"attempt_no"`
	IsCurrent                bool           `json:"is_current"`
	ReplacesID               string         `json:"replaces_id,omitempty"`
	ProtocolRevision         int            `json:"protocol_revision"`
	Answers                  map[string]int `json:"answers"`
	Observations             []string       `json:"observations"`
	Unsure                   []string       `json:"unsure"`
	Note                     string         `json:"note"`
	SubmittedAt              string         `json:"submitted_at"`
	ActiveSeconds            float64        `json:"active_seconds"`
	SequenceNo               int            `json:"sequence_no"`
	ItemsSinceCompletedBreak int            `json:"items_since_completed_break"`
	SessionMinutes           int            `json:"session_minutes"`
	Cursor                   string         `json:"cursor,omitempty"`
}

// Without exact times, an annotation has the day and its active time in steps of 5 seconds, as
// in an export.
func newAnnotation(n postgres.ListedAnnotation, exactTimes bool) annotation {
	out := annotation{ID: strconv.FormatInt(n.ID, 10), Batch: n.Batch, Item: n.Item, Record: n.Record,
		Annotator: n.Annotator, Kind: n.Kind, AttemptNo: n.AttemptNo, IsCurrent: n.IsCurrent,
		ReplacesID: n.ReplacesID, ProtocolRevision: n.Revision, Answers: n.Answers,
		Observations: notNil(n.Observations), Unsure: notNil(n.Unsure), Note: n.Note,
		SequenceNo: n.SequenceNo, ItemsSinceCompletedBreak: n.ItemsSinceCompletedBreak,
		SessionMinutes: n.SessionMinutes}
	active := time.Duration(n.ActiveMS) * time.Millisecond
	if exactTimes {
		out.SubmittedAt, out.ActiveSeconds = n.SubmittedAt.UTC().Format(time.RFC3339Nano), active.Seconds()
	} else {
		out.SubmittedAt, out.ActiveSeconds = n.SubmittedAt.UTC().Format(time.DateOnly),
			active.Round(5*time.Second).Seconds()
	}
	return out
}

// An AnnotationInput is the input of StreamAnnotations.
type AnnotationInput struct {
	ProjectPath
	Batch      string `query:"batch" maxLength:"100" doc:"Name of a batch. Default: all."`
	Cursor     string `query:"cursor" maxLength:"300" doc:"The cursor of the last line that was read, to continue an interrupted stream."`
	ExactTimes bool   `query:"exact_times" doc:"Times to the millisecond. Default: days, and active time in steps of 5 seconds."`
}

// StreamAnnotations streams annotations.
var StreamAnnotations = Stream[AnnotationInput, annotation]{endpoint{id: "list-annotations",
	path: "/projects/{project}/annotations", tag: "Annotations", scope: account.ScopeExport,
	summary: "Stream the annotations",
	text: "One JSON object per line: annotations of work, hidden duplicates, gold items and calibration, with earlier attempts, by batch, annotator and order of work. " +
		"The last line of each part of the stream has a `cursor`. Annotations submitted during the request may be missing: an export has one moment. " +
		"The download is recorded in the audit log."}, openAnnotations}

func openAnnotations(ctx context.Context, a *API, c caller, in *AnnotationInput) (pages[annotation], error) {
	after, err := parseAnnotationCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	hasMore, isRecorded := true, false
	return func() ([]annotation, error) {
		if !hasMore {
			return nil, nil
		}
		found, last, more, err := a.DB.ListAnnotations(ctx, c.id(), c.project, in.Batch, after, streamPageSize)
		rows := mapped(found, func(n postgres.ListedAnnotation) annotation {
			return newAnnotation(n, in.ExactTimes)
		})
		if len(rows) > 0 {
			rows[len(rows)-1].Cursor = formatAnnotationCursor(last)
		}
		after, hasMore = last, more
		if err == nil && !isRecorded {
			isRecorded, err = true, a.DB.RecordAnnotationDownload(ctx, c.id(), c.project)
		}
		return rows, err
	}, nil
}

func formatAnnotationCursor(c postgres.AnnotationCursor) string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // numbers only
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

func parseAnnotationCursor(text string) (c postgres.AnnotationCursor, err error) {
	if text == "" {
		return c, nil
	}
	content, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(content, &c)
	}
	if err != nil || c.SequenceNo < 0 || c.SequenceNo > 1<<31-1 {
		return c, fault.Invalid.Errorf("“%s” is not a cursor. Use the one of the last line that was read.", text)
	}
	return c, nil
}
