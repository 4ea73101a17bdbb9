# Lets schemathesis use the objects of the fixture in paths, and send JSON lines.
import schemathesis
from hypothesis import strategies as st

OBJECTS = {
    "project": ["mine", "theirs", "none"],
    "batch": ["batch of mine", "batch of theirs", "none"],
    "item": list(range(1, 18)),
    "account": list(range(1, 20)),
    "correction": [1, 2, 3],
    "question": [1, 2, 3],
    "key": ["empathy", "rag-generation"],
    "version": [1, 2],
    "export": [1, 2, 3],
    "judge": ["judge 4", "judge/5"],
}


@schemathesis.serializer("application/x-ndjson")
def json_lines(context, value):
    return value if isinstance(value, (bytes, str)) else str(value)


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    for name, values in OBJECTS.items():
        if path_parameters and name in path_parameters and hash(str(path_parameters[name])) % 2 == 0:
            path_parameters[name] = values[len(str(path_parameters[name])) % len(values)]
    return path_parameters
