package page

import (
	"slices"
	"testing"
	"time"

	"github.com/labelwright/labelwright/internal/report"
	"github.com/labelwright/labelwright/internal/stats"
)

func TestThePaceIsInWordsThatHoldOfAnyNumber(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		labels  int
		seconds float64
		want    string
	}{
		{24, 0, ""}, {2, 30, ""}, {24, 0.2, "half of them in less than a second each"}, {24, 1, "half of them within 1 second each"},
		{24, 30.4, "half of them within 31 seconds each"}, {24, 300, "half of them within 5 minutes each"},
	} {
		if got := paceWords(tt.labels, tt.seconds); got != tt.want {
			t.Errorf("%d labels of %v s: %q, want %q", tt.labels, tt.seconds, got, tt.want)
		}
	}
}

func TestOfManyPairsTheLowestThatShareEnoughAreListed(t *testing.T) {
	t.Parallel()
	pair := func(κ float64, items int) report.Pair {
		return report.Pair{Kappa: report.Figure{Number: report.Number{Value: &κ}, Items: items}}
	}
	pairs := []report.Pair{pair(-1, 9), pair(0.9, 40), pair(0.1, 10)}
	if list, _ := lowestPairs(pairs); len(list) != 3 {
		t.Errorf("of three pairs %d are listed", len(list))
	}
	for range pairsListed {
		pairs = append(pairs, pair(0.5, 3), pair(0.6, 12))
	}
	list, caption := lowestPairs(pairs)
	if len(list) != pairsListed || *list[0].Kappa.Value != 0.1 || *list[1].Kappa.Value != 0.6 || caption != "Of 63 pairs, the 30 who agree least, among those who share 10 items or more" {
		t.Errorf("%d are listed: %s", len(list), caption)
	}
	if list, caption = lowestPairs(pairs[3:34]); len(list) != 15 || caption != "Of 31 pairs, those who share 10 items or more, the lowest first" {
		t.Errorf("%d are listed: %s", len(list), caption)
	}
}

func TestWhatNobodyTickedIsNamedAndBounded(t *testing.T) {
	t.Parallel()
	none, some, high := 0.0, 0.2, 0.031
	m := report.Metrics{Title: "Observations", Rates: []report.Rate{
		{Title: "Breaks off", Number: report.Number{Value: &none, Low: &none, High: &high}}, {Title: "Seen", Number: report.Number{Value: &some}}}}
	if got := neverSeen(m); got != "In no label: Breaks off. By their intervals, each holds of 4 % of labels at most." {
		t.Errorf("it says %q", got)
	}
	if rows := rates(m).Rows; len(rows) != 1 || rows[0][0] != "Seen" {
		t.Errorf("drawn are %v", rows)
	}
}

func TestHabitsThatTooFewItemsTellAreNamedTogether(t *testing.T) {
	t.Parallel()
	if got := untold([]report.Habit{{Name: "halo", Items: 11, Needs: 30}, {Name: "leniency", Items: 20, Needs: 20}}); got !=
		"Too few items yet to tell, with how many there are of those it takes: halo (11 of 30)." {
		t.Errorf("it says %q", got)
	}
}

func TestWhatIsSaidOfAllFieldsForWantOfOverlapIsSaidOnce(t *testing.T) {
	t.Parallel()
	field := func(title string, word stats.Verdict, says string) report.Field {
		return report.Field{Title: title, Verdict: report.Verdict{Word: word, Says: says}}
	}
	few := field("A", stats.NotEnough, "11 items were judged.")
	same, fewer, judged := few, field("C", stats.NotEnough, "6 items were judged."), field("D", stats.Go, "11 items were judged.")
	same.Title = "B"
	d := ReportData{Report: &report.Report{Fields: []report.Field{few, fewer, same, judged, judged}}}
	if all := d.sayings(); len(all) != 4 || !slices.Equal(all[0].Titles, []string{"A", "B"}) || !d.drawn() {
		t.Errorf("%+v", all)
	}
	d.Report.Fields = []report.Field{few, same}
	if len(d.sayings()) != 1 || d.drawn() {
		t.Errorf("%+v, drawn: %t", d.sayings(), d.drawn())
	}
}

func TestAReportThatIsMadeSaysWhatIsBeingDone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		made Making
		want string
	}{
		{Making{For: time.Second}, "It has begun."},
		{Making{For: 40 * time.Second}, "It waits for another large report; it was asked for 40 seconds ago."},
		{Making{For: 40 * time.Second, Doing: "reading the labels"}, "It was asked for 40 seconds ago. Now: reading the labels."},
		{Making{For: 3 * time.Minute, Done: 4, All: 21, Doing: "habits"}, "It was asked for 3 minutes ago. Now: habits."},
	} {
		if got := tt.made.says(); got != tt.want {
			t.Errorf("%+v says %q, want %q", tt.made, got, tt.want)
		}
	}
}

func TestWhereNoHabitCanBeToldTheFirstIsNamedByLabels(t *testing.T) {
	t.Parallel()
	few := []report.Annotator{{Habits: []report.Habit{{Name: stats.SafetyMissed, Needs: 8}, {Name: stats.Leniency, Needs: 20}, {Name: stats.Halo, Needs: 30}}}}
	if got := noHabit(few); got != "Too few labels to tell a habit: the first takes 20 labels of one annotator, on items that others labelled too." {
		t.Errorf("it says %q", got)
	}
}
