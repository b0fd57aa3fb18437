"""The rules of the house that a compiler doesn't see: structure.py includes|readmes|links|recipes.

Prints one line per violation and exits with 1 if there is any. Run from the top of the tree.
"""
import os
import re
import sys
from pathlib import Path

FOLDERS = ["include", "models", "sim", "configs", "tests", "notebooks"]
SOURCE_SUFFIXES = {".hpp", ".cpp"}

# What each floor may include. The ground floor also does without any library.
USES = {"engine": set(), "parts": {"engine"}, "analytic": {"engine", "parts"}}
USES["hardware"] = {"engine", "parts"}
USES["kernel"] = USES["hardware"] | {"hardware"}
USES["workload"] = USES["kernel"] | {"kernel"}
USES["experiment"] = USES["workload"] | {"workload", "analytic"}
USES["cli"] = (USES["experiment"] | {"experiment"}) - {"analytic"}


def files_below(*folders):
    """Files in a fixed order, without hidden and generated ones."""
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and not any(p.startswith((".", "__")) for p in path.parts):
                yield path


def floor_of(path):
    """The floor that a file belongs to by its folder, None outside the house."""
    parts = Path(path).parts
    if parts[:2] == ("include", "futexsim"):
        return parts[2] if len(parts) > 3 else None
    return parts[1] if parts[0] in ("models", "sim") and len(parts) > 2 else None


def resolve(includer, name):
    """The file in the tree that an include names, None for others (standard, libraries)."""
    for candidate in (includer.parent / name, Path("include") / name):
        path = Path(os.path.normpath(candidate))
        if path.is_file():
            return path
    return None


def includes_of(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line):
            yield number, match[2]


def find_cycle(graph):
    done = set()

    def visit(node, trail):
        if node in trail:
            return trail[trail.index(node):] + [node]
        if node in done:
            return None
        for target in graph.get(node, ()):
            if cycle := visit(target, trail + [node]):
                return cycle
        done.add(node)
        return None

    return next((cycle for node in sorted(graph) if (cycle := visit(node, []))), None)


def check_includes():
    graph = {}
    for path in files_below("include", "models", "sim"):
        if path.suffix not in SOURCE_SUFFIXES:
            continue
        floor = floor_of(path)
        if floor not in USES:
            yield f"{path}: lies on no floor; expected one of {', '.join(USES)}"
            continue
        for number, name in includes_of(path):
            target = resolve(path, name)
            if target is None:
                if name.startswith("futexsim/"):
                    yield f"{path}:{number}: no such file: {name}"
                elif floor == "engine" and re.search(r"[/.]", name):
                    yield f"{path}:{number}: the engine uses the standard library only: {name}"
                continue
            graph.setdefault(path, []).append(target)
            if floor_of(target) not in USES[floor] | {floor}:
                yield f"{path}:{number}: {floor} may not use {floor_of(target)}: {name}"
    if cycle := find_cycle(graph):
        yield "includes run in a circle: " + " -> ".join(map(str, cycle))


def check_readmes():
    folders = {parent for path in files_below(*FOLDERS) for parent in path.parents}
    for folder in sorted(folders - {Path(".")}):
        if not (folder / "README.md").is_file():
            yield f"{folder}: no README.md"


def named_paths(text):
    """Targets of links, and code spans that start like a path of the tree."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:|#", link):
            yield link.split("#")[0]
    for span in re.findall(r"`([^`\n]+)`", text):
        placeholder = re.search(r"[<>{}*$ ]|\b(NAME|TABLE|FLOOR)\b|\.\.\.", span)
        if re.match(rf"(\./)?({'|'.join(FOLDERS)}|bootstrap)(/|$)", span) and not placeholder:
            yield span


def check_links():
    documents = [p for p in files_below(*FOLDERS) if p.suffix == ".md"]
    for document in sorted(Path(".").glob("*.md")) + documents:
        for name in named_paths(document.read_text()):
            if not any((base / name).exists() for base in (document.parent, Path("."))):
                yield f"{document}: no such file: {name}"


def check_recipes():
    """Each example of tests/recipes stands in a README, to the letter."""
    readmes = [p.read_text() for p in files_below(*FOLDERS) if p.name == "README.md"]
    blocks = {block for text in readmes for block in re.findall(r"^```cpp\n(.*?)^```", text, re.M | re.S)}
    for path in files_below("tests/recipes"):
        if path.suffix == ".cpp" and path.stem != "recipes" and path.read_text() not in blocks:
            yield f"{path}: no README has this as a block of code"


RULES = {"includes": check_includes, "readmes": check_readmes, "links": check_links,
         "recipes": check_recipes}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in RULES:
        sys.exit(f"usage: structure.py {'|'.join(RULES)}")
    violations = list(RULES[sys.argv[1]]())
    print("\n".join(violations) or f"{sys.argv[1]}: clean")
    sys.exit(bool(violations))
