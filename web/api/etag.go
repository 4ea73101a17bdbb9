package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/labelwright/labelwright/internal/postgres"
)

// objectKey is the key of the object in the metadata of an operation.
const objectKey = "object"

// A versioned body shows an object whose changes are counted.
type versioned interface{ objectVersion() int }

// encoded is a body of type B that is JSON already, so that its tag needs no second encoding.
type encoded[B any] struct{ text []byte }

func encode[B any](body B) (encoded[B], error) {
	text, err := json.Marshal(body)
	return encoded[B]{text}, err
}

// MarshalJSON returns the text.
func (e encoded[B]) MarshalJSON() ([]byte, error) { return e.text, nil }

// Schema returns the schema of B.
func (encoded[B]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[B](), true, "")
}

// newETag returns the tag of a body. It is weak, because a proxy may compress the body. That of
// a versioned body starts with the version.
func newETag(body any, text []byte) string {
	sum, version := sha256.Sum256(text), ""
	if v, ok := body.(versioned); ok {
		version = fmt.Sprintf("v%d-", v.objectVersion())
	}
	return formatETag(version, sum[:])
}

func formatETag(version string, sum []byte) string {
	return fmt.Sprintf(`W/"%s%x"`, version, sum[:12])
}

// versionFromETag returns the version in a tag, or 0.
func versionFromETag(tag string) int {
	text, _ := strings.CutPrefix(strings.TrimSpace(tag), "W/")
	text, isVersioned := strings.CutPrefix(strings.Trim(text, `"`), "v")
	number, _, _ := strings.Cut(text, "-")
	version, err := strconv.Atoi(number)
	if !isVersioned || err != nil {
		return 0
	}
	return version
}

func matchesETag(r *http.Request, tag string) bool {
	for known := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if known = strings.TrimSpace(known); known == tag || known == "*" {
			return true
		}
	}
	return false
}

// withIfMatch returns a context in which the operation changes its object only if it has a
// version of the header If-Match. Only the versions of the tags are compared: the rest depends on
// progress.
func withIfMatch(ctx context.Context, r *http.Request, op *huma.Operation) (context.Context, error) {
	header := strings.Join(r.Header.Values("If-Match"), ",")
	if header == "" || header == "*" || op.Method == http.MethodGet {
		return ctx, nil
	}
	object, ok := op.Metadata[objectKey].(postgres.VersionedObject)
	if !ok {
		return ctx, postgres.VersionChanged.Errorf(
			"This operation changes nothing that has a version, so it takes no If-Match.")
	}
	var versions []int
	for tag := range strings.SplitSeq(header, ",") {
		versions = append(versions, versionFromETag(tag))
	}
	return postgres.WithExpectedVersion(ctx, object, versions), nil
}
