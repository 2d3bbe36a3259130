#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules of the house that a search can check.

    house_rules.py ROOT [RULE...]

prints one line per violation, as FILE:LINE: what is wrong, and exits with 1 if
there is one. Without a RULE, all of them. Each rule is tested on a tree that
breaks it in house_rules_test.py.
"""
import re
import sys
from pathlib import Path

CODE = {".cpp", ".h", ".c", ".td", ".cu"}
TEXT = CODE | {".py", ".sh", ".cmake", ".txt", ".mlir", ".test", ".md", ""}
ROOMS = ("include", "lib", "runtime", "tools", "test", "examples", "docs")


def files(root, folders, suffixes):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts:
                yield path, path.relative_to(root).as_posix()


def blank(match):
    """Replaces a match but keeps its line breaks, so that line numbers hold."""
    return "\n" * match.group(0).count("\n")


def code_of(path):
    """The text without comments."""
    text = path.read_text(errors="replace")
    text = re.sub(r"/\*.*?\*/", blank, text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def search(text, pattern):
    """(line number, match) of each line that matches."""
    for number, line in enumerate(text.splitlines(), 1):
        match = pattern.search(line)
        if match:
            yield number, match.group(0)


def stems(argument):
    """gemm-swizzle-shared is swizzle-shared; convert-gemm-to-nvvm may drop its verb."""
    stem = argument.removeprefix("gemm-")
    return {stem, stem.removeprefix("convert-")}


def camels(argument):
    """convert-gemm-to-nvvm -> ConvertGemmToNVVM, GemmToNVVM"""
    words = ["".join(word.capitalize() for word in stem.split("-")) for stem in stems(argument)]
    return {word.replace("Nvvm", "NVVM").replace("Nvgpu", "NVGPU") for word in words}


def passes(root):
    """(file, line, record, argument) of every pass in a Passes.td."""
    for path, name in files(root, ("include", "test"), {".td"}):
        text = path.read_text()
        for match in re.finditer(r"^def\s+(\w+)\s*:\s*\w*Pass<\s*\"([\w-]+)\"", text, re.M):
            yield name, text[: match.start()].count("\n") + 1, match.group(1), match.group(2)


# An architecture by number, or by any of its marketing and chip names.
ARCHITECTURE = re.compile(
    r"(?<![a-z])(sm_?\d{2,3}[af]?|compute_?\d{2,3}[af]?|[abgh][1-9]00)(?![0-9a-z])"
    r"|hopper|ampere(?!s)|blackwell|volta(?!ge)|turing|lovelace|pascal|geforce",
    re.I,
)


def architecture_names(root):
    """No architecture name or synonym outside the target table; in the compiler
    not even in a comment. The descriptions of tablegen records are the manual:
    their examples may name a target."""
    for path, name in files(root, ("include", "lib", "tools"), CODE):
        if name.startswith(("lib/Target/", "include/Gemm/Target/")):
            continue
        text = code_of(path) if name.startswith("tools/") else path.read_text(errors="replace")
        if path.suffix == ".td":
            text = re.sub(r"let description = \[\{.*?\}\]", blank, text, flags=re.S)
        for number, found in search(text, ARCHITECTURE):
            yield f"{name}:{number}: '{found}' names an architecture; ask the target table instead"


UPSTREAM = re.compile(
    r"(?<!gemm-)\b(mlir|llvm)\b|\b(MLIR|LLVM)|[\"<]Gemm/"
    r"|\bGemm(Layout|IR|Target|Transforms|Conversion|Pipelines|Upstream)\b"
)


def runtime_stands_alone(root):
    """Nothing of MLIR, LLVM or the compiler under runtime/."""
    for path, name in files(root, ("runtime",), CODE | {".txt", ".cmake"}):
        text = code_of(path) if path.suffix in CODE else re.sub(r"#[^\n]*", "", path.read_text())
        for number, found in search(text, UPSTREAM):
            yield f"{name}:{number}: '{found}': the runtime knows nothing of the compiler"


LINE_LIMIT = 600


def file_length(root):
    """No file over 600 lines without a reason at its top."""
    for path, name in files(root, ROOMS, TEXT):
        if "Inputs" in path.parts:
            continue
        lines = path.read_text(errors="replace").splitlines()
        if len(lines) <= LINE_LIMIT:
            continue
        if not re.search(rf"over {LINE_LIMIT} lines because \w+", " ".join(lines[:20]), re.I):
            yield (
                f"{name}:1: {len(lines)} lines; split it by idea, or say in its first 20 lines "
                f"why it is 'over {LINE_LIMIT} lines because ...'"
            )


def pass_files(root):
    """Every pass has a .cpp and a lit file of its own stem."""
    tests = {path.stem for path, _ in files(root, ("test",), {".mlir"})}
    sources = {path.stem for path, _ in files(root, ("lib",), {".cpp"})}
    for name, number, record, argument in passes(root):
        if record.removesuffix("Pass") not in camels(argument):
            yield f"{name}:{number}: '{argument}' is defined as {record}"
        if not camels(argument) & sources:
            yield f"{name}:{number}: '{argument}' has no {min(camels(argument))}.cpp below lib/"
        if not stems(argument) & tests:
            yield f"{name}:{number}: '{argument}' has no {min(stems(argument))}.mlir below test/"


def schedule_parts(root):
    """Each part of #gemm.schedule is read by exactly one pass, the one that its
    summary names. A pass is a file of lib/Transforms or lib/Conversion or, when
    split into steps, a folder. Reading is calling an accessor of a schedule,
    through whatever name the file gives it."""
    table = root / "include/Gemm/IR/GemmAttrs.td"
    if not table.exists():
        return
    text = table.read_text()
    name = table.relative_to(root).as_posix()
    schedule = re.search(r"def Gemm_ScheduleAttr\b.*?let parameters = \(ins(.*?)\);", text, re.S)
    if not schedule:
        yield f"{name}:1: no Gemm_ScheduleAttr with parameters"
        return
    known = {name: argument for _, _, _, argument in passes(root) for name in camels(argument)}
    fields = {}
    for part, field in re.findall(r"\"(\w+)Attr\":\$(\w+)", schedule.group(1)):
        fields.setdefault(part, []).append("".join(p.capitalize() for p in field.split("_")))
    for part, names in fields.items():
        where = text[: text.find(f"def Gemm_{part}Attr")].count("\n") + 1
        record = re.search(rf"def Gemm_{part}Attr\b.*?let summary = \"(.*?)\";", text, re.S)
        promised = record and re.search(r"read by ([\w-]+)", record.group(1))
        if not promised:
            yield f"{name}:{where}: the summary of {part}Attr does not say 'read by PASS'"
            continue
        readers = set()
        for path, file in files(root, ("lib/Transforms", "lib/Conversion"), CODE):
            code = code_of(path)
            held = re.findall(r"(\w+) = [^;]*getSchedule\(\);|ScheduleAttr (\w+)", code)
            held = "|".join({a or b for a, b in held} | {r"\w*schedule(\(\))?"})
            if re.search(rf"\b({held})(\.|->)get({'|'.join(names)})\(", code, re.I):
                owners = [known[p] for p in (q.split(".")[0] for q in file.split("/")) if p in known]
                readers.add(owners[0] if owners else file)
        readers.discard("gemm-select-schedule")  # it writes schedules
        if readers != {promised.group(1)}:
            actual = ", ".join(sorted(readers)) or "nobody"
            yield f"{name}:{where}: {part}Attr is promised to {promised.group(1)}, read by {actual}"


# Which rooms of the compiler a room may include, besides itself.
MAY_KNOW = {
    "Layout": (),
    "IR": ("Layout",),
    "Target": ("Layout", "IR"),
    "Transforms": ("Layout", "IR", "Target"),
    "Conversion": ("Layout", "IR", "Target"),
    "Pipelines": ("Layout", "IR", "Target", "Transforms", "Conversion"),
}


def directions(root):
    """Rooms include only the rooms before them, Layout nothing of MLIR, and
    Transforms nothing of linalg, which ends at the import."""
    for path, name in files(root, ("include/Gemm", "lib"), CODE):
        parts = name.split("/")
        room = parts[1] if parts[0] == "lib" else parts[2]
        if room not in MAY_KNOW:
            continue
        for number, line in enumerate(code_of(path).splitlines(), 1):
            if room == "Transforms" and "linalg::" in line:
                yield f"{name}:{number}: Transforms must not know linalg"
            match = re.match(r"\s*#?\s*include\s+[\"<]([^\">]+)", line)
            if not match:
                continue
            header = match.group(1)
            other = header.split("/")[1] if header.startswith("Gemm/") else None
            if other in MAY_KNOW and other != room and other not in MAY_KNOW[room]:
                yield f"{name}:{number}: {room} must not know {other} ({header})"
            if room == "Layout" and header.startswith("mlir/"):
                yield f"{name}:{number}: Layout must not know MLIR ({header})"
            if room == "Transforms" and header.startswith("mlir/Dialect/Linalg/"):
                yield f"{name}:{number}: Transforms must not know linalg ({header})"
            if header.startswith("gemm-runtime/"):
                yield f"{name}:{number}: only tools know the runtime ({header})"


def license_lines(root):
    """Every source file names the licence in its first lines."""
    for path, name in files(root, ROOMS, CODE | {".py", ".sh", ".cmake"}):
        head = "\n".join(path.read_text(errors="replace").splitlines()[:8])
        if "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in head:
            yield f"{name}:1: no SPDX-License-Identifier line"


RULES = {
    rule.__name__.replace("_", "-"): rule
    for rule in (
        architecture_names,
        runtime_stands_alone,
        file_length,
        pass_files,
        schedule_parts,
        directions,
        license_lines,
    )
}


def main(arguments):
    if not arguments or set(arguments[1:]) - set(RULES):
        print(__doc__ + "\nRules: " + ", ".join(RULES), file=sys.stderr)
        return 2
    violations = [
        violation
        for name in arguments[1:] or RULES
        for violation in RULES[name](Path(arguments[0]).resolve())
    ]
    print(*violations, sep="\n", end="\n" if violations else "")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
