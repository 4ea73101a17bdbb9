package importer

import (
	"strings"
	"testing"
)

// A file with one message per row is refused with the columns by which it can be grouped, and is imported with them.
func TestReadItems_MessagePerRow_HintNamesColumns(t *testing.T) {
	t.Parallel()
	rows := `{"session":"s1","n":1,"role":"user","text":"Locked out."}` + "\n" +
		`{"session":"s1","n":2,"role":"assistant","text":"A link?"}` + "\n"
	for _, c := range []struct{ name, file, want string }{
		{"lines", rows, "a.jsonl:1: Each row is one message, not an item. Group the rows by the column that the messages of a conversation share: --group-by session --order n."},
		{"no order", `{"chat":"s1","from":"human","value":"a"}` + "\n" + `{"chat":"s1","from":"gpt","value":"b"}`,
			"--group-by chat."},
		{"nothing shared", `{"chat":"s1","role":"user","content":"a"}` + "\n" +
			`{"chat":"s2","role":"user","content":"b"}`, "--group-by COLUMN."},
		{"one row", `{"chat":"s1","role":"user","content":"a"}`, "--group-by COLUMN."},
		{"other rows after it", `{"chat":"s1","role":"user","content":"a"}` + "\n" + `{"id":"1","turns":["a"]}`,
			"a.jsonl:1:turns: This is missing."},
	} {
		_, err := Options{SkipInvalid: false}.ReadItems(builtinProtocol(t, "ambiguity"), "a.jsonl",
			strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	table := "session,n,role,content\ns1,1,user,Locked out.\ns1,2,assistant,A link?\n"
	_, err := ReadItems(builtinProtocol(t, "ambiguity"), "a.csv", strings.NewReader(table))
	if err == nil || !strings.Contains(err.Error(), "--group-by session --order n.") {
		t.Errorf("CSV: %v", err)
	}
	for name, file := range map[string]string{"a.jsonl": rows, "a.csv": table} {
		items, err := Options{GroupBy: "session", Order: "n"}.ReadItems(builtinProtocol(t, "ambiguity"), name,
			strings.NewReader(file))
		if err != nil || len(items) != 1 || len(items[0].Content["turns"].Turns) != 2 {
			t.Errorf("%s, grouped: %v, %v", name, items, err)
		}
	}
}

// With SkipInvalid a row that cannot be read is passed on as the file has it; a file whose rest cannot be read is
// refused.
func TestReadItems_SkipInvalid_KeepsUnreadableRows(t *testing.T) {
	t.Parallel()
	const good = `{"id":"1","user_statement":"s","response":"r"}`
	csv := "id,user_statement,response\n1,s,r\n2,\"a,b\"\n3,s,\n4,,r\n"
	long := strings.Repeat("{broken}\n", 300)
	for _, c := range []struct{ name, file, want, refused string }{
		{"a.jsonl", good + "\n{\"id\": 2,\r\n" + good[:9] + `2"}` + "\n[1]\n",
			`{"_raw":"{\"id\": 2,","_row":2,"_errors":"The line ends`, ""},
		{"b.jsonl", good + "\n\xff\n", `{"_raw_base64":"/w==","_row":2,`, ""},
		{"c.csv", csv, `{"_raw":"2,\"a,b\"","_row":3,"_errors":"This row has 2 cells`, ""},
		{"d.json", "[" + good + `,{"id":2,"id":3,"a":'x'},5]`, `{"_raw":"5","_row":3,"_errors":"This is a number`, ""},
		{"e.json", "[" + good + `,{"id":2} {"id":3}]`, "", "e.json:3: This is not valid JSON"},
		{"f.jsonl", long + good, `{"_raw":"{broken}","_row":300,`, ""},
		{"g.csv", csv + "5,\"s,r\n", "", "This cell has no closing quote"},
		{"h.jsonl", good + "\n" + `{"id":"2","user_statement":7}`,
			`{"id":"2","user_statement":7,"_row":2,"_errors":"response: This is missing`, ""},
	} {
		kept, rows, ledger := "", 0, NewLedger()
		items, err := Options{SkipInvalid: true, Ledger: ledger,
			OnInvalid: func(r InvalidRow) { kept += string(r.JSON()); rows++ }}.
			ReadItems(builtinProtocol(t, "empathy"), c.name, strings.NewReader(c.file))
		switch {
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
			t.Errorf("%s: %v, want %q", c.name, err, c.refused)
		case c.refused == "" && (err != nil || len(items) == 0 || !strings.Contains(kept, c.want) ||
			ledger.Invalid != rows || ledger.Records != rows+len(items)):
			t.Errorf("%s: %d items, %v, ledger %+v, %d rows kept:\n%s\nwant\n%s", c.name, len(items), err, ledger, rows,
				kept, c.want)
		}
	}
}

// A path of records is refused where rows are the records.
func TestReadItems_RecordsOfTable_IsWrongOption(t *testing.T) {
	t.Parallel()
	_, err := Options{Records: "results"}.ReadItems(builtinProtocol(t, "empathy"), "a.csv",
		strings.NewReader("id,user_statement,response\n1,s,r\n"))
	fileErrors, ok := err.(FileErrors) //nolint:errorlint // the importer returns it as it is
	if !ok || !fileErrors.IsWrongOption() {
		t.Errorf("got %v", err)
	}
}
