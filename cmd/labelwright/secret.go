package main

import (
	"fmt"
	"os"
	"strings"
)

// secretSettings are the settings whose value may be in a file, as containers get their secrets: that file's name is in
// the setting's name with _FILE.
var secretSettings = []string{"DATABASE_URL", "DATABASE_MIGRATE_URL", "PGPASSWORD", "LABELWRIGHT_SMTP_PASSWORD",
	"LABELWRIGHT_OIDC_CLIENT_SECRET", "LABELWRIGHT_TOKEN"}

// readSecretFiles sets the settings that are in files. A line break at the end is not part of a value.
func readSecretFiles() error {
	for _, name := range secretSettings {
		file := os.Getenv(name + "_FILE")
		if file == "" {
			continue
		}
		if os.Getenv(name) != "" {
			return usageError{fmt.Errorf("%[1]s and %[1]s_FILE are both set. Keep one", name)}
		}
		text, err := os.ReadFile(file) //nolint:gosec // the operator names the file
		if err != nil {
			return fmt.Errorf("%s_FILE: %w", name, err)
		}
		if err := os.Setenv(name, strings.TrimRight(string(text), "\r\n")); err != nil {
			return fmt.Errorf("%s_FILE: %w", name, err)
		}
	}
	return nil
}
