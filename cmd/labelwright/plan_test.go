package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func runPlan(t *testing.T, args ...string) []planJSON {
	t.Helper()
	code, out, err := runCommand(t, "", append([]string{"plan", "--format", "json"}, args...)...)
	var result map[string][]planJSON
	if json.Unmarshal([]byte(out), &result) != nil || code != exitOK {
		t.Fatalf("exit %d: %s%s", code, out, err)
	}
	return result["plans"]
}

func TestPlan_Width_FindsItems(t *testing.T) {
	t.Parallel()
	plans := runPlan(t, "--width", "0.3", "--annotators", "4", "--max-overlap", "3")
	if len(plans) != 2 || plans[0].Overlap != 2 || plans[0].Width > 0.33 || plans[0].Width < 0.27 ||
		plans[1].Items >= plans[0].Items {
		t.Errorf("plans %+v", plans)
	}
	wider := runPlan(t, "--items", "30", "--annotators", "4", "--max-overlap", "2")
	if len(wider) != 1 || wider[0].Items != 30 || wider[0].Width <= plans[0].Width {
		t.Errorf("with 30 items: %+v", wider)
	}
	_, first, _ := runCommand(t, "", "plan", "--width", "0.4", "--seed", "3")
	_, second, _ := runCommand(t, "", "plan", "--width", "0.4", "--seed", "3")
	if first != second || !strings.Contains(first, "sampling of items, not of annotators") {
		t.Errorf("the same seed gives\n%s\nand\n%s", first, second)
	}
}

func TestPlan_BadInput_ExitTwo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--kappa", "2"}, {"--width", "0"}, {"--scale", "5"}, {"--annotators", "1"},
		{"--shares", "1,2"}, {"--kappa", "NaN"}, {"--width", "NaN"}, {"--shares=-1,5,1,1,1"}, {"--shares", "0,0,0,0,0"},
		{"--items", "-1"}, {"--width", "0.0001"}} {
		if code, out, err := runCommand(t, "", append([]string{"plan"}, args...)...); code != exitUsage || out != "" ||
			err == "" {
			t.Errorf("%v: exit %d, %q %q", args, code, out, err)
		}
	}
}
