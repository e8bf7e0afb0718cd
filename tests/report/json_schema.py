"""JSON Schema, as far as the schemas here use it (draft 7). A keyword that is not known is an error: nothing is passed over in silence."""
import re

NOTES = {"$schema", "$id", "id", "title", "description", "default", "definitions", "format", "examples", "$comment", "uri"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("number", "integer"):
        return isinstance(value, (int, float) if name == "number" else int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


class Schema:
    def __init__(self, root, strict=False):
        """strict: fields that the schema does not name are errors."""
        self.root, self.strict = root, strict

    def errors(self, value):
        return list(self.check(value, self.root, "$"))

    def resolve(self, reference):
        at = self.root
        for part in reference.removeprefix("#/").split("/"):
            at = at[part]
        return at

    def check(self, value, schema, path):
        if schema is True:
            return
        if "$ref" in schema:
            yield from self.check(value, self.resolve(schema["$ref"]), path)
            return
        for keyword, wanted in schema.items():
            if keyword not in NOTES:
                yield from getattr(self, "check_" + keyword.replace("$", ""))(value, wanted, schema, path)

    def check_type(self, value, wanted, schema, path):
        names = wanted if isinstance(wanted, list) else [wanted]
        if not any(is_type(value, name) for name in names):
            yield f"{path}: {value!r} is no {wanted}"

    def check_enum(self, value, wanted, schema, path):
        if value not in wanted:
            yield f"{path}: {value!r} is none of {wanted}"

    def check_const(self, value, wanted, schema, path):
        if value != wanted:
            yield f"{path}: {value!r} is not {wanted!r}"

    def check_properties(self, value, wanted, schema, path):
        for name in value if isinstance(value, dict) else ():
            if name in wanted:
                yield from self.check(value[name], wanted[name], f"{path}.{name}")
            elif self.strict and "additionalProperties" not in schema:
                yield f"{path}: the schema does not know {name}"

    def check_additionalProperties(self, value, wanted, schema, path):
        for name in value if isinstance(value, dict) else ():
            if name in schema.get("properties", {}):
                continue
            if wanted is False:
                yield f"{path}: the schema does not allow {name}"
            else:
                yield from self.check(value[name], wanted, f"{path}.{name}")

    def check_required(self, value, wanted, schema, path):
        yield from (f"{path}: {name} is missing" for name in wanted if isinstance(value, dict) and name not in value)

    def check_items(self, value, wanted, schema, path):
        for i, item in enumerate(value if isinstance(value, list) else ()):
            yield from self.check(item, wanted, f"{path}[{i}]")

    def check_minItems(self, value, wanted, schema, path):
        if isinstance(value, list) and len(value) < wanted:
            yield f"{path}: fewer than {wanted}"

    def check_maxItems(self, value, wanted, schema, path):
        if isinstance(value, list) and len(value) > wanted:
            yield f"{path}: more than {wanted}"

    def check_uniqueItems(self, value, wanted, schema, path):
        if wanted and isinstance(value, list) and any(item in value[:i] for i, item in enumerate(value)):
            yield f"{path}: an item stands twice"

    def check_minimum(self, value, wanted, schema, path):
        if is_type(value, "number") and value < wanted:
            yield f"{path}: {value} is less than {wanted}"

    def check_maximum(self, value, wanted, schema, path):
        if is_type(value, "number") and value > wanted:
            yield f"{path}: {value} is more than {wanted}"

    def check_pattern(self, value, wanted, schema, path):
        if isinstance(value, str) and not re.search(wanted, value):
            yield f"{path}: {value!r} does not match {wanted}"

    def check_anyOf(self, value, wanted, schema, path):
        if all(list(self.check(value, one, path)) for one in wanted):
            yield f"{path}: fits none of the choices: {[list(self.check(value, one, path))[:1] for one in wanted]}"

    def check_oneOf(self, value, wanted, schema, path):
        if sum(not list(self.check(value, one, path)) for one in wanted) != 1:
            yield f"{path}: does not fit one of the choices"

    def check_allOf(self, value, wanted, schema, path):
        for one in wanted:
            yield from self.check(value, one, path)

    def check_not(self, value, wanted, schema, path):
        if not list(self.check(value, wanted, path)):
            yield f"{path}: fits what it must not"

    def check_dependencies(self, value, wanted, schema, path):
        for name, needs in wanted.items():
            if isinstance(value, dict) and name in value:
                yield from (f"{path}: {name} needs {need}" for need in needs if need not in value)
