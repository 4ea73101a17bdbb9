"""Writes the files in this folder with the libraries of the programs they come from.

    python -m venv venv
    venv/bin/pip install anthropic==2.14.0 argilla==2.8.0 arize-phoenix-client==3.5.0 datasets==5.2.0 inspect_ai==0.3.285 \
        label-studio-sdk==2.1.2 langchain-core==1.7.2 langfuse==5.0.4 langsmith==0.15.0 openai==3.54.0 \
        openinference-instrumentation-openai==0.1.66 openinference-semantic-conventions==0.1.42 \
        opentelemetry-exporter-otlp==1.45.2 opentelemetry-instrumentation-openai==0.62.4 pandas==3.1.1
    venv/bin/python make.py            # all files
    venv/bin/python make.py argilla    # those of one program

Ragas 0.4.3 with langchain-community<0.4, DeepEval 4.3.1 and mlflow-skinny 3.17.2 each need an environment of
their own, and promptfoo 0.121.20 is found in PATH or node_modules/.bin (npm install promptfoo).

Some files have no library that writes them: langfuse-traces.csv has the columns of the table's CSV
download, prodigy….jsonl those of `prodigy db-out`.
"""

import base64
import csv
import datetime
import gzip
import json
import pathlib
import sys
import tempfile
import uuid

FOLDER = pathlib.Path(__file__).parent
START = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


def save(name, text):
    (FOLDER / name).write_text(text)


def save_lines(name, records):
    save(name, "".join(record + "\n" for record in records))


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


# OpenTelemetry


def save_spans(name, draw, ids_in_hex=True, indent=1, instrumentor=None):
    from google.protobuf.json_format import MessageToDict
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource.create({"service.name": "support-bot"}))
    provider.add_span_processor(SimpleSpanProcessor(spans))
    if instrumentor:
        instrumentor.instrument(tracer_provider=provider)
        draw(ask_openai())
        instrumentor.uninstrument()
    else:
        draw(provider.get_tracer("make"))
    request = MessageToDict(encode_spans(spans.get_finished_spans()))
    if ids_in_hex:  # as the OTLP specification writes them; protobuf's own JSON has base64
        for resource in request["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    for key in ("traceId", "spanId", "parentSpanId"):
                        if key in span:
                            span[key] = base64.b64decode(span[key]).hex()
    save(name, json.dumps(request, indent=indent) + "\n")


def draw_genai(tracer):
    def message(role, text, **more):
        return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}], **more}])

    for i in range(3):
        with tracer.start_as_current_span("invoke_agent"):
            with tracer.start_as_current_span("chat gpt-x") as span:
                span.set_attributes({
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": "gpt-x",
                    "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "Be brief."}]),
                    "gen_ai.input.messages": message("user", f"Question {i}?"),
                    "gen_ai.output.messages": message("assistant", f"Answer {i}.", finish_reason="stop"),
                })
            with tracer.start_as_current_span("execute_tool search") as span:
                span.set_attribute("gen_ai.operation.name", "execute_tool")


def draw_events(tracer):
    for i in range(2):
        with tracer.start_as_current_span("chat") as span:
            span.set_attribute("gen_ai.operation.name", "chat")
            span.add_event("gen_ai.user.message", {"content": f"Old question {i}?"})
            span.add_event("gen_ai.choice", {"message": json.dumps(assistant(f"Old answer {i}.")), "index": 0})


def draw_indexed(tracer):
    with tracer.start_as_current_span("openai.chat") as span:
        messages = [("prompt.0", "system", "Be kind."), ("prompt.1", "user", "Indexed question?"),
                    ("completion.0", "assistant", "Indexed answer.")]
        for place, role, text in messages:
            span.set_attributes({f"gen_ai.{place}.role": role, f"gen_ai.{place}.content": text})


