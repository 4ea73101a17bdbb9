package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"

	"github.com/alecthomas/kong"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/postgres/local"
	"github.com/labelwright/labelwright/internal/protocol"
)

// The exit codes that scripts rely on.
const (
	exitOK     = 0
	exitFailed = 1 // it could not be done; a sentence says why
	exitUsage  = 2 // wrong usage
)

type streams struct {
	in       io.Reader
	out, err io.Writer
}

// cli is every command with its flags and their environment: the one place
// that reads either.
type cli struct {
	DatabaseURL string   `name:"database-url" env:"DATABASE_URL" placeholder:"URL" help:"The PostgreSQL to use. Without one a private PostgreSQL runs under the data folder."`
	DataDir     string   `env:"LABELWRIGHT_DATA_DIR" placeholder:"DIR" help:"Where the private PostgreSQL keeps its files."`
	PostgresBin string   `env:"LABELWRIGHT_POSTGRES_BIN" placeholder:"DIR" help:"Where postgres and initdb are, if not where one looks first."`
	DataHome    string   `env:"XDG_DATA_HOME" hidden:""`
	SudoUser    string   `env:"SUDO_USER" hidden:""`
	Log         logLevel `default:"info" env:"LABELWRIGHT_LOG" help:"How much to log: debug, info, warn or error."`

	Demo       demoCommand       `cmd:"" help:"Try Labelwright on a private PostgreSQL with samples of all five protocols."`
	Serve      serveCommand      `cmd:"" help:"Run the server."`
	Migrate    migrateCommand    `cmd:"" help:"Bring the database's schema up, down, or say where it stands."`
	User       userCommand       `cmd:"" help:"Add people."`
	Protocol   protocolCommand   `cmd:"" help:"List, show, check and publish protocols."`
	Project    projectCommand    `cmd:"" help:"Create and list projects."`
	Import     importCommand     `cmd:"" help:"Add items to a project from a CSV or JSONL file."`
	Reference  referenceCommand  `cmd:"" help:"Add calibration items with reference answers to a project from a CSV or JSONL file."`
	Batch      batchCommand      `cmd:"" help:"Hand items to annotators."`
	Export     exportCommand     `cmd:"" help:"Write a project's annotations to a folder."`
	Agree      agreeCommand      `cmd:"" help:"Compute the agreement of any long table of labels, without a database."`
	Report     reportCommand     `cmd:"" help:"Report agreement, habits and metrics of a project."`
	Judge      judgeCommand      `cmd:"" help:"Add what a model said of the items, to compare it with people."`
	Adjudicate adjudicateCommand `cmd:"" help:"Settle items that annotators differ on, from a CSV or JSONL file."`
	Plan       planCommand       `cmd:"" help:"Say how many items and how much overlap an interval of a wished width takes."`
	Health     healthCommand     `cmd:"" help:"Say whether the server on this machine is ready."`
}

type logLevel slog.Level

// UnmarshalText reads a level as people write it.
func (l *logLevel) UnmarshalText(text []byte) error { return (*slog.Level)(l).UnmarshalText(text) }

// run carries out one command line and returns its exit code.
func run(ctx context.Context, args []string, s streams) (code int) {
	defer func() {
		if request, ok := recover().(exitRequest); ok {
			code = int(request)
		}
	}()
	var c cli
	parser := kong.Must(&c, kong.Name("labelwright"), kong.Writers(s.out, s.err),
		kong.Description("Where people label model outputs by a rubric, and the labels can be defended."),
		kong.Exit(func(code int) { panic(exitRequest(code)) }))
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(s.err, "labelwright: %v. `labelwright --help` shows what there is.\n", err)
		return exitUsage
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(s.err, &slog.HandlerOptions{Level: slog.Level(c.Log)})))
	if err := command.Run(&c, s, runContext{ctx}); err != nil {
		fmt.Fprintln(s.err, formatError(err))
		return exitCode(err)
	}
	return exitOK
}

// exitRequest is how help ends a command line.
type exitRequest int

// runContext carries the context to commands, which kong hands over by type.
type runContext struct{ context.Context }

// usageError marks an error as wrong usage.
type usageError struct{ error }

func exitCode(err error) int {
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// formatError returns what a terminal shows for err: what people are told, and
// whole for what is ours, since whoever reads it runs the program.
func formatError(err error) string {
	if faults, ok := errors.AsType[protocol.DefinitionErrors](err); ok {
		return faults.Error()
	}
	if fault.KindOf(err) != fault.Internal {
		return userMessage(err)
	}
	return "labelwright: " + err.Error()
}

// userMessage prefers an error's own words, such as a list of faults, to its kind's.
func userMessage(err error) string {
	if message := fault.Message(err); message != fault.KindOf(err).Error() {
		return message
	}
	return err.Error()
}

// dataDir returns where the private PostgreSQL lives.
func (c *cli) dataDir() string {
	if c.DataDir != "" {
		return c.DataDir
	}
	return local.DefaultDir(c.DataHome)
}

func (c *cli) checkURL() error {
	u, err := url.Parse(c.DatabaseURL)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return usageError{errors.New("DATABASE_URL has to be an address such as postgres://user@host/database")}
	}
	return nil
}

// open reads a file that a command names; "-" is standard input.
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
