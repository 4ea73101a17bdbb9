package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/plaintext"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/project"
	"github.com/labelwright/labelwright/internal/protocol"
	"github.com/labelwright/labelwright/internal/telemetry"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // standard error explains why
	exitUsage  = 2 // wrong command line
	exitFound  = 3 // done, but checks found problems; standard error lists them
)

type streams struct {
	in       io.Reader
	out, err io.Writer
	bar      *progressBar
}

// cli is every command with its flags and environment variables. Nothing else reads either.
type cli struct {
	DatabaseURL string `name:"database-url" env:"DATABASE_URL" placeholder:"URL" help:"PostgreSQL database. Without it Labelwright runs a private PostgreSQL in the data folder."`
	MigrateURL  string `name:"database-migrate-url" env:"DATABASE_MIGRATE_URL" placeholder:"URL" help:"The same database for migrations: as a role that owns the schema, and without a connection pooler such as PgBouncer."`
	DataDir     string `env:"LABELWRIGHT_DATA_DIR" placeholder:"DIR" help:"Data folder of the private PostgreSQL."`
	PostgresBin string `env:"LABELWRIGHT_POSTGRES_BIN" placeholder:"DIR" help:"Folder with the programs postgres and initdb. Default: the usual folders."`
	As          string `name:"as" env:"LABELWRIGHT_AS" placeholder:"EMAIL" help:"Account that acts: its rights count, and the audit log names it. Default: a shell on this machine may do everything."`
	serverFlags
	DataHome string   `env:"XDG_DATA_HOME" hidden:""`
	SudoUser string   `env:"SUDO_USER" hidden:""`
	Log      logLevel `default:"info" env:"LABELWRIGHT_LOG" help:"Log level: debug, info, warn or error."`

	linkBase string // address of the site in the links of an API in this process; empty: the usual one

	Demo        demoCommand        `cmd:"" help:"Try Labelwright with sample projects."`
	Serve       serveCommand       `cmd:"" help:"Run the server."`
	Migrate     migrateCommand     `cmd:"" help:"Update the database schema, or show its version."`
	User        userCommand        `cmd:"" help:"Add, list and change users."`
	Protocol    protocolCommand    `cmd:"" help:"List, show, validate and publish protocols."`
	Project     projectCommand     `cmd:"" help:"Create and list projects, and change their settings."`
	Member      memberCommand      `cmd:"" help:"Add, remove and list the members of a project."`
	Import      importCommand      `cmd:"" help:"Import items into a project."`
	Item        itemCommand        `cmd:"" help:"List, search and archive items."`
	Reference   referenceCommand   `cmd:"" help:"Import calibration items with reference answers."`
	Calibration calibrationCommand `cmd:"" help:"Show calibration results, and decide on them."`
	Correction  correctionCommand  `cmd:"" help:"List and resolve correction requests."`
	Skip        skipCommand        `cmd:"" help:"List skipped items."`
	Label       labelCommand       `cmd:"" help:"Label items, as on the Work page."`
	Batch       batchCommand       `cmd:"" help:"Open batches for annotators, and show their progress."`
	Inbox       inboxCommand       `cmd:"" help:"Show what waits for leads."`
	Message     messageCommand     `cmd:"" help:"List and answer the questions of annotators."`
	Announce    announceCommand    `cmd:"" help:"Send a message to the annotators of a batch."`
	Adjudicate  adjudicateCommand  `cmd:"" help:"Import decisions on items with disagreements."`
	SpotCheck   spotCheckCommand   `cmd:"" help:"Draw agreed items to check, and show how often they are wrong."`
	Judge       judgeCommand       `cmd:"" help:"Import the answers of a model judge, or print the scorecards of judges."`
	Sheet       sheetCommand       `cmd:"" help:"Write and submit sheets that annotators fill in elsewhere."`
	Check       checkCommand       `cmd:"" help:"Check a filled annotation sheet. It needs no database."`
	Report      reportCommand      `cmd:"" help:"Report agreement, rater effects and metrics of a project."`
	Export      exportCommand      `cmd:"" help:"Export the dataset of a project."`
	Backup      backupCommand      `cmd:"" help:"Write everything into one file, now or every day."`
	Restore     restoreCommand     `cmd:"" help:"Restore a backup into an empty database."`
	Retention   retentionCommand   `cmd:"" help:"Show what is deleted after which period, and what is kept."`
	Audit       auditCommand       `cmd:"" help:"Print or verify the audit log."`
	Token       tokenCommand       `cmd:"" help:"Create, list and revoke API tokens."`
	Webhook     webhookCommand     `cmd:"" help:"Create webhooks, and see and repeat their deliveries."`
	Agree       agreeCommand       `cmd:"" help:"Compute agreement from a CSV file, without a database."`
	Consensus   consensusCommand   `cmd:"" help:"Compute one value per item from a CSV file, without a database."`
	Plan        planCommand        `cmd:"" help:"Estimate how many items and how much overlap a project needs."`
	Completion  completionCommand  `cmd:"" help:"Print the completion script of a shell."`
	Complete    completeCommand    `cmd:"" hidden:""`
	Version     versionCommand     `cmd:"" help:"Show the version of this program."`
	Health      healthCommand      `cmd:"" help:"Check whether the server on this machine is ready."`
}

type logLevel slog.Level

// UnmarshalText reads a level such as "warn".
func (l *logLevel) UnmarshalText(text []byte) error {
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, strings.ToLower(string(text))) {
		return fmt.Errorf("%q is not a log level, use debug, info, warn or error", text)
	}
	return (*slog.Level)(l).UnmarshalText(text)
}

// run executes a command line and returns its exit code. An empty command line prints the help.
// It writes no control character, wherever a text comes from.
func run(ctx context.Context, args []string, s streams) (code int) {
	s.bar = newProgressBar(s.err)
	s.out, s.err = plaintext.NewWriter(barWriter{s.out, s.bar}), plaintext.NewWriter(barWriter{s.err, s.bar})
	defer s.bar.clear()
	defer func() {
		if request, ok := recover().(exitRequest); ok {
			code = int(request)
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if i := slices.IndexFunc(args, func(arg string) bool { return !utf8.ValidString(arg) }); i >= 0 {
		fmt.Fprintf(s.err, "labelwright: argument %d, %s, is not valid UTF-8. Type it in a terminal that uses UTF-8, or rename the file.\n", i+1, args[i])
		return exitUsage
	}
	if err := readSecretFiles(); err != nil {
		fmt.Fprintln(s.err, formatError(err))
		return exitCode(err)
	}
	var c cli
	parser := kong.Must(&c, kong.Name("labelwright"), kong.Writers(s.out, s.err), kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Exit(func(code int) { panic(exitRequest(code)) }))
	command, err := parser.Parse(args)
	if err != nil {
		message := strings.Replace(err.Error(), `one of "",`, "one of ", 1) // a flag that may be missing
		fmt.Fprintf(s.err, "labelwright: %s. Run `%s --help` for usage.\n", message, commandPath(err))
		return exitUsage
	}
	slog.SetDefault(slog.New(telemetry.NewLogHandler(slog.NewJSONHandler(s.err,
		&slog.HandlerOptions{Level: slog.Level(c.Log)}))))
	ctx = withActor(ctx)
	if name := command.Command(); name != "serve" && name != "demo" {
		ctx = postgres.WithSystemUser(ctx, systemUser(c.SudoUser))
	}
	if err := command.Run(&c, s, runContext{ctx}); err != nil {
		fmt.Fprintln(s.err, formatError(err))
		if c.As != "" && fault.KindOf(err) == fault.Forbidden {
			fmt.Fprintf(s.err, "The command acts as %s. Name another account with --as, or leave it out.\n", c.As)
		}
		return exitCode(err)
	}
	return exitOK
}

// commandPath returns the command that a parse error is about, such as "labelwright batch".
func commandPath(err error) string {
	if parseErr, ok := errors.AsType[*kong.ParseError](err); ok {
		if selected := parseErr.Context.Selected(); selected != nil {
			return selected.FullPath()
		}
		for _, step := range parseErr.Context.Path {
			if step.Command != nil {
				return step.Command.FullPath()
			}
		}
	}
	return "labelwright"
}

// An exitRequest ends a command line early, after its help.
type exitRequest int

// runContext has a type of its own, because kong passes arguments to commands by type.
type runContext struct{ context.Context }

// usageError marks an error as wrong usage.
type usageError struct{ error }

// inputError marks an error as one of the values of flags, which an operation found.
type inputError struct{ error }

// Unwrap returns the error of the operation.
func (e inputError) Unwrap() error { return e.error }

// asInputError marks an error of an operation that is about its input, and not about the rows of a file.
func asInputError(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.Invalid || slices.ContainsFunc(e.Fields, func(p fault.FieldProblem) bool {
		return p.Row > 0
	}) {
		return err
	}
	return inputError{err}
}

func exitCode(err error) int {
	_, isUsage := errors.AsType[usageError](err)
	_, isInput := errors.AsType[inputError](err)
	if isUsage || isInput || hasInvalidFlags(err) {
		return exitUsage
	}
	if errors.Is(err, errFindings) {
		return exitFound
	}
	return exitFailed
}

// hasInvalidFlags reports whether err is about the values of flags alone, and not about the
// state of the database.
func hasInvalidFlags(err error) bool {
	problems, _ := errors.AsType[project.FormProblems](err)
	return len(problems) > 0 && !slices.ContainsFunc(problems, func(p project.FormProblem) bool {
		return fault.KindOf(p.Err) != fault.Invalid
	})
}

// formatError returns the text of an error for a terminal. Unlike on a page, internal
// errors are shown in full.
func formatError(err error) string {
	e := fault.From(err)
	if list := asErrorList(err); list != nil {
		return list.Error()
	}
	switch {
	case e.Kind == fault.Internal:
		return "labelwright: " + err.Error()
	case len(e.Fields) > 0:
		return formatFields(e)
	case e.Message == e.Kind.Text(): // err may be more precise than the default text
		return err.Error()
	}
	return e.Message
}

// asErrorList returns the list of errors in err that are shown together, or nil.
func asErrorList(err error) error {
	if list, ok := errors.AsType[protocol.DefinitionErrors](err); ok {
		return list
	}
	if list, ok := errors.AsType[project.FormProblems](err); ok {
		return list
	}
	return nil
}

// formatFields returns the text of an error of fields, each of which has a sentence, or of the rows of a
// file.
func formatFields(e *fault.Error) string {
	sentences := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		if f.Row > 0 {
			return e.Message // has the rows
		}
		sentences[i] = f.Message
	}
	return strings.Join(sentences, "\n")
}

// dataDir returns the data folder of the private PostgreSQL.
func (c *cli) dataDir() string {
	if c.DataDir != "" {
		return c.DataDir
	}
	return local.DefaultDir(c.DataHome)
}

// checkURLs returns an error unless the addresses of the database are well-formed.
func (c *cli) checkURLs() error {
	for name, address := range map[string]string{"DATABASE_URL": c.DatabaseURL, "DATABASE_MIGRATE_URL": c.MigrateURL} {
		if err := postgres.CheckURL(address); address != "" && err != nil {
			return usageError{fmt.Errorf("%s is not an address of a PostgreSQL database: %w", name, err)}
		}
	}
	return nil
}

// open opens a file; "-" is standard input.
func (s streams) open(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(s.in), nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the file: %w", err)
	}
	return file, nil
}
