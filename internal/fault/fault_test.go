package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
)

func TestPeopleAreToldTheMostPreciseSentenceAndNeverOurs(t *testing.T) {
	t.Parallel()
	told := fault.Conflict.Says("The batch “%s” is closed already.", "one")
	for _, c := range []struct {
		err  error
		kind fault.Kind
		says string
	}{
		{told, fault.Conflict, "The batch “one” is closed already."},
		{fmt.Errorf("close the batch: %w", told), fault.Conflict, "The batch “one” is closed already."},
		{fmt.Errorf("find it: %w", fault.NotFound), fault.NotFound, "There is nothing here."},
		{errors.New("pq: relation secret does not exist"), "", fault.Ours},
	} {
		if fault.KindOf(c.err) != c.kind || fault.Message(c.err) != c.says {
			t.Errorf("%v: kind %q, says %q", c.err, fault.KindOf(c.err), fault.Message(c.err))
		}
	}
	if !errors.Is(told, fault.Conflict) || errors.Is(told, fault.NotFound) {
		t.Error("a kind is not found by errors.Is")
	}
}