def draw_openinference(tracer):
    from openinference.semconv.trace import SpanAttributes as key

    with tracer.start_as_current_span("rag") as span:
        span.set_attributes({key.OPENINFERENCE_SPAN_KIND: "CHAIN", key.INPUT_VALUE: "Where is it?",
                             key.OUTPUT_VALUE: "It is here."})
        for i in range(2):
            document = f"{key.RETRIEVAL_DOCUMENTS}.{i}.document"
            span.set_attributes({f"{document}.content": f"Chunk text {i}", f"{document}.id": f"d{i}"})
        with tracer.start_as_current_span("llm") as llm:
            llm.set_attributes({
                key.OPENINFERENCE_SPAN_KIND: "LLM",
                f"{key.LLM_INPUT_MESSAGES}.0.message.role": "user",
                f"{key.LLM_INPUT_MESSAGES}.0.message.content": "Where is it, please?",
                f"{key.LLM_OUTPUT_MESSAGES}.0.message.role": "assistant",
                f"{key.LLM_OUTPUT_MESSAGES}.0.message.content": "It is right here.",
            })
        with tracer.start_as_current_span("retrieve") as retriever:
            retriever.set_attributes({key.OPENINFERENCE_SPAN_KIND: "RETRIEVER", key.INPUT_VALUE: "x",
                                      key.OUTPUT_VALUE: "y"})


def ask_openai():
    """Returns a client of OpenAI whose requests get a fixed answer."""
    import httpx
    import openai

    def reply(request):
        asked = json.loads(request.content)
        text = "Instrumented answer to: " + asked["messages"][-1]["content"]
        return httpx.Response(200, json={
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": asked["model"],
            "choices": [{"index": 0, "finish_reason": "stop", "message": assistant(text)}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}})

    return openai.OpenAI(api_key="none", http_client=httpx.Client(transport=httpx.MockTransport(reply)))


def draw_requests(client):
    for i in range(2):
        client.chat.completions.create(model="gpt-x", messages=[
            {"role": "system", "content": "Be brief."}, user(f"Instrumented question {i}?")])


def make_instrumented():
    from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInference
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    save_spans("otel-openai.json", draw_requests, instrumentor=OpenAIInstrumentor())
    save_spans("otel-openinference-openai.json", draw_requests, instrumentor=OpenInference())


def make_opentelemetry():
    save_spans("otel-genai.json", draw_genai)
    save_spans("otel-events.json", draw_events, ids_in_hex=False)
    save_spans("otel-indexed.jsonl", draw_indexed, ids_in_hex=False, indent=None)
    save_spans("otel-openinference.json", draw_openinference)


# Tracing and evaluation programs


def make_phoenix():
    import pandas
    from phoenix.client.__generated__ import v1

    def span(i, name, kind, attributes):
        return v1.Span(id=f"U{i}", name=name, span_kind=kind, status_code="OK", attributes=attributes, events=[],
                       context=v1.SpanContext(trace_id=f"{i:032x}", span_id=f"{i + 10:016x}"),
                       start_time="2026-01-01T00:00:00Z", end_time="2026-01-01T00:00:01Z")

    def message(role, text):
        return [{"message.role": role, "message.content": text}]

    spans = [span(i, "ChatCompletion", "LLM", {
        "llm.model_name": "gpt-x",
        "llm.input_messages": message("user", f"PX question {i}?"),
        "llm.output_messages": message("assistant", f"PX answer {i}."),
    }) for i in range(2)]
    spans.append(span(5, "rag", "CHAIN", {
        "input.value": "PX rag?",
        "output.value": "PX rag answer.",
        "retrieval.documents": [{"document.content": "one", "document.id": "d1"},
                                {"document.content": "two", "document.id": "d2"}],
    }))
    save("phoenix-spans.json", json.dumps({"data": spans, "next_cursor": None}) + "\n")
    save_lines("phoenix-spans.jsonl", map(json.dumps, spans))
    table = pandas.json_normalize(spans, max_level=1).drop(columns="events")
    table.to_parquet(FOLDER / "phoenix-spans.parquet")


def make_langsmith():
    from langchain_core.load import dumpd
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
    from langsmith.schemas import Example, Run

    def run(i, name, kind, trace, inputs, outputs):
        return Run(id=uuid.UUID(int=i), name=name, run_type=kind, start_time=START, trace_id=uuid.UUID(int=trace),
                   dotted_order="x", inputs=inputs, outputs=outputs).model_dump_json()

    runs = [run(i + 1, "ChatOpenAI", "llm", 100,
                {"messages": [[dumpd(SystemMessage("Be brief.")), dumpd(HumanMessage(f"LS question {i}?"))]]},
                {"generations": [[{"text": f"LS answer {i}.", "message": dumpd(AIMessage(f"LS answer {i}.")),
                                   "type": "ChatGeneration"}]]}) for i in range(2)]
    runs.append(run(9, "retriever", "retriever", 100, {"query": "q"},
                    {"documents": [{"page_content": "t", "metadata": {"source": "s"}}]}))
    save_lines("langsmith-runs.jsonl", runs)
    save_lines("langsmith-chain.jsonl", [run(20, "rag", "chain", 20, {"question": "Where?"},
                                             {"answer": "Here.", "contexts": ["one", "two"]})])
    examples = [Example(id=uuid.UUID(int=30 + i), dataset_id=uuid.UUID(int=7), created_at=START,
                        inputs={"question": f"Ex {i}?"}, outputs={"answer": f"Ans {i}"}) for i in range(2)]
    save("langsmith-examples.json", "[" + ",".join(e.model_dump_json() for e in examples) + "]\n")


