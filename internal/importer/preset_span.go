package importer

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// otelSpans returns the spans of a document of OTLP JSON, each with the attributes of its
// resource. A record that is a span already is returned as it is.
func otelSpans(document value) (spans []value) {
	resources, ok := document.findFirst("resourceSpans", "resource_spans")
	if !ok {
		return []value{document}
	}
	for _, resource := range resources.list {
		attributes, _ := resource.find("resource.attributes")
		scopes, _ := resource.findFirst("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
		for _, scope := range scopes.list {
			list, _ := scope.find("spans")
			for _, span := range list.list {
				span.members = append(slices.Clone(span.members), member{"resource.attributes", attributes})
				spans = append(spans, span)
			}
		}
	}
	return spans
}

// spanAttributes returns the attributes of a span as an object with dots in its keys, whether
// they are written as in OTLP, as an object, nested, or as columns "attributes.…".
func spanAttributes(span value) value {
	var attributes []member
	if list, ok := span.find("attributes"); ok {
		attributes = appendAttributes(attributes, "", list.parsed())
	}
	for _, m := range span.members {
		if key, ok := strings.CutPrefix(m.key, "attributes."); ok && !m.is('n') {
			attributes = appendAttributes(attributes, key, m.value)
		}
	}
	if events, ok := span.find("events"); ok {
		for _, event := range events.parsed().list {
			attributes = appendEvent(attributes, event)
		}
	}
	return objectValue(attributes...)
}

func appendAttributes(attributes []member, prefix string, v value) []member {
	switch {
	case v.is('[') && len(v.list) > 0 && isKeyValue(v.list[0]):
		for _, pair := range v.list {
			key, _ := pair.find("key")
			wrapped, _ := pair.find("value")
			attributes = append(attributes, member{prefix + key.text, unwrapOTLP(wrapped)})
		}
	case v.is('{'):
		if prefix != "" {
			attributes = append(attributes, member{prefix, v})
			prefix += "."
		}
		for _, m := range v.members {
			attributes = appendAttributes(attributes, prefix+m.key, m.value)
		}
	default:
		attributes = append(attributes, member{prefix, v})
	}
	return attributes
}

func isKeyValue(v value) bool {
	_, hasKey := v.find("key")
	_, hasValue := v.find("value")
	return hasKey && hasValue
}

// unwrapOTLP returns the value of an AnyValue of OTLP.
func unwrapOTLP(v value) value {
	for _, key := range []string{"stringValue", "intValue", "doubleValue", "boolValue", "string_value", "int_value", "double_value", "bool_value"} {
		if inner, ok := v.find(key); ok {
			return inner
		}
	}
	if list, ok := v.findFirst("arrayValue.values", "array_value.values"); ok {
		elements := make([]value, len(list.list))
		for i, element := range list.list {
			elements[i] = unwrapOTLP(element)
		}
		return listValue(elements)
	}
	if list, ok := v.findFirst("kvlistValue.values", "kvlist_value.values"); ok {
		return objectValue(appendAttributes(nil, "", list)...)
	}
	return v
}

// appendEvent adds the messages that earlier versions of the conventions write as events.
func appendEvent(attributes []member, event value) []member {
	name, _ := event.find("name")
	content := spanAttributes(objectValue(member{"attributes", valueAt(event, "attributes")}))
	switch name.text {
	case "gen_ai.content.prompt":
		return append(attributes, member{"gen_ai.prompt", valueAt(content, "gen_ai.prompt")})
	case "gen_ai.content.completion":
		return append(attributes, member{"gen_ai.completion", valueAt(content, "gen_ai.completion")})
	case "gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message":
		role := strings.TrimSuffix(strings.TrimPrefix(name.text, "gen_ai."), ".message")
		return append(attributes, member{eventMessages, objectValue(textMember("role", role), member{"content", valueAt(content, "content", "gen_ai.event.content")})})
	case "gen_ai.choice":
		return append(attributes, member{"gen_ai.completion", valueAt(content, "message", "gen_ai.event.content", "content")})
	case "gen_ai.client.inference.operation.details":
		return append(attributes, content.members...)
	}
	return attributes
}

// eventMessages is the key of the messages that a span has as events.
const eventMessages = "event messages"

func valueAt(v value, paths ...string) value {
	found, _ := v.findFirst(paths...)
	return found
}

// readSpan reads the span of a call of a model, or the root span of a chain or agent.
func readSpan(span value) (f foreignRecord, ok bool) {
	attributes := spanAttributes(span)
	input := cmpValue(valueAt(attributes, "gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt"),
		indexedMessages(attributes, "llm.input_messages."), indexedMessages(attributes, "gen_ai.prompt."), listEvents(attributes),
		valueAt(attributes, "input.value", "traceloop.entity.input"))
	output := cmpValue(valueAt(attributes, "gen_ai.output.messages", "llm.output_messages", "gen_ai.completion"),
		indexedMessages(attributes, "llm.output_messages."), indexedMessages(attributes, "gen_ai.completion."),
		valueAt(attributes, "output.value", "traceloop.entity.output"))
	contexts := cmpValue(valueAt(attributes, "gen_ai.retrieval.documents", "retrieval.documents"), indexedMessages(attributes, "retrieval.documents."))
	f = newForeignRecord(input, output, contexts)
	if system, found := attributes.findFirst("gen_ai.system_instructions"); found {
		if text, ok := foreignText(system.parsed()); ok && text != "" {
			f.turns = slices.Insert(f.turns, 0, objectValue(textMember("role", "system"), textMember("content", text)))
		}
	}
	trace := textValue(hexID(valueAt(span, "traceId", "trace_id", "context.trace_id", "context.traceId")))
	id := textValue(hexID(valueAt(span, "spanId", "span_id", "context.span_id", "context.spanId")))
	f.id, f.recordID = id, trace
	f.meta = append(f.meta, member{"trace_id", trace}, member{"span_id", id})
	f.addMeta("name", span, "name")
	f.addMeta("model", attributes, "gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
	f.addMeta("start_time", span, "startTimeUnixNano", "start_time")
	f.addMeta("session_id", attributes, "gen_ai.conversation.id", "session.id")
	f.addMeta("metadata", attributes, "metadata")
	f.addMeta("service", objectValue(appendAttributes(nil, "", valueAt(span, "resource.attributes"))...), "service.name")
	return f, f.hasOutput && !slices.Contains([]string{"TOOL", "RETRIEVER", "EMBEDDING", "RERANKER", "EVALUATOR"}, spanKind(span, attributes))
}

func spanKind(span, attributes value) string {
	kind := cmpValue(valueAt(attributes, "openinference.span.kind"), valueAt(span, "span_kind"))
	operation := valueAt(attributes, "gen_ai.operation.name").text
	switch operation {
	case "execute_tool":
		return "TOOL"
	case "embeddings":
		return "EMBEDDING"
	}
	return strings.ToUpper(cmp.Or(kind.text, operation))
}

// cmpValue returns the first value that exists.
func cmpValue(values ...value) value {
	for _, v := range values {
		if v.kind != 0 && !v.is('n') {
			return v
		}
	}
	return value{}
}

// indexedMessages returns the list that is written as attributes such as
// llm.input_messages.0.message.content, with the keys after the index.
func indexedMessages(attributes value, prefix string) value {
	byIndex := map[int][]member{}
	for _, m := range attributes.members {
		rest, ok := strings.CutPrefix(m.key, prefix)
		digits, key, hasKey := strings.Cut(rest, ".")
		i, err := strconv.Atoi(digits)
		if ok && hasKey && err == nil && i >= 0 {
			byIndex[i] = append(byIndex[i], member{key, m.value})
		}
	}
	if len(byIndex) == 0 {
		return value{}
	}
	var indexes []int
	for i := range byIndex {
		indexes = append(indexes, i)
	}
	slices.Sort(indexes)
	var list []value
	for _, i := range indexes {
		list = append(list, objectValue(byIndex[i]...))
	}
	return listValue(list)
}

func listEvents(attributes value) value {
	var messages []value
	for _, m := range attributes.members {
		if m.key == eventMessages {
			messages = append(messages, m.value)
		}
	}
	if messages == nil {
		return value{}
	}
	return listValue(messages)
}

// hexID returns an id of OTLP in hexadecimal. Protobuf's own JSON has it in base64.
func hexID(v value) string {
	text := strings.TrimPrefix(v.text, "0x")
	if _, err := hex.DecodeString(text); err == nil {
		return strings.ToLower(text)
	}
	if id, err := base64.StdEncoding.DecodeString(text); err == nil && (len(id) == 8 || len(id) == 16) {
		return hex.EncodeToString(id)
	}
	return text
}
