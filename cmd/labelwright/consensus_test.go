package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/labelwright/labelwright/internal/stats/consensus"
)

// tiedTable has a tie between 2 and 3, and one between 2 and 4.
const tiedTable = `item,annotator,dimension,value
=u1,ada,tone,2
=u1,bo,tone,3
u2,ada,tone,2
u2,bo,tone,4
`

func runConsensus(t *testing.T, stdin string, args ...string) (r consensus.Report) {
	t.Helper()
	code, stdout, stderr := runCommand(t, stdin, append([]string{"consensus", "-", "--format", "json"}, args...)...)
	if code != exitOK || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestConsensus_CSV(t *testing.T) {
	t.Parallel()
	code, out, err := runCommand(t, tiedTable, "consensus", "-", "--scale", "1..5", "--ties", "lower",
		"--format", "csv")
	want := "item,dimension,value,mean,labels,spread,how,posterior,tied\n'=u1,tone,2,2.5,2,1,tie_rule,0.500,2|3\nu2,tone,,3,2,2,tie,,2|4\n"
	if code != exitOK || out != want {
		t.Errorf("exit %d: %s\n%s", code, err, out)
	}
}

func TestConsensus_TwoAnnotators_FallsBack(t *testing.T) {
	t.Parallel()
	r := runConsensus(t, tiedTable, "--scale", "1..5", "--method", "dawid-skene")
	if m := r.Models[0]; m.Method != consensus.ByMedian || m.Converged != nil ||
		!slices.Equal(m.Notes, []consensus.NoteCode{consensus.NotIdentified}) {
		t.Errorf("%+v", m)
	}
	if r.Items[0].Value != nil || fmt.Sprint(r.Items[0].Posterior) != "map[2:0.5 3:0.5]" {
		t.Errorf("%+v", r.Items[0])
	}
}

func TestConsensus_DawidSkene_Text(t *testing.T) {
	t.Parallel()
	text := "item,annotator,dimension,value\n"
	for i := range 20 {
		for _, annotator := range []string{"ada", "bo", "cy"} {
			text += fmt.Sprintf("u%d,%s,cited,%s\n", i, annotator, []string{"no", "yes"}[i%2])
		}
	}
	r := runConsensus(t, text, "--method", "dawid-skene")
	if *r.Items[0].Value != "no" || r.Items[0].Posterior["no"] < 0.99 ||
		r.Annotators[0].Confusion["yes"]["yes"] < 0.99 {
		t.Errorf("%+v %+v", r.Items[0], r.Annotators)
	}
	code, out, _ := runCommand(t, text, "consensus", "-", "--method", "dawid-skene")
	for _, want := range []string{"cited, dawid-skene, converged after", "u0    no     dawid_skene  1.000",
		"ANNOTATOR  CORRECT"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("exit %d without %q:\n%s", code, want, out)
		}
	}
	for _, args := range [][]string{{"--method", "mode"}, {"--ties", "both"}, {"--scale", "5"}} {
		if code, _, err := runCommand(t, text, append([]string{"consensus", "-"}, args...)...); code != exitUsage ||
			err == "" {
			t.Errorf("%v: exit %d, %s", args, code, err)
		}
	}
}
