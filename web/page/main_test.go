package page_test

import (
	"testing"

	"github.com/labelwright/labelwright/web/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }
