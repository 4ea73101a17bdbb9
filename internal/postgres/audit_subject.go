package postgres

import "strconv"

// The subjects of audit rows: what kind of thing, and which.
func accountSubject(id int64) string     { return "account " + strconv.FormatInt(id, 10) }
func protocolSubject(name string) string { return "protocol " + name }
func projectSubject(key string) string   { return "project " + key }
func batchSubject(projectKey, name string) string {
	return "batch " + projectKey + "/" + name
}
