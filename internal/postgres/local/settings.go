//go:build unix

package local

// port is part of the name of the socket. The server does not listen on the network.
const port = "5432"

// commonSettings apply to every server. They keep rows and values of statements out of
// the log; errors go to the client.
var commonSettings = []string{
	"listen_addresses=",
	"unix_socket_permissions=0700",
	"port=" + port,
	"shared_preload_libraries=",
	"timezone=UTC",
	"log_timezone=UTC",
	"logging_collector=off",
	"log_destination=stderr",
	"log_line_prefix=",
	"log_min_messages=log",
	"log_min_error_statement=panic",
	"log_checkpoints=off",
}

// durableSettings make a server keep every transaction that it has acknowledged.
var durableSettings = []string{
	"fsync=on",
	"synchronous_commit=on",
	"full_page_writes=on",
	"max_connections=100",
	"shared_buffers=128MB",
	"effective_cache_size=512MB",
	"work_mem=8MB",
	"maintenance_work_mem=64MB",
	"max_wal_size=512MB",
}

// volatileSettings make a server fast whose data may be lost.
var volatileSettings = []string{
	"fsync=off",
	"synchronous_commit=off",
	"full_page_writes=off",
	"wal_level=minimal",
	"max_wal_senders=0",
	"autovacuum=off",
	"dynamic_shared_memory_type=mmap", // leaves no files outside the directory
	"max_connections=300",
	"shared_buffers=64MB",
}

func (s *Server) serverArgs() []string {
	args := []string{"-D", s.dataDir, "-c", "unix_socket_directories=" + s.socketDir}
	modeSettings := durableSettings
	if s.options.Volatile {
		modeSettings = volatileSettings
	}
	for _, list := range [][]string{commonSettings, modeSettings} {
		for _, setting := range list {
			args = append(args, "-c", setting)
		}
	}
	return args
}

// initdbArgs choose peer authentication; writeAccessRules adds who may connect.
func (s *Server) initdbArgs(dir string) []string {
	args := []string{"-D", dir, "-U", Role, "-E", "UTF8", "--auth-local=peer", "--auth-host=reject", "--data-checksums"}
	if s.options.Volatile {
		args = append(args, "--no-sync", "--wal-segsize=1")
	}
	return append(args, localeArgs(s.bin.Major)...)
}

// localeArgs select Unicode rules that are equal on every system. The sort order
// differs between versions, so queries that sort text name a collation.
func localeArgs(major int) []string {
	switch {
	case major >= 17:
		return []string{"--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"}
	case major >= 15:
		return []string{"--locale=C", "--locale-provider=icu", "--icu-locale=und"}
	default:
		return []string{"--locale=C"}
	}
}
