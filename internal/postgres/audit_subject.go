package postgres

import (
	"strconv"

	"github.com/labelwright/labelwright/internal/account"
)

// The subjects of audit rows: what kind of thing, and which.
func accountSubject(id account.ID) string { return "account " + strconv.FormatInt(int64(id), 10) }
func protocolSubject(name string) string  { return "protocol " + name }
func projectSubject(key string) string    { return "project " + key }
func batchSubject(projectKey, name string) string {
	return "batch " + projectKey + "/" + name
}
