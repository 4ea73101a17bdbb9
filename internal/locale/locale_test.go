package locale_test

import (
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/fault"
	"github.com/labelwright/labelwright/internal/locale"
)

func TestT_PluralsNumbersAndDates_ByLanguage(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 22, 8, 4, 0, 0, time.UTC)
	for _, c := range []struct{ got, want string }{
		{locale.English.T("%d browsers", 1), "1 browser"},
		{locale.English.T("%d browsers", 1033), "1,033 browsers"},
		{locale.German.T("%d browsers", 1), "1 Browser"},
		{locale.German.T("%d browsers", 1033), "1.033 Browser"},
		{locale.German.T("%.1f in no catalog", 2.5), "2,5 in no catalog"},
		{locale.English.Number(1033), "1,033"},
		{locale.English.Time(day), "22 Mar 2026, 08:04 UTC"},
		{locale.German.Time(day), "22. März 2026, 08:04 UTC"},
		{locale.German.Date(day), "22. März 2026"},
		{locale.Pseudo.T("%d browsers", 12), "⟦١٢ browsers⟧"},
		{locale.German.Message(fault.Conflict.Errorf("Project “%s”: %s", "a", fault.Conflict.Errorf(
			"This project is not archived."))), "Projekt „a“: Dieses Projekt ist nicht archiviert."},
		{locale.German.Figure("−1.2% to +9.0%"), "−1,2\u00a0% bis +9,0\u00a0%"},
		{locale.German.Figure("1.033"), "1.033"},
		{locale.German.Figure("0.72"), "0,72"},
		{locale.German.Figure("−0.05 to 0.31 (±0.18)"), "−0,05 bis 0,31 (±0,18)"},
		{locale.German.Figure("model 0.72"), "model 0.72"},
		{locale.English.Figure("31–55%"), "31–55%"},
		{locale.German.T("%s of the catalog", locale.Text("Mar")), "März of the catalog"},
	} {
		if c.got != c.want {
			t.Errorf("%q instead of %q", c.got, c.want)
		}
	}
}

func TestForBrowser_ChoosesBestOffered(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]*locale.Locale{
		"":                            locale.English,
		"de-AT,de;q=0.9,en;q=0.5":     locale.German,
		"fr-CH, fr;q=0.9, de;q=0.7":   locale.German,
		"en-GB,en;q=0.9,de;q=0.8":     locale.English,
		"ar,he;q=0.8":                 locale.English,
		"ar-XB":                       locale.Pseudo,
		"not a language;q=x, ;;;q=99": locale.English,
	} {
		if got := locale.ForBrowser(header); got != want {
			t.Errorf("%q: %s instead of %s", header, got.Tag(), want.Tag())
		}
	}
}

func TestTime_InZone_NamesOnlyUTC(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.November, 28, 23, 30, 0, 0, time.UTC)
	zone := time.FixedZone("+2", 2*60*60)
	for want, got := range map[string]string{
		"28 Nov 2026, 23:30 UTC": locale.English.Time(at),
		"29 Nov 2026, 01:30":     locale.English.In(zone).Time(at),
		"29. Nov. 2026, 01:30":   locale.German.In(zone).Time(at),
		"29 Nov 2026":            locale.English.In(zone).Date(at),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
