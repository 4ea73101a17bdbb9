package account_test

import (
	"math/rand/v2"
	"testing"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/fault"
)

// Keys are accepted if, and only if, each is one allowed character and no two are the same.
func TestSettings_Check_KeysAreDistinctCharacters(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	candidates := []string{"a", "b", "e", "g", "n", "q", "u", "f", "?", "/", ";", "c", "d", "h", "k", "1", "N",
		"nn", " ", "é"}
	accepted := 0
	for range 2000 {
		settings := account.DefaultSettings()
		settings.Keys = account.Keys{}
		for _, d := range account.DefaultKeys {
			if random.IntN(6) == 0 {
				settings.Keys[d.Command] = candidates[random.IntN(len(candidates))]
			}
		}
		isFine, used := true, map[string]bool{}
		for _, key := range settings.Keys.All() {
			isFine = isFine && !used[key] && len(key) == 1 && key != "1" && key != "N" && key != " "
			used[key] = true
		}
		err := settings.Check()
		if (err == nil) != isFine {
			t.Fatalf("Check(%v) = %v", settings.Keys, err)
		}
		if err == nil {
			accepted++
		} else if f := fault.From(err); f.Kind != fault.Invalid || len(f.Fields) == 0 || f.Fields[0].Message == "" {
			t.Fatalf("the error of %v has no field: %+v", settings.Keys, f)
		}
	}
	if accepted < 100 {
		t.Errorf("only %d of 2,000 were accepted", accepted)
	}
}

func TestSettings_Check_UnknownValues_NameTheField(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*account.Settings){
		"theme":     func(s *account.Settings) { s.Theme = "pink" },
		"text_size": func(s *account.Settings) { s.TextSize = "" },
		"language":  func(s *account.Settings) { s.Language = "EN_us" },
	} {
		settings := account.DefaultSettings()
		change(&settings)
		if fields := fault.From(settings.Check()).Fields; len(fields) != 1 || fields[0].Field != field {
			t.Errorf("%s: %v", field, fields)
		}
	}
}
