package main

import (
	"fmt"

	"github.com/labelwright/labelwright/internal/postgres"
)

type auditCommand struct {
	Verify auditVerify `cmd:"" help:"Check that no entry was changed, deleted or added."`
}

type auditVerify struct {
	Link string `placeholder:"NUMBER:HASH" help:"Link that an earlier run printed. The log must still contain it."`
}

// Run verifies the hash chain.
func (a auditVerify) Run(c *cli, s streams, ctx runContext) error {
	var earlier postgres.AuditLink
	if a.Link != "" {
		var err error
		if earlier, err = postgres.ParseAuditLink(a.Link); err != nil {
			return usageError{fmt.Errorf("--link %q is not a link. Use the one that an earlier run printed, such as 17:9f2c", a.Link)}
		}
	}
	return c.withExistingDB(ctx, func(db *postgres.DB) error {
		last, err := db.VerifyAuditLog(ctx, earlier)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "The audit log is intact. Entries: %s. Last link: %s\n", formatCount(last.SequenceNo), last)
		return nil
	})
}
