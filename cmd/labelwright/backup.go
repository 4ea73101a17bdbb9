package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/labelwright/labelwright/internal/backup"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
)

type backupCommand struct {
	File      string   `arg:"" type:"path" help:"File to write, or a folder with --schedule."`
	Recipient []string `env:"LABELWRIGHT_BACKUP_RECIPIENT" placeholder:"KEY" help:"Encrypt the backup, so that only the owner of this public key of age reads it. Can be repeated."`
	Schedule  bool     `help:"Write a backup into the folder every day until stopped. Of its backups 7 of days, 4 of weeks and 12 of months are kept."`
	resultFlags
}

// Help explains the command.
func (backupCommand) Help() string {
	return `Writes everything, as of one moment, into one file: accounts, projects, items,
labels and the audit log. The server can run at the same time. Keep the key of
an encrypted backup elsewhere: without it, the backup cannot be restored.
What was erased before is listed in labelwright.erasures, next to the backup: keep it.
With --schedule, new erasures are added each minute.

Example:

    labelwright backup labelwright.backup
    labelwright backup --schedule --recipient age1… /backups`
}

// Run writes a backup, or one each day.
func (b backupCommand) Run(c *cli, s streams, ctx runContext) error {
	recipients, err := backup.ParseRecipients(b.Recipient)
	if err != nil {
		return inputError{err}
	}
	if !b.Schedule {
		return b.write(c, s, ctx, b.File, recipients)
	}
	last, err := pruneBackups(b.File)
	if err != nil {
		return err
	}
	next := last.AddDate(0, 0, 1)
	for b.wait(c, ctx, next) {
		name := filepath.Join(b.File, time.Now().UTC().Format(backupName))
		if err := b.write(c, s, ctx, name, recipients); err != nil {
			slog.Error("no backup was written; the next attempt is in an hour", "error", err)
			next = time.Now().Add(time.Hour)
			continue
		}
		if last, err = pruneBackups(b.File); err != nil {
			return err
		}
		next = last.AddDate(0, 0, 1)
	}
	return nil
}

// wait waits for the time of the next backup, and adds new erasures to the ledger each minute. It reports whether the
// command goes on.
func (b backupCommand) wait(c *cli, ctx runContext, next time.Time) bool {
	for time.Now().Before(next) {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(min(time.Until(next), time.Minute)):
		}
		// A private PostgreSQL that does not run is not started for this.
		if _, running := local.FindRunning(c.dataDir()); c.DatabaseURL == "" && !running {
			continue
		}
		err := c.withDatabaseURL(ctx, func(url string) error { return keepErasures(ctx, url, b.File) })
		if err != nil && ctx.Err() == nil {
			slog.Error("new erasures were not added to the ledger next to the backups", "error", err)
		}
	}
	return ctx.Err() == nil
}

// erasuresName is the name of the ledger of erasures, next to the backups.
const erasuresName = "labelwright.erasures"

// keepErasures adds the erasures that the ledger of a folder does not have. It has no file before the first erasure.
func keepErasures(ctx runContext, url, dir string) error {
	name := filepath.Join(dir, erasuresName)
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ledger, err := postgres.AddErasures(ctx, url, slices.Clone(old))
	if err != nil || len(ledger) == len(old) {
		return err
	}
	if err := os.WriteFile(name+".part", ledger, 0o600); err != nil { //nolint:gosec // the operator names the folder
		return err
	}
	return os.Rename(name+".part", name)
}

// backupName is the name of a daily backup, as a format of its time.
const backupName = "labelwright-20060102T150405Z.backup"

// pruneBackups removes the daily backups of a folder that are not kept, and returns the time of the last one.
func pruneBackups(dir string) (last time.Time, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return last, err
	}
	var times []time.Time
	for _, file := range files {
		if t, err := time.Parse(backupName, file.Name()); err == nil {
			times = append(times, t)
			if t.After(last) {
				last = t
			}
		}
	}
	for _, t := range backup.FilterExpired(times) {
		if err := os.Remove(filepath.Join(dir, t.Format(backupName))); err != nil {
			return last, err
		}
	}
	return last, nil
}

// write writes a backup into a new file, which appears when it is whole.
func (b backupCommand) write(c *cli, s streams, ctx runContext, name string, recipients []backup.Recipient) error {
	if _, err := os.Stat(name); err == nil {
		return fmt.Errorf("%s exists. Give the backup another name", name)
	}
	if err := c.requireDatabase(); err != nil {
		return err
	}
	return c.withDatabaseURL(ctx, func(url string) (err error) {
		file, err := os.OpenFile(name+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, os.Remove(file.Name()))
			}
		}()
		h, sums, err := postgres.WriteBackup(ctx, url, file, postgres.BackupOptions{Recipients: recipients,
			Progress: s.bar.track("Backing up", "rows")})
		s.bar.clear()
		size, seekErr := file.Seek(0, io.SeekCurrent)
		if err := errors.Join(err, seekErr, file.Sync(), file.Close()); err != nil {
			return err
		}
		if err := os.Rename(file.Name(), name); err != nil {
			return err
		}
		if err := keepErasures(ctx, url, filepath.Dir(name)); err != nil {
			return err
		}
		if err := postgres.RecordBackup(ctx, url, h, size); err != nil {
			return err
		}
		return b.show(s, newBackupResult(name, size, h, sums), "Backed up %s rows of %d tables into %s: %s kB.\n",
			formatCount(sums.Rows()), len(sums.Tables), name, formatCount(int(size+999)/1000))
	})
}

