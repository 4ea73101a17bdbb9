//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// roles are the roles that this account may connect as. Role exists from the start, the
// others when a migration creates them.
var roles = []string{Role, "labelwright_app", "labelwright_readonly"}

// writeAccessRules lets only this account, that of the server and root connect, and only with
// known roles. The server asks the kernel for the account of a connection, so there is no
// password to keep. The files are written at each start: the rules apply to clusters of
// earlier versions, too.
func (s *Server) writeAccessRules(context.Context) error {
	names, err := s.accountNames()
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

// accountNames returns the names of this account, root, and the account of the server, which
// owns the files of the cluster.
func (s *Server) accountNames() ([]string, error) {
	current, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("finding the name of this account, which PostgreSQL needs: %w", err)
	}
	names := []string{"root", current.Username}
	if s.runAs.isSet() {
		names = append(names, s.runAs.name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// writeDataFile replaces a file of the cluster. Root follows no link that the account of the
// server may have made there.
func (s *Server) writeDataFile(name, text string) error {
	path := filepath.Join(s.dataDir, name)
	temp := path + ".new"
	if err := s.createDataFile(temp, text); err != nil {
		return fmt.Errorf("writing the access rules of PostgreSQL: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("writing the access rules of PostgreSQL: %w", err)
	}
	return nil
}

func (s *Server) createDataFile(path, text string) (err error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if s.runAs.isSet() {
		if err := f.Chown(int(s.runAs.uid), int(s.runAs.gid)); err != nil {
			return err
		}
	}
	_, err = f.WriteString(text)
	return err
}
