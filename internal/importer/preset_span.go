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

// spanAttributes returns the attributes of a span as a nested object, whether they are written
// as in OTLP, as an object, nested, or as columns "attributes.…".
func spanAttributes(span value) value {
	var flat []member
	if list, ok := span.find("attributes"); ok {
		flat = appendAttributes(flat, list.parsed())
	}
	for _, m := range span.members {
		if key, ok := strings.CutPrefix(m.key, "attributes."); ok && !m.is('n') {
			flat = append(flat, member{key, m.value})
		}
	}
	if events, ok := span.find("events"); ok {
		for _, event := range events.parsed().list {
			flat = appendEvent(flat, event)
		}
	}
	return nest(flat)
}

func appendAttributes(attributes []member, v value) []member {
	if v.is('{') {
		return append(attributes, v.members...)
	}
	for _, pair := range v.list {
		if isKeyValue(pair) {
			key, _ := pair.find("key")
			wrapped, _ := pair.find("value")
			attributes = append(attributes, member{key.text, unwrapOTLP(wrapped)})
		}
	}
	return attributes
}

// nest returns the object that members with dots in their keys stand for. Numbers in keys are
// places in lists. A key that is also the start of others stays as it is.
func nest(members []member) value {
	var nested []member
	groups := map[string][]member{}
	for _, m := range members {
		head, rest, hasDot := strings.Cut(m.key, ".")
		_, isValue := findMember(members, head)
		if !hasDot || isValue {
			nested = append(nested, m)
			continue
		}
		if groups[head] == nil {
			nested = append(nested, member{key: head})
		}
		groups[head] = append(groups[head], member{rest, m.value})
	}
	for i, m := range nested {
		if group := groups[m.key]; m.kind == 0 && group != nil {
			nested[i].value = nest(group)
		}
	}
	return listOfNumbered(nested)
}

// listOfNumbered returns a list, if all keys are numbers, else an object.
func listOfNumbered(members []member) value {
	number := func(m member) int {
		if i, err := strconv.Atoi(m.key); err == nil && i >= 0 {
			return i
		}
		return -1
	}
	if len(members) == 0 || slices.ContainsFunc(members, func(m member) bool { return number(m) < 0 }) {
		return objectValue(members...)
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(number(a), number(b)) })
	list := make([]value, len(members))
	for i, m := range members {
		list[i] = m.value
	}
	return listValue(list)
}

func isKeyValue(v value) bool {
	_, hasKey := v.find("key")
	_, hasValue := v.find("value")
	return hasKey && hasValue
}

// unwrapOTLP returns the value of an AnyValue of OTLP.
func unwrapOTLP(v value) value {
	for _, key := range []string{"stringValue", "intValue", "doubleValue", "boolValue", "string_value", "int_value",
		"double_value", "bool_value"} {
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
		return objectValue(appendAttributes(nil, list)...)
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
		message := mergeMembers(valueAt(content, "gen_ai.event"), slices.Concat(content.members,
			[]member{textMember("role", role)})...)
		list, i := []value{message}, slices.IndexFunc(attributes, func(m member) bool { return m.key == eventMessages })
		if i >= 0 {
			attributes[i].value.list = append(attributes[i].value.list, message)
			return attributes
		}
		return append(attributes, member{eventMessages, listValue(list)})
	case "gen_ai.choice":
		return append(attributes, member{"gen_ai.completion", valueAt(content, "message", "gen_ai.event.content",
			"content")})
	case "gen_ai.client.inference.operation.details":
		return append(attributes, content.members...)
	}
	return attributes
}

// eventMessages is the key of the messages that a span has as events.
const eventMessages = "event_messages"

func valueAt(v value, paths ...string) value {
	found, _ := v.findFirst(paths...)
	return found
}

// readSpan reads the span of a call of a model, or the root span of a chain or agent.
func readSpan(span value) (f foreignRecord, ok bool) {
	attributes := spanAttributes(span)
	others := slices.DeleteFunc(slices.Clone(span.members), func(m member) bool {
		return m.key == "attributes" || strings.HasPrefix(m.key, "attributes.") || m.key == "resource.attributes"
	})
	resource := nest(appendAttributes(nil, valueAt(span, "resource.attributes")))
	if len(resource.members) > 0 {
		others = append(others, member{"resource", resource})
	}
	f = newForeignRecord(objectValue(append(others, member{"attributes", attributes})...))
	f.source = f.record // in which the names of attributes are keys
	f.textsMayBeJSON = true
	f.takeInput("attributes.gen_ai.input.messages", "attributes.llm.input_messages", "attributes.gen_ai.prompt",
		"attributes."+eventMessages,
		"attributes.input.value", "attributes.traceloop.entity.input")
	f.addSystem("attributes.gen_ai.system_instructions")
	f.takeOutput("attributes.gen_ai.output.messages", "attributes.llm.output_messages", "attributes.gen_ai.completion",
		"attributes.output.value", "attributes.traceloop.entity.output")
	f.takeContexts("attributes.gen_ai.retrieval.documents", "attributes.retrieval.documents")
	trace, _ := f.find("traceId", "trace_id", "context.trace_id", "context.traceId")
	id, _ := f.find("spanId", "span_id", "context.span_id", "context.spanId")
	f.id, f.recordID = textValue(hexID(id)), textValue(hexID(trace))
	f.addMeta("trace_id", f.recordID)
	f.addMeta("span_id", f.id)
	f.takeMeta("model", "attributes.gen_ai.response.model", "attributes.gen_ai.request.model",
		"attributes.llm.model_name")
	f.takeMeta("start_time", "startTimeUnixNano", "start_time")
	f.takeMeta("session_id", "attributes.gen_ai.conversation.id", "attributes.session.id")
	f.takeMeta("metadata", "attributes.metadata")
	f.takeMeta("service", "resource.service.name")
	return f, f.hasOutput() && !slices.Contains([]string{"TOOL", "RETRIEVER", "EMBEDDING", "RERANKER", "EVALUATOR"},
		spanKind(span, attributes))
}

func spanKind(span, attributes value) string {
	kind := valueAt(attributes, "openinference.span.kind")
	if kind.kind == 0 {
		kind = valueAt(span, "span_kind")
	}
	operation := valueAt(attributes, "gen_ai.operation.name").text
	switch operation {
	case "execute_tool":
		return "TOOL"
	case "embeddings":
		return "EMBEDDING"
	}
	return strings.ToUpper(cmp.Or(kind.text, operation))
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
