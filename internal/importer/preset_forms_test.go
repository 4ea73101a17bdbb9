package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/labelwright/labelwright/internal/project"
)

// An object writes JSON with keys in random order.
type object = map[string]any

// A messageForm writes conversations as a provider of models does.
type messageForm struct {
	preset Preset
	write  func(turns []project.Turn) any // the record
}

// messageForms have a part per turn, so that every turn has its place.
var messageForms = map[string]messageForm{
	"plain": {"", func(turns []project.Turn) any { return object{"turns": turns} }},
	"OpenAI chat": {PresetOpenAIChat, func(turns []project.Turn) any {
		return object{"messages": eachTurn(turns, func(t project.Turn) any {
			switch t.Kind {
			case project.TurnThinking:
				return object{"role": t.Role, "content": []any{object{"type": "thinking", "thinking": t.Text}}}
			case project.TurnToolCall:
				return object{"role": t.Role, "content": nil, "tool_calls": []any{object{"id": t.CallID,
					"type": "function", "function": object{"name": t.Name, "arguments": t.Text}}}}
			case project.TurnToolResult:
				return object{"role": "tool", "tool_call_id": t.CallID, "content": t.Text}
			case project.TurnImage:
				return object{"role": t.Role, "content": []any{object{"type": "image_url",
					"image_url": object{"url": t.Address}}}}
			}
			return object{"role": t.Role, "content": t.Text}
		})}
	}},
	"OpenAI Responses": {PresetOpenAIChat, func(turns []project.Turn) any {
		return object{"output": eachTurn(turns, func(t project.Turn) any {
			switch t.Kind {
			case project.TurnThinking:
				return object{"type": "reasoning", "summary": []any{object{"type": "summary_text", "text": t.Text}}}
			case project.TurnToolCall:
				return object{"type": "function_call", "id": "fc_1", "call_id": t.CallID, "name": t.Name,
					"arguments": t.Text}
			case project.TurnToolResult:
				return object{"type": "function_call_output", "call_id": t.CallID, "output": t.Text}
			case project.TurnImage:
				return object{"type": "message", "role": t.Role, "content": []any{object{"type": "input_image",
					"image_url": t.Address}}}
			}
			return object{"type": "message", "role": t.Role, "content": []any{object{"type": "output_text",
				"text": t.Text, "annotations": []any{}}}}
		})}
	}},
	"Anthropic": {PresetAnthropic, func(turns []project.Turn) any {
		return object{"messages": eachTurn(turns, func(t project.Turn) any {
			part, role := object{"type": "text", "text": t.Text}, t.Role
			switch t.Kind {
			case project.TurnThinking:
				part = object{"type": "thinking", "thinking": t.Text, "signature": "s"}
			case project.TurnToolCall:
				part = object{"type": "tool_use", "id": t.CallID, "name": t.Name, "input": json.RawMessage(t.Text)}
			case project.TurnToolResult:
				part, role = object{"type": "tool_result", "tool_use_id": t.CallID, "content": t.Text}, "user"
			case project.TurnImage:
				part = object{"type": "image", "source": object{"type": "url", "url": t.Address}}
			}
			return object{"role": role, "content": []any{part}}
		})}
	}},
	"OpenTelemetry": {PresetOTel, func(turns []project.Turn) any {
		messages := eachTurn(turns, func(t project.Turn) any {
			part := object{"type": "text", "content": t.Text}
			switch t.Kind {
			case project.TurnThinking:
				part = object{"type": "reasoning", "content": t.Text}
			case project.TurnToolCall:
				part = object{"type": "tool_call", "id": t.CallID, "name": t.Name, "arguments": json.RawMessage(t.Text)}
			case project.TurnToolResult:
				part = object{"type": "tool_call_response", "id": t.CallID, "response": t.Text}
			case project.TurnImage:
				part = object{"type": "uri", "modality": "image", "uri": t.Address}
			}
			return object{"role": t.Role, "parts": []any{part}}
		})
		text, _ := json.Marshal(messages)
		return object{"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331", "attributes": []any{
			object{"key": "gen_ai.output.messages", "value": object{"stringValue": string(text)}}}}
	}},
	"LangChain": {PresetLangSmith, func(turns []project.Turn) any {
		return object{"id": "a", "outputs": object{"messages": eachTurn(turns, func(t project.Turn) any {
			data := object{"content": t.Text}
			switch t.Kind {
			case project.TurnThinking:
				data = object{"content": []any{object{"type": "thinking", "thinking": t.Text}}}
			case project.TurnToolCall:
				data = object{"content": []any{object{"type": "tool_use", "id": t.CallID, "name": t.Name,
					"input": json.RawMessage(t.Text)}},
					"tool_calls": []any{object{"name": t.Name, "args": json.RawMessage(t.Text), "id": t.CallID}}}
			case project.TurnToolResult:
				data["tool_call_id"] = t.CallID
			case project.TurnImage:
				data = object{"content": []any{object{"type": "image_url", "image_url": object{"url": t.Address}}}}
			}
			return object{"type": map[string]string{"user": "human", "assistant": "ai", "tool": "tool"}[t.Role],
				"data": data}
		})}}
	}},
	"Gemini": {PresetHuggingFace, func(turns []project.Turn) any {
		return object{"id": "a", "messages": eachTurn(turns, func(t project.Turn) any {
			part, role := object{"text": t.Text}, map[string]string{"user": "user", "assistant": "model",
				"tool": "user"}[t.Role]
			switch t.Kind {
			case project.TurnThinking:
				part["thought"] = true
			case project.TurnToolCall:
				part = object{"functionCall": object{"id": t.CallID, "name": t.Name, "args": json.RawMessage(t.Text)}}
			case project.TurnToolResult:
				part = object{"functionResponse": object{"id": t.CallID, "response": t.Text}}
			case project.TurnImage:
				part = object{"fileData": object{"mimeType": "image/png", "fileUri": t.Address}}
			}
			return object{"role": role, "parts": []any{part}}
		})}
	}},
}

func eachTurn(turns []project.Turn, write func(project.Turn) any) (messages []any) {
	for _, t := range turns {
		messages = append(messages, write(t))
	}
	return messages
}

// randomTurns returns a conversation with all kinds of turns, with texts that are hard to keep.
func randomTurns(random *rand.Rand) (turns []project.Turn) {
	texts := append(slices.Sorted(maps.Values(difficultTexts)),
		`{"text": "x",  "parts": ["a"]}`, `[1,  2] `, `"quoted"`, `[{"role": "user", "content": "x"}] `,
		`{"type": "image", "json": 1} `)
	text := func() string { return texts[random.IntN(len(texts))] }
	turns = []project.Turn{{Role: "user", Text: text()}}
	for range random.IntN(8) {
		switch random.IntN(5) {
		case 0:
			turns = append(turns, project.Turn{Role: "assistant", Kind: project.TurnThinking, Text: text()})
		case 1:
			arguments, _ := json.Marshal(object{"text": text(), "n": json.Number("1.50")})
			id := fmt.Sprint("c", random.IntN(3)) // repeated, as some programs do
			turns = append(turns, project.Turn{Role: "assistant", Kind: project.TurnToolCall, Name: "look up",
				CallID: id, Text: string(arguments)},
				project.Turn{Role: "tool", Kind: project.TurnToolResult, Name: "look up", CallID: id,
					Text: []string{"", text()}[random.IntN(2)]})
		case 2:
			turns = append(turns, project.Turn{Role: "user", Kind: project.TurnImage, Address: "https://example.org/" +
				strconv.Itoa(random.IntN(9)) + ".png"})
		default:
			turns = append(turns, project.Turn{Role: []string{"user", "assistant"}[random.IntN(2)],
				Text: []string{"", text(), text()}[random.IntN(3)]})
		}
	}
	return append(turns, project.Turn{Role: "assistant", Text: text()})
}

// Whatever form a conversation is written in, its turns are stored with the same texts, calls,
// results, thoughts and images, in their order.
func TestReadItems_MessageForms_SameTurns(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 2))
	for name, form := range messageForms {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				turns := randomTurns(random)
				file, err := json.Marshal(form.write(turns))
				if err != nil {
					t.Fatal(err)
				}
				items, err := Options{Preset: form.preset}.ReadItems(builtinProtocol(t, "ambiguity"), "talk.json",
					strings.NewReader(string(file)))
				if err != nil || len(items) != 1 {
					t.Fatalf("%s: %d items, %v", file, len(items), err)
				}
				got := items[0].Content["turns"].Turns
				ignored := cmpopts.IgnoreFields(project.Turn{}, "Name")
				if diff := cmp.Diff(turns, got, ignored); diff != "" {
					t.Fatalf("%s (-want +got):\n%s", file, diff)
				}
				for i, turn := range got {
					if turn.Kind == project.TurnToolCall && turn.Name != turns[i].Name {
						t.Fatalf("%s: call of %q", file, turn.Name)
					}
				}
			}
		})
	}
}