// A backupResult is what the commands backup and restore print as JSON.
type backupResult struct {
	File          string            `json:"file"`
	Bytes         int64             `json:"bytes"`
	CreatedAt     time.Time         `json:"created_at"`
	SchemaVersion int               `json:"schema_version"`
	Tables        []backup.TableSum `json:"tables"`
	AuditLink     string            `json:"audit_link"`
}

func newBackupResult(file string, size int64, h backup.Header, sums backup.Sums) backupResult {
	return backupResult{File: file, Bytes: size, CreatedAt: h.CreatedAt, SchemaVersion: h.SchemaVersion,
		Tables: sums.Tables, AuditLink: sums.AuditLink}
}

type restoreCommand struct {
	File     string `arg:"" type:"path" help:"Backup to restore."`
	Identity string `placeholder:"FILE" type:"path" help:"File with the key of an encrypted backup, as age-keygen writes it."`
	Erasures string `placeholder:"FILE" type:"path" help:"Erase again what this ledger lists. Default: labelwright.erasures next to the backup, if there is one."`
	resultFlags
}

// Help explains the command.
func (restoreCommand) Help() string {
	return `Restores a backup into an empty database, or into a data folder that does not
exist yet. The whole file is checked first: a damaged one changes nothing. A backup
of an earlier version of Labelwright is updated. What was erased since the backup
was written is erased again.

Example:

    labelwright restore --data-dir /srv/labelwright labelwright.backup`
}

// Run restores a backup and verifies the audit log.
func (r restoreCommand) Run(c *cli, s streams, ctx runContext) error {
	identities, err := r.readIdentities()
	if err != nil {
		return err
	}
	erasures, hasLedger, err := r.readErasures()
	if err != nil {
		return err
	}
	file, err := os.Open(r.File)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := c.refuseServer(); err != nil {
		return err
	}
	return c.withDatabaseURL(ctx, func(url string) error {
		h, sums, err := postgres.RestoreBackup(ctx, url, file, postgres.RestoreOptions{Identities: identities,
			Erasures: erasures, Progress: s.bar.track("Restoring", "rows")})
		s.bar.clear()
		if err != nil {
			return err
		}
		known, err := verifyRestored(ctx, url, sums.AuditLink)
		if err != nil {
			return err
		}
		info, err := file.Stat()
		if err != nil {
			return err
		}
		moment, notes := h.CreatedAt.Format(time.DateTime+" UTC"), s.out
		if r.Format == "json" {
			notes = s.err
		}
		err = r.show(s, newBackupResult(r.File, info.Size(), h, sums),
			"Restored %s rows of %d tables, as of %s. The audit log is intact.\n", formatCount(sums.Rows()), len(sums.Tables),
			moment)
		if err == nil && !hasLedger {
			_, err = fmt.Fprintf(notes, withoutLedger, erasuresName, known, moment)
		}
		return err
	})
}

// readIdentities reads the keys of an encrypted backup.
func (r restoreCommand) readIdentities() ([]backup.Identity, error) {
	if r.Identity == "" {
		return nil, nil
	}
	file, err := os.Open(r.Identity)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	identities, err := backup.ReadIdentities(file)
	if err != nil {
		return nil, inputError{fmt.Errorf("%s: %w", r.Identity, err)}
	}
	return identities, nil
}

// withoutLedger warns that erasures may be undone.
const withoutLedger = "Without a ledger of erasures (%s), this restore knows only the erasures that the backup records (%d), and whatever was erased after %s is back: if anything was, restore again into an empty database with --erasures FILE.\n"

// readErasures reads the ledger of erasures, if there is one.
func (r restoreCommand) readErasures() (erasures []postgres.Erasure, hasLedger bool, err error) {
	name := cmp.Or(r.Erasures, filepath.Join(filepath.Dir(r.File), erasuresName))
	ledger, err := os.ReadFile(name)
	if r.Erasures == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if erasures, err = postgres.ParseErasures(ledger); err != nil {
		return nil, false, fmt.Errorf("%s: %w", name, err)
	}
	return erasures, true, nil
}

// verifyRestored verifies the audit log up to the link of the backup. It returns the number of erasures.
func verifyRestored(ctx runContext, url, auditLink string) (erasures int, err error) {
	db, err := postgres.Open(ctx, url)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	var link postgres.AuditLink
	if !strings.HasPrefix(auditLink, "0:") {
		if link, err = postgres.ParseAuditLink(auditLink); err != nil {
			return 0, err
		}
	}
	if _, err = db.VerifyAuditLog(ctx, link); err != nil {
		return 0, err
	}
	return db.CountErasures(ctx)
}
