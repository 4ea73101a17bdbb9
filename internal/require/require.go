// Package require skips tests on machines that lack what they need, fails them where it is
// required, and reports the size that tests are required to run at.
package require

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// Missing skips t because the requirement with that name is missing, for a reason such as
// "Node is not in PATH". It fails t if LABELWRIGHT_REQUIRE, a list such as "postgres,node",
// has the name.
func Missing(t testing.TB, name, reason string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("LABELWRIGHT_REQUIRE"), ","), name) {
		t.Fatalf("LABELWRIGHT_REQUIRE lists %s, but: %s", name, reason)
	}
	t.Skipf("This test needs %s: %s", name, reason)
}

// FullSize reports whether tests run at their full size, which LABELWRIGHT_SLOW=1 requests.
// Otherwise a test that takes long checks the same on less data.
func FullSize() bool { return os.Getenv("LABELWRIGHT_SLOW") == "1" }

// minTimeLeft is more than the longest test takes on a slow machine.
const minTimeLeft = 2 * time.Minute

// Time skips t if the time limit of its package is near, because the machine is slow or busy. Without that, the
// limit would end all tests of the package as failed.
func Time(t *testing.T) {
	t.Helper()
	if deadline, isLimited := t.Deadline(); isLimited && time.Until(deadline) < minTimeLeft {
		Missing(t, "time", "The time limit of the package is near. On a slow machine, run go test with -timeout 60m.")
	}
}

// Program returns the path of a program in PATH or /usr/sbin. The requirement has its name.
func Program(t testing.TB, name string) (path string) {
	t.Helper()
	for _, candidate := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	Missing(t, name, "The program is not in PATH.")
	return ""
}

// PythonModule returns the path of a Python that has a module. The interpreter is
// LABELWRIGHT_PYTHON, such as that of a virtual environment, or python3. The requirement
// has the module's name.
func PythonModule(t testing.TB, module string) (python string) {
	t.Helper()
	python = os.Getenv("LABELWRIGHT_PYTHON")
	if python == "" {
		python = Program(t, "python3")
	}
	importModule := exec.CommandContext(t.Context(), python, "-c", "import "+module) //nolint:gosec // tests name it
	if err := importModule.Run(); err != nil {
		Missing(t, module, "Python cannot import it.")
	}
	return python
}
