package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
)

func TestMessage_MostSpecificWins(t *testing.T) {
	t.Parallel()
	conflict := fault.Conflict.Errorf("The batch “%s” is closed already.", "one")
	for _, c := range []struct {
		err  error
		kind fault.Kind
		says string
	}{
		{conflict, fault.Conflict, "The batch “one” is closed already."},
		{fmt.Errorf("close the batch: %w", conflict), fault.Conflict, "The batch “one” is closed already."},
		{fmt.Errorf("find it: %w", fault.NotFound), fault.NotFound, "There is nothing here."},
		{errors.New("pq: relation secret does not exist"), "", fault.InternalMessage},
	} {
		if fault.KindOf(c.err) != c.kind || fault.Message(c.err) != c.says {
			t.Errorf("%v: kind %q, says %q", c.err, fault.KindOf(c.err), fault.Message(c.err))
		}
	}
	if !errors.Is(conflict, fault.Conflict) || errors.Is(conflict, fault.NotFound) {
		t.Error("a kind is not found by errors.Is")
	}
}
