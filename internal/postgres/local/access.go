//go:build unix

package local

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
)

// roles are the roles that this account may connect as. Role exists from the start, the
// others when a migration creates them.
var roles = []string{Role, "labelwright_app", "labelwright_readonly"}

// writeAccessRules lets only this account and root connect, and only with known roles. The
// server asks the kernel for the account of a connection, so there is no password to keep.
// The files are written at each start: the rules apply to clusters of earlier versions, too.
func (s *Server) writeAccessRules(context.Context) error {
	names, err := accountNames()
	if err != nil {
		return err
	}
	const rules = "local all all peer map=labelwright\n"
	if err := s.writeDataFile("pg_hba.conf", rules); err != nil {
		return err
	}
	return s.writeDataFile("pg_ident.conf", accessMap(names))
}

// accessMap returns the lines that let accounts connect with each role.
func accessMap(names []string) string {
	var lines strings.Builder
	for _, name := range names {
		for _, role := range roles {
			fmt.Fprintf(&lines, "labelwright %q %s\n", name, role)
		}
	}
	return lines.String()
}

// accountNames returns the names of this account and of root.
func accountNames() ([]string, error) {
	current, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("finding the name of this account, which PostgreSQL needs: %w", err)
	}
	if current.Username == "root" {
		return []string{"root"}, nil
	}
	return []string{current.Username, "root"}, nil
}

// writeDataFile replaces a file of the cluster.
func (s *Server) writeDataFile(name, text string) error {
	path := filepath.Join(s.dataDir, name)
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(text), 0o600); err != nil {
		return fmt.Errorf("writing the access rules of PostgreSQL: %w", err)
	}
	if err := s.runAs.chown(temp); err != nil {
		return fmt.Errorf("writing the access rules of PostgreSQL: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("writing the access rules of PostgreSQL: %w", err)
	}
	return nil
}
