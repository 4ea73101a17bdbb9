package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/labelwright/labelwright/internal/fault"
)

func TestMessage_MostSpecificWins(t *testing.T) {
	t.Parallel()
	conflict := fault.Conflict.Errorf("The batch “%s” is already closed.", "one")
	for _, c := range []struct {
		err     error
		kind    fault.Kind
		message string
	}{
		{conflict, fault.Conflict, "The batch “one” is already closed."},
		{fmt.Errorf("close the batch: %w", conflict), fault.Conflict, "The batch “one” is already closed."},
		{fmt.Errorf("find it: %w", fault.NotFound), fault.NotFound, fault.NotFound.Text()},
		{errors.Join(errors.New("first"), fault.TooLarge), fault.TooLarge, fault.TooLarge.Text()},
		{errors.New("pq: relation secret does not exist"), fault.Internal, fault.Internal.Text()},
	} {
		if fault.KindOf(c.err) != c.kind || fault.Message(c.err) != c.message {
			t.Errorf("%v: kind %q, message %q", c.err, fault.KindOf(c.err), fault.Message(c.err))
		}
	}
	if !errors.Is(conflict, fault.Conflict) || errors.Is(conflict, fault.NotFound) {
		t.Error("errors.Is does not find the kind")
	}
	if fault.KindOf(nil) != "" {
		t.Errorf("no error has kind %q", fault.KindOf(nil))
	}
}

func TestKind_Text_Distinct(t *testing.T) {
	t.Parallel()
	seen := map[string]fault.Kind{}
	for _, k := range []fault.Kind{fault.SignedOut, fault.Forbidden, fault.NotFound, fault.Conflict, fault.Invalid,
		fault.TooLarge, fault.Unavailable, fault.Internal} {
		if other, isSeen := seen[k.Text()]; isSeen || k.Error() != k.Text() {
			t.Errorf("%q and %q share the text %q", k, other, k.Text())
		}
		seen[k.Text()] = k
	}
}
