package project_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labelwright/labelwright/internal/project"
)

func findPersonalData(items ...project.Item) []project.PersonalDataMatch {
	var c project.PersonalDataCounter
	for _, item := range items {
		c.Add(item)
	}
	return c.Matches()
}

func TestPersonalDataCounter_Kinds(t *testing.T) {
	t.Parallel()
	tests := map[string]project.PersonalDataKind{
		"Write to ada.lovelace+x@mail.example.co.uk.": project.EmailAddress,
		"Пишите на имя@пример.рф":                     project.EmailAddress,
		"Call +49 30 901820 today":                    project.PhoneNumber,
		"call (030) 901 8200":                         project.PhoneNumber,
		"It is 555-867-5309.":                         project.PhoneNumber,
		"0041 44 668 18 00":                           project.PhoneNumber,
		"Pay to DE89 3704 0044 0532 0130 00":          project.BankAccount,
		"GB29NWBK60161331926819":                      project.BankAccount,
		"as @grace_hopper said":                       project.SocialHandle,
		"In 1984 there were 1,500 people.":            "",
		"Between 2019-2024 it rose 12.5 %":            "",
		"a @ b, 3 @ 4, @a":                            "",
		"No trace here, version 1.2.3":                "",
	}
	for text, kind := range tests {
		items := []project.Item{{Content: project.Content{"a": {Text: text}, "b": {Text: "nothing"}}}}
		var want []project.PersonalDataMatch
		if kind != "" {
			want = []project.PersonalDataMatch{{Kind: kind, Items: 1, Count: 1}}
		}
		if diff := cmp.Diff(want, findPersonalData(items...)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestPersonalDataCounter_Counts(t *testing.T) {
	t.Parallel()
	items := []project.Item{
		{Row: 2, Content: project.Content{"q": {Turns: []project.Turn{{Text: "a@b.org"}, {Text: "c@d.org e@f.org"}}}}},
		{Row: 7, Content: project.Content{"q": {Chunks: []project.Chunk{{Text: "g@h.org"}}}}},
		{Content: project.Content{"q": {Text: "none"}}},
	}
	want := []project.PersonalDataMatch{{Kind: project.EmailAddress, Items: 2, Count: 4, Rows: []int{2, 7}}}
	if diff := cmp.Diff(want, findPersonalData(items...)); diff != "" {
		t.Error(diff)
	}
}
