package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func planned(t *testing.T, args ...string) []planJSON {
	t.Helper()
	code, out, err := ran(t, "", append([]string{"plan", "--format", "json"}, args...)...)
	var made map[string][]planJSON
	if json.Unmarshal([]byte(out), &made) != nil || code != done {
		t.Fatalf("exit %d: %s%s", code, out, err)
	}
	return made["plans"]
}

func TestAPlanSaysWhatAWidthTakes(t *testing.T) {
	t.Parallel()
	plans := planned(t, "--width", "0.3", "--annotators", "4", "--most", "3")
	if len(plans) != 2 || plans[0].Overlap != 2 || plans[0].Width > 0.33 || plans[0].Width < 0.27 || plans[1].Items >= plans[0].Items {
		t.Errorf("the plans are %+v", plans)
	}
	wider := planned(t, "--items", "30", "--annotators", "4", "--most", "2")
	if len(wider) != 1 || wider[0].Items != 30 || wider[0].Width <= plans[0].Width {
		t.Errorf("with 30 items: %+v", wider)
	}
	_, first, _ := ran(t, "", "plan", "--width", "0.4", "--seed", "3")
	_, again, _ := ran(t, "", "plan", "--width", "0.4", "--seed", "3")
	if first != again || !strings.Contains(first, "not the choice of annotators") {
		t.Errorf("the same seed plans\n%s\nand\n%s", first, again)
	}
}

func TestAPlanThatCannotBeMadeSaysWhy(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--kappa", "2"}, {"--width", "0"}, {"--scale", "5"}, {"--annotators", "1"}, {"--shares", "1,2"}, {"--items", "-1"}, {"--width", "0.0001"}} {
		if code, out, err := ran(t, "", append([]string{"plan"}, args...)...); code != misuse || out != "" || err == "" {
			t.Errorf("%v: exit %d, %q %q", args, code, out, err)
		}
	}
}