def make_langfuse():
    from langfuse.api import ObservationsV2Meta, ObservationsV2Response, ObservationV2

    def observation(key, trace, **more):
        return ObservationV2(id=key, trace_id=trace, start_time=START, project_id="p", **more)

    found = [observation(f"obs-{i}", f"trace-{i}", type="GENERATION", name="answer", model="gpt-x",
                         input=[{"role": "system", "content": "Be brief."}, user(f"LF question {i}?")],
                         output=assistant(f"LF answer {i}."), metadata={"topic": "t"}) for i in range(2)]
    found.append(observation("obs-9", "trace-0", type="SPAN", name="search", input={"query": "x"}, output=None))
    response = ObservationsV2Response(data=found, meta=ObservationsV2Meta(cursor=None))
    save("langfuse-observations.json", response.model_dump_json(by_alias=True) + "\n")
    save_lines("langfuse-observations.jsonl", [o.model_dump_json(by_alias=True) for o in found])
    with open(FOLDER / "langfuse-traces.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "timestamp", "name", "sessionId", "input", "output", "metadata"])
        for i in range(2):
            question = json.dumps({"question": f"CSV question {i}?", "contexts": ["one", "two"]})
            table.writerow([f"trace-{i}", "2026-01-01T00:00:00Z", "rag", "s", question,
                            json.dumps(f"CSV answer {i}."), json.dumps({"a": 1})])


def make_inspect():
    from inspect_ai import Task, eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.log import write_eval_log
    from inspect_ai.model import ChatMessageAssistant, ModelOutput
    from inspect_ai.solver import solver, system_message

    @solver
    def answer():  # without a model, whose tokens would be counted with a table from the internet
        async def solve(state, generate):
            state.messages.append(ChatMessageAssistant(content="Inspect answer.", model="mockllm/model"))
            state.output = ModelOutput.from_content("mockllm/model", "Inspect answer.")
            return state

        return solve

    with tempfile.TemporaryDirectory() as folder:
        sample = Sample(id="s1", input="Inspect question?", target="x", metadata={"topic": "t"})
        task = Task(dataset=[sample], solver=[system_message("Be brief."), answer()])
        logs = evaluate(task, model="mockllm/model", display="none", log_dir=folder, epochs=2)
        file = pathlib.Path(folder, "inspect.json")
        logs[0].eval.task_file = None
        write_eval_log(logs[0], str(file), format="json")
        with gzip.GzipFile(FOLDER / "inspect.json.gz", "wb", mtime=0) as compressed:
            compressed.write(file.read_bytes())


        save_inspect_dialogues(folder)


def save_inspect_dialogues(folder):
    """Samples with several turns and a tool, as one log and as one sample per line."""
    from inspect_ai import Task, eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.log import write_eval_log
    from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser, ModelOutput
    from inspect_ai.solver import solver
    from inspect_ai.tool import ToolCall

    @solver
    def search():
        async def solve(state, generate):
            call = ToolCall(id="call", function="search", arguments={"query": "bus"})
            state.messages += [
                ChatMessageAssistant(content="", tool_calls=[call], model="mockllm/model"),
                ChatMessageTool(content="The 5 leaves at noon.", tool_call_id="call", function="search"),
                ChatMessageAssistant(content=f"At noon, sample {state.sample_id}.", model="mockllm/model")]
            state.output = ModelOutput.from_message(state.messages[-1])
            return state

        return solve

    dialogue = [ChatMessageUser(content="Hello!"), ChatMessageAssistant(content="Hi.", model="mockllm/model"),
                ChatMessageUser(content="When does the bus leave?")]
    task = Task(dataset=[Sample(id=i, input=dialogue, target="noon") for i in (1, 2)], solver=[search()])
    log = evaluate(task, model="mockllm/model", display="none", log_dir=folder)[0]
    log.eval.task_file = log.eval.revision = None
    file = pathlib.Path(folder, "dialogues.json")
    write_eval_log(log, str(file), format="json")
    with gzip.GzipFile(FOLDER / "inspect-dialogues.json.gz", "wb", mtime=0) as compressed:
        compressed.write(file.read_bytes())
    for sample in log.samples:
        sample.events, sample.attachments = [], {}
    save_lines("inspect-samples.jsonl", [sample.model_dump_json(exclude_none=True) for sample in log.samples])


# Labeling programs


def make_label_studio():
    from label_studio_sdk.types import LseTask

    tasks = [{"id": i + 1, "data": {"prompt": f"LS prompt {i}?", "response": f"LS response {i}.", "model": "m"},
              "meta": {}, "annotations": [], "predictions": [], "created_at": "2026-01-01T00:00:00Z",
              "updated_at": "2026-01-01T00:00:00Z", "project": 1} for i in range(2)]
    for task in tasks:
        LseTask.model_validate(task)
    save("label-studio.json", json.dumps(tasks, indent=1) + "\n")
    dialogue = [{"author": "user", "text": "Hello?"}, {"author": "assistant", "text": "Hi."}]
    save("label-studio-chat.json", json.dumps([{"id": 5, "data": {"dialogue": dialogue}, "annotations": []}]) + "\n")
    save_label_studio_config()


def save_label_studio_config():
    """Tasks that the SDK makes for a labeling configuration, with an annotation."""
    from label_studio_sdk.label_interface import LabelInterface

    interface = LabelInterface("""<View><Text name="question" value="$question"/><Text name="answer" value="$answer"/>
        <Choices name="helpful" toName="answer"><Choice value="yes"/><Choice value="no"/></Choices></View>""")
    tasks = []
    for i in range(2):
        data = {"question": f"LS question {i}?", "answer": f"LS answer {i}."}
        result = interface.get_control("helpful").label("yes")._dict()
        annotation = {"id": i + 7, "result": [result], "was_cancelled": False, "completed_by": 1}
        assert interface.validate_task({"data": data}) and interface.validate_annotation({"result": [result]})
        tasks.append({"id": i + 11, "data": data, "annotations": [annotation], "predictions": [],
                      "meta": {"trace_id": f"trace-{i}"}, "file_upload": "answers.json", "inner_id": i + 1})
    for task in tasks:  # the id of a region is random
        task["annotations"][0]["result"][0]["id"] = "region"
    save("label-studio-annotated.json", json.dumps(tasks, indent=1) + "\n")


def make_argilla():
    import argilla

    records = [argilla.Record(id=f"r{i}", fields={"prompt": f"A prompt {i}?", "response": f"A response {i}."},
                              metadata={"model": "m"}) for i in range(2)]
    save("argilla.json", json.dumps([r.to_dict() for r in records]) + "\n")
    chat = argilla.Record(id="c1", fields={"chat": [user("Hello?"), assistant("Hi.")]})
    save_lines("argilla-chat.jsonl", [json.dumps(chat.to_dict())])
    from argilla.records._io import GenericIO, JsonIO

    answered = [argilla.Record(
        id=f"q{i}", fields={"question": f"Argilla question {i}?", "answer": f"Argilla answer {i}.", "context": "A source."},
        metadata={"trace_id": f"trace-{i}"}, suggestions=[argilla.Suggestion("helpful", "yes", agent="judge")],
        responses=[argilla.Response("helpful", "no", user_id=uuid.UUID(int=1), status="submitted")]) for i in range(2)]
    JsonIO.to_json(answered, FOLDER / "argilla-answered.json")  # what dataset.records.to_json writes
    save_lines("argilla-flat.jsonl", [json.dumps(r, default=str) for r in GenericIO.to_list(answered, flatten=True)])


def make_prodigy():
    save_lines("prodigy.jsonl", [json.dumps({
        "text": f"PR prompt {i}?", "response": f"PR response {i}.", "meta": {"source": "x"}, "_input_hash": i + 1,
        "_task_hash": i + 100, "_view_id": "blocks", "answer": "accept", "_timestamp": 1}) for i in range(2)])
    options = [{"id": "yes", "text": "Helpful"}, {"id": "no", "text": "Not helpful"}]
    save_lines("prodigy-choice.jsonl", [json.dumps({
        "prompt": f"PR question {i}?", "completion": f"PR answer {i}.", "options": options, "config": {"choice_style": "single"},
        "_input_hash": i + 3, "_task_hash": i + 103, "_view_id": "choice", "accept": ["yes"], "answer": "accept",
        "_timestamp": 1, "_annotator_id": "set-a", "_session_id": "set-a"}) for i in range(2)])
    save_lines("prodigy-spans.jsonl", [json.dumps({
        "text": "A text without a question.", "_input_hash": 5, "_task_hash": 105, "_is_binary": False, "_view_id": "ner_manual",
        "tokens": [{"text": "A", "start": 0, "end": 1, "id": 0, "ws": True}, {"text": "text", "start": 2, "end": 6, "id": 1, "ws": True}],
        "spans": [{"start": 2, "end": 6, "token_start": 1, "token_end": 1, "label": "THING"}], "answer": "reject", "_timestamp": 1})])


# Models and datasets


def make_openai():
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    completion = ChatCompletion.model_validate({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-x",
        "choices": [{"index": 0, "finish_reason": "stop", "message": assistant("OA answer.")}]})
    answered = {"status_code": 200, "request_id": "x", "body": json.loads(completion.model_dump_json())}
    batch = [{"id": f"batch_req_{i}", "custom_id": f"req-{i}", "response": answered, "error": None} for i in range(2)]
    batch.append({"id": "b", "custom_id": "req-9", "response": None, "error": {"code": "x", "message": "failed"}})
    save_lines("openai-batch.jsonl", map(json.dumps, batch))
    save_lines("openai-chat.jsonl", [json.dumps({"messages": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": f"OA question {i}?"}]},
        assistant(f"OA answer {i}.")]}) for i in range(2)])
    response = Response.model_validate({
        "id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-x", "parallel_tool_calls": True,
        "tool_choice": "auto", "tools": [],
        "output": [{"type": "reasoning", "id": "rs", "summary": []},
                   {"type": "message", "id": "m", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": "Resp answer.", "annotations": []}]}]})
    save("openai-response.json", json.dumps({**json.loads(response.model_dump_json()), "input": "Resp question?"}) + "\n")


def make_openai_batch():
    """The output of a batch of requests to the Responses API, and one of completions with a refusal."""
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    def line(i, body):
        return json.dumps({"id": f"batch_req_{i}", "custom_id": f"req-{i}", "error": None,
                           "response": {"status_code": 200, "request_id": f"r{i}", "body": json.loads(body)}})

    save_lines("openai-batch-responses.jsonl", [line(i, Response.model_validate({
        "id": f"resp_{i}", "object": "response", "created_at": 1, "model": "gpt-x", "parallel_tool_calls": True,
        "tool_choice": "auto", "tools": [],
        "output": [{"type": "message", "id": "m", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": f"Batch answer {i}.", "annotations": []}]}]}).model_dump_json())
        for i in range(2)])
    messages = [assistant("Batch completion."), {"role": "assistant", "content": None, "refusal": "I cannot help with that."}]
    save_lines("openai-batch-refusal.jsonl", [line(i, ChatCompletion.model_validate({
        "id": f"chatcmpl-{i}", "object": "chat.completion", "created": 1, "model": "gpt-x",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}).model_dump_json())
        for i, message in enumerate(messages)])


BOOK = {"name": "book", "arguments": '{"seat": "12A", "weight": 1.50}'}
BOOKING = [
    user("Book 12A, please."),
    {"role": "assistant", "content": "One moment.", "tool_calls": [{"id": "c1", "type": "function", "function": BOOK}]},
    {"role": "tool", "tool_call_id": "c1", "content": ""},
    assistant("Seat 12A is yours."),
]


def make_openai_tools():
    """A conversation with a tool, completions with two choices, and a response that reasons and calls."""
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    save_lines("openai-tools.jsonl", [json.dumps({"messages": BOOKING, "tools": [], "topic": "travel"})])
    choices = [{"index": i, "finish_reason": "stop", "message": assistant(f"Choice {i}.")} for i in range(2)]
    completion = ChatCompletion.model_validate({"id": "chatcmpl-2", "object": "chat.completion", "created": 1,
                                                "model": "gpt-x", "choices": choices})
    save_lines("openai-choices.jsonl", [json.dumps({"messages": [user("Two?")], "response": json.loads(completion.model_dump_json())})])
    response = Response.model_validate({
        "id": "resp_2", "object": "response", "created_at": 1, "model": "gpt-x", "parallel_tool_calls": True, "tool_choice": "auto",
        "tools": [], "instructions": "Be brief.",
        "output": [{"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "A booking."}]},
                   {"type": "function_call", "id": "fc", "call_id": "c1", "status": "completed", **BOOK},
                   {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [
                       {"type": "output_text", "text": "I book it.", "annotations": []},
                       {"type": "refusal", "refusal": "I cannot pay for it."}]}]})
    save("openai-response-tools.json", response.model_dump_json() + "\n")


def make_anthropic():
    from anthropic.types import Message
    from anthropic.types.messages import MessageBatchIndividualResponse

    def message(*content):
        return {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn",
                "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}, "content": list(content)}

    def text(words):
        return {"type": "text", "text": words}

    call = {"type": "tool_use", "id": "c1", "name": "book", "input": {"seat": "12A", "weight": 1.5}}
    thought = {"type": "thinking", "thinking": "A booking.", "signature": "s"}
    reply = Message.model_validate(message(thought, {"type": "redacted_thinking", "data": "x"}, text("One moment."), call))
    talk = [user("Book 12A, please."), {"role": "assistant", "content": [text("One moment."), call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [text("booked")]}]}]
    save_lines("anthropic-talk.jsonl", [json.dumps({"system": "Be brief.", "model": "claude-x", "messages": [
        *talk, assistant("Seat 12A is yours.")]})])
    request = {"system": [text("Be brief.")], "model": "claude-x", "messages": talk[:1]}
    save("anthropic-call.json", json.dumps({"request": request, "response": json.loads(reply.model_dump_json())}) + "\n")
    results = [{"type": "succeeded", "message": message(text("Hello.")) }, {"type": "errored", "error": {
        "type": "error", "request_id": None, "error": {"type": "invalid_request_error", "message": "No."}}}]
    save_lines("anthropic-batch.jsonl", [MessageBatchIndividualResponse.model_validate(
        {"custom_id": f"q{i}", "result": result}).model_dump_json() for i, result in enumerate(results)])


def make_ragas():
    from ragas import EvaluationDataset, MultiTurnSample, SingleTurnSample
    from ragas.messages import AIMessage, HumanMessage, ToolCall, ToolMessage

    rows = EvaluationDataset(samples=[SingleTurnSample(
        user_input=f"Ragas question {i}?", retrieved_contexts=["It's at nine.", 'The sign says "nine".\nOr ten.'][:i + 1],
        response=f"Ragas answer {i}.", reference="At nine.") for i in range(2)])
    rows.to_jsonl(FOLDER / "ragas-rows.jsonl")
    rows.to_csv(FOLDER / "ragas-rows.csv")
    talk = [HumanMessage(content="Book 12A, please."), AIMessage(content="", tool_calls=[ToolCall(name="book", args={"seat": "12A"})]),
            ToolMessage(content="booked"), AIMessage(content="Seat 12A is yours.")]
    EvaluationDataset(samples=[MultiTurnSample(user_input=talk, reference="Booked.")]).to_jsonl(FOLDER / "ragas-talk.jsonl")


def make_deepeval():
    from deepeval.dataset import ConversationalGolden, EvaluationDataset, Golden
    from deepeval.test_case import ToolCall, Turn

    call = ToolCall(name="book", input_parameters={"seat": "12A"}, output="booked")
    rows = EvaluationDataset(goldens=[Golden(
        input=f"DeepEval question {i}?", actual_output=f"DeepEval answer {i}.", expected_output="At nine.",
        retrieval_context=["It is at nine.", "Or at ten."], context=["Nine."], tools_called=[call]) for i in range(2)])
    for kind in ("json", "jsonl", "csv"):
        rows.save_as(file_type=kind, directory=str(FOLDER), file_name="deepeval-rows")
    talk = ConversationalGolden(scenario="A booking", turns=[
        Turn(role="user", content="Book 12A, please."), Turn(role="assistant", content="It is yours.", tools_called=[call])])
    EvaluationDataset(goldens=[talk]).save_as(file_type="json", directory=str(FOLDER), file_name="deepeval-talk")


def make_mlflow():
    import os

    os.environ.update(MLFLOW_ALLOW_FILE_STORE="true", MLFLOW_DISABLE_TELEMETRY="true")
    import mlflow
    from mlflow.entities import Document, SpanType

    @mlflow.trace(span_type=SpanType.RETRIEVER)
    def find(question):
        return [Document(page_content="The library opens at nine.", metadata={"doc_uri": "hours.txt"}, id="d1")]

    @mlflow.trace(span_type=SpanType.CHAIN)
    def answer(question):
        find(question)
        return "MLflow answer."

    @mlflow.trace(span_type=SpanType.CHAT_MODEL)
    def chat(messages):
        return {"choices": [{"index": 0, "message": BOOKING[1]}]}

    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri("file://" + folder)
        mlflow.set_experiment("hours")
        answer("MLflow question?")
        chat(BOOKING[:1])
        mlflow.flush_trace_async_logging()
        traces = mlflow.search_traces(return_type="list")
    for trace in traces:  # what this machine is
        trace.info.trace_metadata = {"mlflow.trace.sizeBytes": "1"}
        trace.info.tags = {"mlflow.traceName": "answer"}
    save_lines("mlflow-traces.jsonl", [trace.to_json() for trace in traces])
    save("mlflow-trace.json", traces[0].to_json(pretty=True) + "\n")
    save("mlflow-list.json", json.dumps({"traces": [trace.to_dict() for trace in traces]}) + "\n")


def make_promptfoo():
    import os
    import shutil
    import subprocess

    program = shutil.which("promptfoo", path=os.environ["PATH"] + ":node_modules/.bin")
    model = """module.exports = class {
        id() { return 'house-model'; }
        async callApi(prompt, context) {
            const isSunday = context.vars.question.includes('Sunday');
            if (isSunday && prompt.startsWith('[')) return { error: 'The model is busy.' };
            return { output: isSunday ? '' : 'It opens at nine.' };
        }
    };"""
    config = {
        "prompts": ["Answer with the text: {{question}}", "file://chat.json"], "providers": ["file://model.js"],
        "tests": [{"vars": {"question": "When does the library open?", "context": "The library opens at nine."}},
                  {"vars": {"question": "Is it open on Sunday?", "context": "It is closed on Sunday."}}]}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "model.js").write_text(model)
        pathlib.Path(folder, "chat.json").write_text(json.dumps([{"role": "system", "content": "Be brief."}, user("{{question}}")]))
        pathlib.Path(folder, "config.json").write_text(json.dumps(config))
        subprocess.run([program, "eval", "-c", folder + "/config.json", "--no-cache", "--no-table", "--no-write", "-j", "1",
                        "-o", folder + "/out.json", "-o", folder + "/out.jsonl"], check=False, env=os.environ | {
                            "PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_CONFIG_DIR": folder})
        results = json.loads(pathlib.Path(folder, "out.json").read_text().replace(folder + "/", ""))
        lines = pathlib.Path(folder, "out.jsonl").read_text().replace(folder + "/", "")
    results["config"], results["metadata"] = {}, {}
    save("promptfoo.json", json.dumps(results) + "\n")
    save("promptfoo-results.json", json.dumps(results["results"]["results"], indent=1) + "\n")
    save("promptfoo.jsonl", lines)


def make_huggingface():
    from datasets import Dataset

    chats = [{"id": f"h{i}", "messages": [user(f"HF question {i}?"), assistant(f"HF answer {i}.")], "model": "m"}
             for i in range(3)]
    Dataset.from_list(chats).to_parquet(FOLDER / "hf-messages.parquet")
    answers = [{"question": f"Q{i}?", "answer": f"A{i}.", "contexts": ["one", "two"], "score": 0.5} for i in range(3)]
    Dataset.from_list(answers).to_parquet(FOLDER / "hf-rag.parquet")
    shared = Dataset.from_list([{"conversations": [{"from": "human", "value": f"Share {i}?"},
                                                   {"from": "gpt", "value": f"Reply {i}."}]} for i in range(2)])
    shared.to_parquet(FOLDER / "hf-sharegpt.parquet")
    shared.to_json(FOLDER / "hf-sharegpt.jsonl")


for make in (make_opentelemetry, make_instrumented, make_phoenix, make_langsmith, make_langfuse, make_inspect,
             make_label_studio, make_argilla, make_prodigy, make_openai, make_openai_batch, make_openai_tools, make_anthropic,
             make_ragas, make_deepeval, make_mlflow, make_promptfoo, make_huggingface):
    if len(sys.argv) == 1 or make.__name__.removeprefix("make_") in sys.argv[1:]:
        make()
