package protocol

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiff_VersionOrRevision(t *testing.T) {
	t.Parallel()
	source := readSmall(t)
	before, err := Read("small.yaml", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	observations := "  - {key: rude, title: Rude, subject: the reply, guidance: Tone is 1.}\n"
	tests := map[string]struct {
		from, to string
		fixed    []string
		texts    []TextChange
	}{
		"no change":           {"", "", nil, nil},
		"comment":             {"rules:\n", "# All of them.\n\nrules:\n", nil, nil},
		"order of conditions": {"{funny: ticked, rude: not ticked}", "{rude: not ticked, funny: ticked}", nil, nil},
		"version number only": {"version: 2", "version: 3", nil, nil},
		"summary": {"in few lines", "in a few lines", nil,
			[]TextChange{{"Summary", "Everything that a definition may hold, in few lines.",
				"Everything that a definition may hold, in a few lines."}}},
		"question": {"How far does it go?", "How far did it go?", nil,
			[]TextChange{{"Question of “Depth”", "How far does it go?", "How far did it go?"}}},
		"title within a rule": {"title: Depth", "title: Deepness", nil, []TextChange{{"Title of the field “depth”",
			"Depth", "Deepness"}}},
		"removed criterion": {"    reward: [Patience]\n", "", nil,
			[]TextChange{{"Reward of “Tone”", "Patience", ""}}},
		"anchor":            {"1: Harsh", "1: Rough", []string{"The field “tone” changed."}, nil},
		"point label":       {"label: Good", "label: Bad", []string{"The field “tone” changed."}, nil},
		"message of a rule": {"is harsh.", "is rough.", []string{"The rule “rude_is_harsh” changed."}, nil},
		"note of a hint":    {"note: rude", "note: very rude", []string{"The hint “rude_note” changed."}, nil},
		"session plan":      {"calibration: 2", "calibration: 3", []string{"The session plan changed."}, nil},
		"step of a decision": {"{if: It snaps, then: 1}", "{if: It snaps, then: 2}",
			[]string{"The field “tone” changed."}, nil},
		"added point": {"3: All the way}", "3: All the way, 4: Beyond}",
			[]string{"The field “depth” changed."}, nil},
		"added condition": {"    only when: long\n", "", []string{"The field “depth” changed."}, nil},
		"stricter rule": {"then: {tone: 2..3}", "then: {tone: 3}",
			[]string{"The rule “funny_is_kind” changed."}, nil},
		"renamed rule": {"id: rude_is_harsh", "id: rude_is_one", []string{"The rule “rude_is_one” was added.",
			"The rule “rude_is_harsh” was removed."}, nil},
		"fact with more turns": {"at least: 2", "at least: 3", []string{"The fact “long” changed."}, nil},
		"added observation": {"observations:\n",
			"observations:\n  - {key: dull, title: Dull, subject: the reply, guidance: D.}\n",
			[]string{"The observation “dull” was added."}, nil},
		"order of observations": {observations, "", []string{"The order of the observations changed."}, nil},
		"changed verdict":       {"any: [3]", "any: [2]", []string{"The verdict “fine” changed."}, nil},
		"between two values": {"between: no", "between: yes",
			[]string{"Answering between two values is now allowed."}, nil},
		"renamed part": {"key: source", "key: origin", []string{"The part “origin” was added.",
			"The part “source” was removed."}, nil},
		"part no longer hidden": {", supporting: yes", "", []string{"The part “source” changed."}, nil},
		"renamed protocol": {"protocol: small", "protocol: tiny",
			[]string{"The protocol key changed from small to tiny."}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(source, test.from, test.to, 1)
			if name == "order of observations" {
				changed = strings.Replace(changed, "\nrules:", "\n"+strings.TrimSuffix(observations, "\n")+
					"\nrules:", 1)
			}
			if test.from != "" && changed == source {
				t.Fatalf("%q is not in the source", test.from)
			}
			after, err := Read("small.yaml", []byte(changed))
			if err != nil {
				t.Fatal(err)
			}
			fixed, texts := Diff(before, after)
			if diff := cmp.Diff(test.fixed, fixed); diff != "" {
				t.Errorf("fixed (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.texts, texts); diff != "" && fixed == nil {
				t.Errorf("texts (-want +got)\n%s", diff)
			}
		})
	}
}

// Every part of a definition is either fixed or a text that is shown before it takes
// effect. A new part of Protocol is fixed until texts lists it.
func TestDiff_AnyPart_IsNoticed(t *testing.T) {
	t.Parallel()
	read := func() Protocol {
		p, err := Read("small.yaml", []byte(readSmall(t)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	before := read()
	notCompared := []string{".Version", ".Revision", ".Source", "].Line", ".Translations"}
	count := 0
	for i := 0; ; i++ {
		after := read()
		path := changeLeaf(reflect.ValueOf(&after).Elem(), "", new(i))
		if path == "" {
			break
		}
		count++
		fixed, texts := Diff(before, after)
		isCompared := true
		for _, suffix := range notCompared {
			isCompared = isCompared && !strings.HasSuffix(path, suffix)
		}
		if isNoticed := len(fixed)+len(texts) > 0; isNoticed != isCompared {
			t.Errorf("change of %s: fixed %q, texts %q", path, fixed, texts)
		}
		if strings.Contains(path, ".Scale[") && len(fixed) == 0 || strings.HasPrefix(path, ".Rules[") && isCompared &&
			len(fixed) == 0 {
			t.Errorf("a revision may change %s", path)
		}
	}
	if count < 100 {
		t.Errorf("%d parts, want at least 100", count)
	}
}

// changeLeaf changes the text, number or flag of v that n others precede, and returns
// its path.
func changeLeaf(v reflect.Value, path string, n *int) string {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if changed := changeLeaf(v.Field(i), path+"."+v.Type().Field(i).Name, n); changed != "" {
				return changed
			}
		}
		return ""
	case reflect.Slice:
		for i := range v.Len() {
			if changed := changeLeaf(v.Index(i), fmt.Sprintf("%s[%d]", path, i), n); changed != "" {
				return changed
			}
		}
		return ""
	}
	if *n--; *n >= 0 {
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + " changed")
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, reflect.ValueOf(int(v.MapIndex(key).Int())+1))
		}
	case reflect.Float64:
		v.SetFloat(v.Float() + 0.1)
	default:
		panic("a Protocol has a " + v.Kind().String() + " at " + path)
	}
	return path
}
