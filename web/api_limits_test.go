package web

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/importer"
	"github.com/labelwright/labelwright/internal/labeling"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/webhook"
)

// domainLimits are the limits of the domain, by the name of an input of the API, or by its type and
// name where a name has several.
var domainLimits = map[string]float64{
	"accounts": importer.MaxUsers, "members": importer.MaxUsers,
	"email": account.MaxEmail, "member": account.MaxEmail, "account": account.MaxEmail, "lead": account.MaxEmail,
	"from": account.MaxEmail, "give_to": account.MaxEmail,
	"to": account.MaxEmail, "Reopening.annotator": account.MaxEmail,
	"NewAccount.name": account.MaxName, "NewMember.name": account.MaxName,
	"project": project.MaxKey + float64(len("@9999")), "copy_from": project.MaxKey, "key": project.MaxKey,
	"title": project.MaxTitle, "content_warning": project.MaxContentWarning, "support_url": project.MaxSupportURL,
	"reason": project.MaxReason, "fewer_calibration": project.MaxReason,
	"break_after_minutes": project.MaxBreakAfterMinutes, "daily_item_limit": project.MaxDailyItems,
	"session_limit_minutes": project.MaxSessionMinutes, "release_after_minutes": project.MaxReleaseAfterMinutes,
	"batch": project.MaxBatchName, "NewBatch.name": project.MaxBatchName,
	"NewBatch.annotators": project.MaxAnnotators, "add": project.MaxAnnotators, "pause": project.MaxAnnotators,
	"resume": project.MaxAnnotators, "allow_seen": project.MaxAnnotators, "remove": project.MaxAnnotators,
	"overlap": project.MaxLabelsPerItem, "break_every": project.MaxBreakEvery,
	"break_minutes": project.MaxBreakMinutes, "calibration": project.MaxCalibration,
	"duplicates": project.MaxDuplicates, "gold": project.MaxDuplicates, "gold_minimum": 100,
	"SpotCheckDraw.items": labeling.MaxSpotChecks, "size": project.MaxDrawnItems,
	"QuestionBody.message": postgres.MaxCorrection,
	"Answer.answer":        postgres.MaxAnswer, "message": postgres.MaxAnnouncement, "thank_you": postgres.MaxThankYou,
	"ItemNoting.note":  postgres.MaxItemNote,
	"Reopening.reason": postgres.MaxCorrection, "reply": postgres.MaxCorrection, "url": webhook.MaxURLLength,
}

// apiLimits are the names of inputs whose limits only the API has: texts that it parses, and the
// length of lists.
var apiLimits = []string{"Idempotency-Key", "If-Match", "action", "active_ms", "comment", "open", "token",
	"add_items", "annotator", "answer", "batches", "by",
	"citation_pattern",
	"condition", "count", "cursor", "deadline", "decision_no", "description", "draw", "epsilon", "events", "field",
	"file", "item", "items", "judge", "languages", "license", "limit", "map", "note", "observations",
	"overlap_sample", "plan_digest", "protocol", "record", "revision", "rule", "sample", "search", "seed", "source",
	"tag", "source_ids", "states", "stratify_by", "unsure", "version"}

// A schema is the part of a JSON Schema that has limits.
type schema struct {
	Maximum, MaxLength, MaxItems *float64
	Properties                   map[string]schema
	Items                        *schema
}

// The limits in the description of the API are those of the domain. A new input with a limit has
// to be listed above.
func TestAPI_Document_LimitsAreOfDomain(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/openapi.golden")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct{ Schemas map[string]schema }
		Paths      map[string]map[string]struct {
			Parameters []struct {
				Name   string
				Schema schema
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	var check func(parent, name string, s schema)
	check = func(parent, name string, s schema) {
		for _, limit := range []*float64{s.Maximum, s.MaxLength, s.MaxItems} {
			if limit == nil {
				continue
			}
			key := parent + "." + name
			want, ok := domainLimits[key]
			if !ok {
				key = name
				want, ok = domainLimits[key]
			}
			found[key] = true
			if ok && *limit != want {
				t.Errorf("%s.%s has the limit %v, the domain %v", parent, name, *limit, want)
			} else if !ok && !slices.Contains(apiLimits, name) {
				t.Errorf("%s.%s has a limit that is not listed", parent, name)
			}
		}
		for _, property := range slices.Sorted(maps.Keys(s.Properties)) {
			check(name, property, s.Properties[property])
		}
		if s.Items != nil {
			check(parent, name, *s.Items)
		}
	}
	for name, s := range document.Components.Schemas {
		check("", name, s)
	}
	for path, methods := range document.Paths {
		for _, op := range methods {
			for _, parameter := range op.Parameters {
				check(strings.Trim(path, "/"), parameter.Name, parameter.Schema)
			}
		}
	}
	for key := range domainLimits {
		if !found[key] {
			t.Errorf("no input has the limit %s", key)
		}
	}
}
