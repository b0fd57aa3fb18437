"""What people and scripts do to the command line by mistake: hostile.py FUTEXSIM SOURCE_FOLDER.

Bad input ends in one line on standard error, exit status 2 and no file written; good input in
exit status 0 and an empty standard error.
"""
import json
import re
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

FUTEXSIM, SOURCE = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
CURVE = SOURCE / "configs/experiments/e5-curve.json"
POINT = SOURCE / "configs/experiments/e5-point.json"
QUICK = ["--precision", "1"]


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def call(self, *arguments, **options):
        return subprocess.run([FUTEXSIM, *map(os.fsencode, arguments)], capture_output=True,
                              timeout=120, cwd=self.folder, **options)

    def refused(self, *arguments, saying="", status=2):
        """One line, one status, nothing on standard output, nothing written."""
        before = sorted(self.folder.iterdir())
        done = self.call(*arguments)
        line = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (status, b""), line)
        self.assertTrue(line.startswith("futexsim: ") and line.endswith("\n"), line)
        self.assertEqual(line.count("\n"), 1, line)
        self.assertTrue(line.isprintable() or line[:-1].isprintable(), line)
        self.assertIn(saying, line)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        return line

    def succeeds(self, *arguments):
        done = self.call(*arguments)
        self.assertEqual(done.returncode, 0, done)
        # Beside perf's output, and nowhere else, the expected error of the model.
        said = done.stderr.decode().splitlines()
        if "bench" in arguments or "perf" in arguments:
            said = [line for line in said if not re.match(
                r"futexsim: (expected model error [\d.]+ %|no published row to judge the model by)", line)]
        self.assertEqual(said, [], done)
        return done.stdout.decode()

    def file(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    # What a user types wrong.
    def test_commands_and_options(self):
        for arguments, saying in [
            ([], "no command"),
            (["vlidate"], 'did you mean "validate"?'),
            (["--frobnicate"], "the command"),
            ([""], "the command"),
            (["run"], "no CONFIG"),
            (["run", "a", "b"], "the argument"),
            (["run", POINT, "--sede", "1"], 'did you mean "--seed"?'),
            (["run", POINT, "--prec", "1"], "unknown option"),
            (["run", POINT, "-x"], "unknown option"),
            (["run", POINT, "--seed"], "without a value"),
            (["run", POINT, "--seed", "1", "--seed", "2"], "second time"),
            (["run", POINT, "--explain=1"], "with a value"),
            (["run", POINT, "--format", "jsn"], 'did you mean "json"?'),
            (["run", CURVE], "found a sweep"),
            (["run", POINT, "--method", "analitic"], 'did you mean "analytic"?'),
            (["run", POINT, "--method", "analytic", "--explain"], "--method simulation only"),
            (["run", POINT, "--method", "analytic", "--format", "perf"], "table, json, csv"),
            (["sweep", CURVE, "--method", "analytic", "--precision", "0.1"], "--method simulation"),
            (["sweep", POINT, "-j", "0"], "an integer from 1"),
            (["sweep", POINT, "-j", "99999999999999999999"], "an integer from 1"),
            (["validate", "e5-82"], 'did you mean "e5-28"?'),
            (["validate", "--tables", "missing.csv"], "No such file"),
            (["validate", "--tables", "."], "no CSV file"),
            (["list", "machine"], 'did you mean "machines"?'),
            (["schema", "machines"], 'did you mean "machine"?'),
            (["schema"], "no NAME"),
            (["machine", "show"], "no NAME"),
            (["machine", "hide", "e5-2650"], '"show"'),
            (["machine", "show", "e5-2560"], 'did you mean "e5-2650"?'),
            (["machine", "show", "e5\n2650"], "\\n"),
            (["machine", "show", b"\xff\xfe"], "\\xff"),
        ]:
            with self.subTest(arguments=arguments):
                self.refused(*arguments, saying=saying)

    def test_numbers(self):
        for option in ["--seed", "--precision"]:
            for value in ["", "x", "-1", "1e999", "nan", "inf", "0x10", " 1", "1,0"]:
                with self.subTest(option=option, value=value):
                    self.refused("run", POINT, f"{option}={value}" if value else option + "=")
        self.refused("run", POINT, "--precision", "0", saying="0.0001")
        self.refused("run", POINT, "--seed", "18446744073709551616")

    def test_overrides(self):
        for value, saying in [
            ("/workload/threads=0", "from 1"),
            ("/workload/threads=65537", "to 65536"),
            ("/workload/threads=many", 'the string "many"'),
            ("/workload/thread=1", 'did you mean "threads"?'),
            ("/policy/buckets=3", "a power of two"),
            ("/policy=none", "allowed"),
            ("/policy=resizable", "allowed"),
            ("/policy/mempolicy=node2", "node0 to node1"),
            ("/policy/mempolicy=remote", "allowed"),
            ("/policy/resize={}", "allowed"),
            ("/least_us=0", "from 1"),
            ("/machine=e5", "allowed"),
            ("/machine=nowhere.json", "No such file"),
            ("/machine/name=x", "holds no"),
            ("/workload/placement=node2", "node1"),
            ("workload/threads=1", "JSON pointer"),
            ("/workload/threads", "VALUE"),
            ("", "VALUE"),
            ("=1", "JSON pointer"),
            ("/workload={", "allowed"),
        ]:
            with self.subTest(value=value):
                self.refused("run", POINT, "--set", value, "-o", "out.json", saying=saying)

    def test_replaced_tables(self):
        resize = {"buckets": 64, "at_us": 1}
        point = {"machine": "e5-2650", "kernel": "v6.17", "workload": {"name": "futex-hash", "threads": 1},
                 "policy": {"name": "percpu", "buckets": 16, "resize": resize}}
        for change, saying in [
            ({"buckets": 48}, "a power of two"),
            ({"at_us": -1}, "from 0"),
            ({"buckets": None}, "/policy/resize/buckets"),
            ({"bucket": 4}, 'did you mean "buckets"?'),
        ]:
            changed = {**point, "policy": {**point["policy"], "resize": {**resize, **change}}}
            with self.subTest(change=change):
                path = self.file("point.json", json.dumps(changed))
                self.refused("run", path, "-o", "out.json", saying=saying)
        point["policy"] = {"name": "global-per-node", "resize": resize}
        self.refused("run", self.file("point.json", json.dumps(point)), saying="resize")

    def test_neighbours(self):
        config = json.loads((SOURCE / "configs/experiments/rt-wait.json").read_text())
        del config["sweep"]
        path = self.file("neighbours.json", json.dumps(config))
        for value, saying in [
            ("/workload/groups=[]", "/workload/groups"),
            ("/workload/groups/0=1", "allowed"),
            ("/workload/groups/3/name=x y", "allowed"),
            ("/workload/groups/1/name=real-time", "a name that no other group has"),
            ("/workload/groups/0/idle=true", "results are about this group"),
            ("/workload/groups/0/cpus=32", "a string"),
            ("/workload/groups/0/cpus=0,32", "0-31"),
            ("/workload/groups/0/cpus=x", "0-31"),
            ("/workload/groups/0/cpus=0-99999999999", "0-31"),
            ("/workload/groups/0/priority=100", "to 99"),
            ("/workload/groups/0/think_n=1", 'did you mean "think_ns"?'),
            ("/workload/groups/1/processes=4097", "to 4096"),
            ("/workload/threads=4", "threads"),
        ]:
            with self.subTest(value=value):
                self.refused("run", path, "--set", value, "-o", "out.json", saying=saying)
        self.refused("run", path, *QUICK, "--format", "perf", saying="perf bench has")

    def test_bench(self):
        for arguments, saying in [
            ([], "no benchmark"),
            (["mem"], 'bench: found "mem"; allowed: "futex hash", "futex wake"'),
            (["futex"], "futex hash"),
            (["futex", "wak"], 'did you mean "futex wake"?'),
            (["futex", "hash", "wake"], "futex all"),
            (["-t", "4", "futex", "hash"], "no benchmark"),
            (["futex", "wake", "-w", "x"], "from 0"),
            (["futex", "wake", "-f", "8"], "unknown option"),
            (["futex", "wake", "-t", "65537"], "to 65536"),
            (["futex", "wake", "-r", "8"], "unknown option"),
            (["futex", "wake-parallel", "-t", "8", "-w", "3"], "a divisor of the 8 threads"),
            (["futex", "requeue", "-q", "0"], "from 1"),
            (["futex", "requeue", "-p"], "not modelled"),
            (["futex", "requeue", "-I"], "-b N"),
            (["futex", "lock-pi", "-w", "2"], "unknown option"),
            (["futex", "lock-pi", "-b", "16", "-I"], '"2025-series"'),
            (["futex", "lock-pi", "--kernel", "before-2025", "-b", "8"], "private tables"),
            (["futex", "all", "-t", "4"], "unknown option"),
            (["futex", "hash", "-n", "0"], '"2016-rfc"'),
            (["futex", "hash", "-n", "9", "--kernel", "2016-rfc"], "node1"),
            (["futex", "hash", "-p", "8"], '"2016-rfc"'),
            (["futex", "hash", "-p", "0", "--kernel", "2016-rfc"], "from 1"),
            (["futex", "hash", "-p", "8", "-b", "8", "--kernel", "2016-rfc"], "one of the two"),
            (["futex", "hash", "-t", "-1"], "from 0"),
            (["futex", "hash", "-b", "-2"], "from -1"),
            (["futex", "hash", "-f", "0"], "from 1"),
            (["futex", "hash", "-r", "0"], "from 1"),
            (["futex", "hash", "-t", "65537"], "to 65536"),
            (["futex", "hash", "-b", "3"], "a power of two"),
            (["futex", "hash", "-b", "3", "--kernel", "v6.17"],
             "Requesting 3 hash buckets failed: -1/Invalid argument"),
            (["futex", "hash", "-b", "16", "--kernel", "v6.16"], "Requesting 16 hash buckets"),
            (["futex", "hash", "-I"], "-b N"),
            (["futex", "hash", "-b", "16", "-I"], '"2025-series"'),
            (["futex", "hash", "--machine", b"\xff.json"], "UTF-8"),
            (["futex", "hash", "--kernel", b"\xff.json"], "UTF-8"),
            (["futex", "hash", "-b", "0", "--policy", "private"], "beside -b 0"),
            (["futex", "hash", "--placement", "node9"], "node1"),
            (["futex", "hash", "--hash", "md5"], "jhash2"),
            (["futex", "hash", "--kernel", "v9"], "allowed"),
        ]:
            with self.subTest(arguments=arguments):
                self.refused("bench", *arguments, saying=saying)

    def test_hash(self):
        self.file("bad.txt", "0x1000\n0x1001\n")
        self.file("word.txt", "1000\r\nten\r\n")
        self.file("empty.txt", "")
        for arguments, saying in [
            (["all"], "the argument"),
            (["--hash", "jhash3"], 'did you mean "jhash2"?'),
            (["--hash", ""], 'found the string ""'),
            (["--hash", "jhash2,,wang"], 'found the string ""'),
            (["--hash", "hash_mod", "-b", "8192"], "4 to 4096 buckets"),
            (["-b", "1000"], "a power of two"),
            (["-b", "0"], "from 1"),
            (["-t", "0"], "from 1"),
            (["-t", "65536"], "at most 4194304"),
            (["--stride", "6", "--count", "2"], "a multiple of 4"),
            (["--stride", "64"], "no --count"),
            (["--stride", "0", "--count", "2"], "from 4"),
            (["--count", "2"], "without --stride"),
            (["--base", "0x1000"], "without --stride"),
            (["--stride", "64", "--count", "2", "--base", "0x1002"], "a multiple of 4"),
            (["--stride", "64", "--count", "2", "--base", "x"], "hexadecimal"),
            (["--stride", "281474976710656", "--count", "4194304"], "user space"),
            (["--stride", "64", "--count", "2", "-t", "2"], "beside --stride"),
            (["--keys", "bad.txt", "-f", "2"], "beside --keys"),
            (["--keys", "bad.txt", "--stride", "8"], "beside --keys"),
            (["--keys", "bad.txt"], "bad.txt:2:1"),
            (["--keys", "word.txt"], 'word.txt:2:1: found "ten"'),
            (["--keys", "empty.txt"], "no address"),
            (["--keys", "none.txt"], "No such file"),
            (["--keys", "."], "."),
            (["--format", "jsn"], 'did you mean "json"?'),
        ]:
            with self.subTest(arguments=arguments):
                self.refused("hash", *arguments, "-o", "out", saying=saying)
        self.refused("run", POINT, "--set", "/hash=hash_mod", "--set", "/policy/buckets=2",
                     saying="4 to 4096 buckets")

    def test_calibrate(self):
        e5 = ["e5-2650", "--tables", "e5-28"]
        for arguments, saying in [
            ([], '"machine"'),
            (["e5-2650"], '"tables"'),
            (e5, '"fit"'),
            (["e5-2560", "--tables", "e5-28", "--fit", "same_l3"], 'did you mean "e5-2650"?'),
            (["e5-2650", "--tables", "e5-82", "--fit", "same_l3"], 'did you mean "e5-28"?'),
            (["e5-2650", "--tables", "none.csv", "--fit", "same_l3"], "No such file"),
            (["e5-2650", "--tables", "e7-140", "--fit", "same_l3"], 'run on "e5-2650"'),
            (["e5-2650", "--tables", "e5-28,e5-28", "--fit", "same_l3"], "/tables"),
            (["e5-2650", "--tables", "", "--fit", "same_l3"], "--tables"),
            ([*e5, "--fit", "same_13"], 'did you mean "same_l3"?'),
            ([*e5, "--fit", "same_l3,,futex_wait"], "/fit/1"),
            ([*e5, "--fit", "value"], "a number of the machine"),
            ([*e5, "--fit", "same_l3,memory/same_l3"], "each number once"),
            ([*e5, "--fit", "same_l3", "--replications", "1"], "from 2"),
            ([*e5, "--fit", "same_l3", "--iterations", "0"], "from 1"),
            ([*e5, "--fit", "same_l3", "--seed", "x"], "--seed"),
            ([*e5, "--fit", "same_l3", "--format", "csv"], '"json"'),
            ([*e5, "--fit", "same_l3", "-o", "-"], "a file"),
            ([*e5, "--fit", "same_l3", "-o", "x", "--write"], "one of them"),
            ([*e5, "--fit", "same_l3", "-o", "missing/x"], "No such file"),
            ([*e5, "--fit", "same_l3", "--set", "/start/same_l3=0"], "a start of 0"),
            ([*e5, "--fit", "same_l3", "--set", "/frob=0"], "frob"),
            (["--recipe", "e5-2560"], 'did you mean "e5-2650"?'),
            (["--recipe", "none.json"], "No such file"),
            (["--recipe", POINT], "/kernel"),
        ]:
            with self.subTest(arguments=arguments):
                self.refused("calibrate", *arguments, saying=saying)

    def short_calibration(self, machine, replications):
        """One number, four rows, from a bad start."""
        lines = (SOURCE / "configs/published/e5-28.csv").read_text().splitlines()
        table = self.file("t.csv", "\n".join([lines[0], *lines[2:6]]) + "\n")
        return ["calibrate", machine, "--tables", table, "--fit", "same_l3", "--set",
                "/start/same_l3=30", "--replications", str(replications)]

    def test_calibrate_writes_only_what_it_is_asked_to(self):
        text = (SOURCE / "configs/machines/e5-2650.json").read_text()
        machine = self.file("m.json", text)
        command = [*self.short_calibration(machine, 2), "--iterations", "1"]
        self.refused(*command, "-o", machine, saying="also read")
        self.refused(*command, "-o", "t.csv", saying="also read")
        report = json.loads(self.succeeds(*command, "--format", "json"))
        self.assertEqual(machine.read_text(), text)
        number, = report["numbers"]
        self.assertEqual(number["start"], 30)
        self.assertGreater(number["value"], 30)
        self.assertLess(report["all"]["after"]["log_rms"], report["all"]["before"]["log_rms"])
        self.succeeds(*command, "-o", "new.json")
        self.assertEqual(machine.read_text(), text)
        new = (self.folder / "new.json").read_text()
        written = json.loads(new)["memory"]["same_l3"]
        self.assertEqual([written[key] for key in ["value", "uncertainty", "origin", "tables"]],
                         [number["value"], number["uncertainty"], "fitted", ["e5-28"]])
        changed = [a for a, b in zip(new.splitlines(), text.splitlines(), strict=True) if a != b]
        self.assertLessEqual(len(changed), 3, changed)
        self.succeeds(*command, "--write")
        self.assertEqual(machine.read_text(), new)
        self.succeeds("machine", "show", machine)

    # Files that aren't what they should be.
    def test_broken_configs(self):
        good = json.loads(POINT.read_text())
        for name, text in {
            "empty": "", "word": "x", "list": "[]", "null": "null", "cut": POINT.read_text()[:-9],
            "twice": '{"machine": "e5-2650", "machine": "e5-2650"}', "nul": b"{\0}",
            "latin1": b'{"machine": "\xe9"}', "utf16": '{"machine": 1}'.encode("utf-16"),
            "deep": "[" * 100000, "unknown": json.dumps({**good, "extra": 1}),
            "huge": '{"seed": 1e400}', "no_machine": json.dumps({**good, "machine": None}),
            "bad_sweep": json.dumps({**good, "sweep": {"grid": {"/policy/buckets": [2, 5]}}}),
        }.items():
            with self.subTest(name=name):
                path = self.file(name + ".json", text)
                for command in ["run", "sweep"]:
                    self.refused(command, path, "-o", "out.jsonl", saying=str(path))
        for missing in ["nothing.json", "no/such/file.json", ".", "/"]:
            with self.subTest(missing=missing):
                self.refused("run", missing)

    def test_broken_tables(self):
        header = ("table,machine,kernel,threads,placement,futexes_per_thread,policy,hash,buckets,"
                  "ops_per_sec_per_thread\n")
        row = "t,e5-2650,2024-rfc-v2,2,all,8,private,jhash2,4,1000\n"
        for name, text in {
            "empty": "", "ragged": header + "a,b\n", "column": header.replace("policy", "polcy"),
            "number": header + row.replace(",2,", ",two,"), "zero": header + row.replace("1000", "0"),
            "threads": header + row.replace(",2,", ",0,"), "quote": header + '"t', "nul": b"a\0b\n",
        }.items():
            with self.subTest(name=name):
                path = self.file(name + ".csv", text)
                self.refused("validate", "--tables", path, "-o", "out.json", saying=str(path))

    def test_rows_that_cannot_be_run(self):
        text = (SOURCE / "configs/published/e5-28.csv").read_text().splitlines()[:2]
        for column, value in [("threads", "99999"), ("placement", "node7"), ("buckets", "6"),
                              ("futexes_per_thread", "99999999"), ("machine", "none.json")]:
            with self.subTest(column=column):
                cells = text[1].split(",")
                cells[text[0].split(",").index(column)] = value
                path = self.file("rows.csv", "\n".join([text[0], ",".join(cells), text[1], ""]))
                report = json.loads(self.succeeds("validate", "--tables", path, "--format", "json",
                                                  *QUICK))
                wrong, right = report["tables"][0]["rows"]
                self.assertIsNone(wrong["simulated"])
                self.assertIn(value, wrong["not_run"])
                self.assertGreater(right["simulated"], 0)

    def test_latencies_too_long_for_a_run(self):
        machine = json.loads((SOURCE / "configs/machines/e7-8890-v3.json").read_text())
        config = {**json.loads(POINT.read_text()), "machine": "slow.json"}
        path = self.file("config.json", json.dumps(config))
        for key in ["memory_access", "directory_miss"]:
            changed = json.loads(json.dumps(machine))
            for value in [2e6, 1e15, 1e300]:
                changed["protocol"][key]["value"] = value
                slow = self.file("slow.json", json.dumps(changed))
                self.refused("run", path, *QUICK, "-o", "out", saying="/protocol/" + key)
                self.refused("bench", "futex", "hash", "--machine", slow, saying="1000000 (ns)")

    def test_simulated_time_beyond_its_range(self):
        machine = json.loads((SOURCE / "configs/machines/e5-2650.json").read_text())
        machine["topology"] = {"source": "none", "nodes": ["0-4095"], "smt_sibling_distance": 0}
        machine["smt_speed"] = []
        for number in [*machine["paths"].values(), *machine["costs"].values(),
                       *(n for n in machine["memory"].values() if isinstance(n, dict))]:
            number["value"] = 1e6
        self.file("vast.json", json.dumps(machine))
        config = {**json.loads(POINT.read_text()), "machine": "vast.json",
                  "policy": {"name": "private", "buckets": 2},
                  "workload": {"name": "futex-hash", "threads": 4096, "futexes_per_thread": 1}}
        path = self.file("config.json", json.dumps(config))
        for command in ["run", "sweep"]:
            line = self.refused(command, path, *QUICK, "-o", "out", saying=f"{path}:1:")
            self.assertIn("latencies are short enough for a run", line)

    def test_swept_twice(self):
        for option, value in [("--set", "/policy/buckets=4"), ("--set", "/policy/buckets/x=4")]:
            self.refused("sweep", CURVE, option, value, saying="the config sweeps")
        config = json.loads(POINT.read_text())
        for sweep in [{"grid": {"/seed": [1]}, "zip": {"/seed": [2]}}]:
            path = self.file("twice.json", json.dumps({**config, "sweep": sweep}))
            self.refused("sweep", path, saying="the grid sweeps too")
        path = self.file("seeds.json", json.dumps({**config, "sweep": {"grid": {"/seed": [1, 2]}}}))
        self.refused("sweep", path, "--seed", "1", saying="the config sweeps")

    def test_missed_precision(self):
        config = {**json.loads(POINT.read_text()), "precision": 1e-4}
        config["workload"] = {"name": "futex-hash", "threads": 2, "futexes_per_thread": 4}
        path = self.file("strict.json", json.dumps(config))
        for command in ["run", "sweep"]:
            done = self.call(command, path)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rb"^futexsim: precision 0\.0001 not reached: [0-9.e-]+ "
                                          rb"after 200 replications\n$")

    # Output that can't be written, and output that must not be.
    def test_outputs(self):
        for target in ["missing/out", ".", "", "/dev/null"]:
            with self.subTest(target=target):
                self.refused("run", POINT, *QUICK, "--output=" + target if target else "--output=")
        old = self.file("out.json", "old")
        self.refused("run", POINT, "--set", "/policy/buckets=3", "-o", old)
        self.assertEqual(old.read_text(), "old")
        config = self.file("config.json", POINT.read_text())
        machine = self.file("m.json", (SOURCE / "configs/machines/e5-2650.json").read_text())
        table = self.file("t.csv", (SOURCE / "configs/published/e5-28.csv").read_text())
        os.link(config, self.folder / "link")
        os.symlink("t.csv", self.folder / "symlink")
        for arguments in [["run", config, "-o", config], ["sweep", config, "-o", "link"],
                          ["run", POINT, "--set", "/machine=./m.json", "-o", machine],
                          ["bench", "futex", "hash", "--machine", machine, "-o", "m.json"],
                          ["validate", "--tables", table, "-o", "symlink"]]:
            with self.subTest(arguments=arguments):
                before = {path: path.read_bytes() for path in self.folder.iterdir()}
                self.refused(*arguments, *QUICK, saying="also read")
                self.assertEqual({p: p.read_bytes() for p in self.folder.iterdir()}, before)
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([FUTEXSIM, "list"], stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"No space left", done.stderr)

    def test_closed_pipe(self):
        for arguments in [["list"], ["sweep", CURVE, *QUICK], ["--help"]]:
            with self.subTest(arguments=arguments):
                reader, writer = os.pipe()
                os.close(reader)
                done = subprocess.run([FUTEXSIM, *arguments], stdout=writer, stderr=subprocess.PIPE)
                os.close(writer)
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    # What works.
    def test_help(self):
        for command in ["run", "sweep", "validate", "calibrate", "bench", "list", "machine",
                        "schema", "hash"]:
            self.assertIn("usage: futexsim " + command, self.succeeds(command, "--help"))
            self.assertIn("usage: futexsim " + command, self.succeeds(command, "-h"))
        self.assertIn("usage", self.succeeds("--help"))
        self.assertRegex(self.succeeds("--version"), r"^futexsim \d+\.\d+\.\d+")

    def test_hash_spread(self):
        keys = self.file("keys.txt", "0x1000\n1000\n2004\n")
        report = json.loads(self.succeeds("hash", "--keys", keys, "-b", "2", "--format", "json"))
        self.assertGreaterEqual(len(report["hashes"]), 16)
        for row in report["hashes"]:
            self.assertEqual((row["futexes"], row["buckets"]), (3, 2))
            if row["hash"] == "hash_mod":
                self.assertIsNone(row["longest"])
            else:
                self.assertIn((row["longest"], row["empty"]), [(2, 0), (3, 1)])
                self.assertEqual(row["chi_square"], {2: 1 / 3, 3: 3}[row["longest"]])
        table = self.succeeds("hash", "--hash", "hash_long,hash_64", "-t", "2", "-f", "64", "-b", "16")
        self.assertIn("2 threads of 64 futexes each", table)
        self.assertIn("8.0 futexes each on average", table)
        for name in ["hash_long", "hash_64 pi", "hash_64 e", "hash_64 interim-2016"]:
            self.assertRegex(table, r"(?m)^%s +\d" % name)
        self.assertIn("only 4 to 4096 buckets", self.succeeds("hash", "-b", "1"))
        strides = ["--stride", "4096", "--count", "1024", "-b", "256", "--base", "555555560000"]
        rows = self.succeeds("hash", *strides, "--hash", "hash_64_old", "--format", "csv")
        self.assertIn("\nhash_64_old,1024,256,", rows)
        self.assertEqual(rows, self.succeeds("hash", *strides, "--hash=hash_64_old", "--seed", "9",
                                             "--format", "csv"))

    def test_rows(self):
        row = json.loads(self.succeeds("run", POINT, *QUICK, "--format", "json", "--seed", "5"))
        self.assertEqual((row["seed"], row["config"]["seed"]), (5, 5))
        self.assertEqual(row["config"]["policy"], {"name": "private", "buckets": 16})
        self.assertGreater(row["ops_per_sec_per_thread"], 0)
        for format in ["table", "csv", "perf"]:
            self.assertTrue(self.succeeds("run", POINT, *QUICK, "--explain", "--format", format))

    def test_sweep_is_the_same_for_any_number_of_jobs(self):
        one = self.succeeds("sweep", CURVE, *QUICK, "-j", "1")
        self.assertEqual(one, self.succeeds("sweep", CURVE, *QUICK, "-j2"))
        self.assertEqual(self.succeeds("sweep", CURVE, *QUICK, "--output", "out.jsonl"), "")
        self.assertEqual((self.folder / "out.jsonl").read_text(), one)
        buckets = [json.loads(line)["config"]["policy"]["buckets"] for line in one.splitlines()]
        self.assertEqual(buckets, [8192] + [2**i for i in range(1, 15)])

    def test_sleeping_workloads(self):
        for workload, measure in [("wake", "wakeup_ms"), ("wake-parallel", "latency_ms"),
                                  ("requeue", "requeue_ms"), ("lock-pi", "ops_per_sec_per_thread")]:
            with self.subTest(workload=workload):
                config = json.loads((SOURCE / f"configs/experiments/e5-{workload}.json").read_text())
                config = {**config, "workload": {"name": "futex-" + workload, "threads": 5}}
                del config["sweep"]
                path = self.file("config.json", json.dumps(config))
                row = json.loads(self.succeeds("run", path, *QUICK, "--format", "json", "--explain"))
                self.assertGreater(row[measure], 0)
                self.assertEqual("explanation" in row, workload == "lock-pi")
                for format in ["table", "csv", "perf"]:
                    self.assertTrue(self.succeeds("run", path, *QUICK, "--format", format))
        config["sweep"] = {"grid": {"/workload/name": ["futex-wake", "futex-requeue"]}}
        path = self.file("sweep.json", json.dumps(config))
        table = self.succeeds("sweep", path, *QUICK, "--format", "table")
        self.assertIn("wakeup ms", table)
        self.assertIn("requeue ms", table)
        self.refused("run", POINT, "--set", "/workload={\"name\": \"futex-wake\", \"threads\": 2, "
                     "\"processes\": 2}", saying="processes")

    def test_perf_benchmarks(self):
        average = r"\d+\.\d{4} ms \(\+-\d+\.\d\d%\)$"
        for benchmark, run, options in [
            ("wake", "Wokeup 4 of 4 threads in ", ["-w", "2"]),
            ("wake-parallel", r"Avg per-thread latency \(waking 2/4 threads\) in ", ["-w", "2"]),
            ("requeue", "Requeued 4 of 4 threads in ", ["-q", "2"]),
        ]:
            with self.subTest(benchmark=benchmark):
                lines = self.succeeds("bench", "futex", benchmark, "-t4", "-b16", *options,
                                      *QUICK).splitlines()
                self.assertEqual(lines[0], f"# Running 'futex/{benchmark}' benchmark:")
                self.assertRegex(lines[1], r"^Run summary \[PID 1\]: .* 2 at a time\.$")
                self.assertEqual(len(lines), 3 + 10 + 2)  # ten runs
                self.assertRegex(lines[3], rf"^\[Run 1\]: {run}\d+\.\d{{4}} ms")
                self.assertRegex(lines[-2], "^" + run + average)
                self.assertEqual(lines[-1].rstrip(), "Futex hashing: 16 hash buckets")
                silent = self.succeeds("bench", "futex", benchmark, "-t4", "-b16", *options, "-s")
                self.assertEqual(silent.splitlines()[3:], lines[-2:])
        every = self.succeeds("bench", "futex", "all", "--placement", "node0", *QUICK)
        self.assertEqual([line for line in every.splitlines() if line.startswith("#")],
                         [f"# Running futex/{name} benchmark..."
                          for name in ["hash", "wake", "wake-parallel", "requeue", "lock-pi"]])

    def test_perf_options(self):
        lines = self.succeeds("bench", "futex", "hash", "-t4", "-b", "16", "-f", "8", "-r", "3", "-m",
                              "--kernel", "2025-series", *QUICK).splitlines()
        self.assertEqual(lines[0], "# Running 'futex/hash' benchmark:")
        self.assertRegex(lines[1], r"^Run summary \[PID \d+\]: 4 threads, each operating on 8 "
                                   r"\[private\] futexes for 3 secs\.$")
        for i in range(4):
            self.assertRegex(lines[3 + i], r"^\[thread  %d\] futexes: 0x[0-9a-f]+ \.\.\. "
                                           r"0x[0-9a-f]+ \[ \d+ ops/sec \]$" % i)
        self.assertRegex(lines[8], r"^Averaged \d+ operations/sec \(\+- \d+\.\d\d%\), total secs = 3$")
        self.assertEqual(lines[9].rstrip(), "Futex hashing: 16 hash buckets")
        silent = self.succeeds("bench", "futex", "hash", "--threads", "4", "-s", "-b", "-1",
                               "--kernel", "2025-series", *QUICK)
        self.assertEqual(len(silent.splitlines()), 5)
        self.assertTrue(silent.endswith("Futex hashing: auto resized to 16 buckets\n"))

    def test_validate_own_table(self):
        path = self.file("own.csv", (SOURCE / "configs/published/e5-28.csv").read_text()
                         .replace("e5-28", "own"))
        report = json.loads(self.succeeds("validate", "--tables", path, "--format", "json", *QUICK))
        table, = report["tables"]
        self.assertEqual((table["table"], table["role"]), ("own", "predicted"))
        self.assertEqual(len(table["rows"]), 15)
        for row in table["rows"]:
            self.assertAlmostEqual(row["error"], row["simulated"] / row["published"] - 1)

    def test_validate_against_bounds(self):
        text = (SOURCE / "configs/published/e5-28.csv").read_text()
        self.file("t.csv", text)
        bound = {"median": 0, "worst": 10, "reason": "none"}
        self.file("bounds.json", json.dumps({"e5-28": bound}))
        done = self.call("validate", "--tables", ".", *QUICK)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"exceeds its bound", done.stderr)
        self.file("bounds.json", json.dumps({"e5-28": {**bound, "median": 10}}))
        self.succeeds("validate", "--tables", ".", *QUICK)
        self.file("bounds.json", json.dumps({"e5-28": {**bound, "medium": 10}}))
        self.refused("validate", "--tables", ".", saying="bounds.json")
        (self.folder / "bounds.json").unlink()
        os.symlink("bounds.json", self.folder / "bounds.json")
        self.refused("validate", "--tables", ".", saying="bounds.json")

    def test_interrupted_sweep_keeps_what_is_finished(self):
        config = {**json.loads(POINT.read_text()), "precision": 1,
                  "sweep": {"grid": {"/seed": list(range(2000))}}}
        path = self.file("long.json", json.dumps(config))
        for arguments, output in [(["-o", "out.jsonl"], "out.jsonl"), ([], None)]:
            with self.subTest(output=output), open(self.folder / "stdout", "wb") as stdout:
                process = subprocess.Popen([FUTEXSIM, "sweep", path, *arguments], cwd=self.folder,
                                           stdout=stdout, stderr=subprocess.PIPE)
                time.sleep(2)
                process.send_signal(signal.SIGINT)
                if output:  # an impatient user
                    process.send_signal(signal.SIGINT)
                message = process.communicate(timeout=30)[1]
                self.assertRegex(message, rb"^futexsim: interrupted: \d+ of 2000 points kept\n$")
                self.assertEqual(process.returncode, 130)
                lines = (self.folder / (output or "stdout")).read_text().splitlines()
                self.assertGreater(len(lines), 0)
                self.assertLess(len(lines), 2000)
                for line in lines:
                    json.loads(line)
        self.assertEqual([p.name for p in self.folder.glob("*.tmp")], [])

    def test_interrupted_before_the_first_result_keeps_the_old_file(self):
        config = {**json.loads(POINT.read_text()), "precision": 1e-4,
                  "workload": {"name": "futex-hash", "threads": 32, "futexes_per_thread": 1024},
                  "sweep": {"grid": {"/seed": list(range(1000))}}}
        path = self.file("long.json", json.dumps(config))
        old = self.file("out", "old")
        for stop in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
            for arguments in [["sweep", path, "--format", "table"], ["sweep", path],
                              ["validate", "--precision", "0.001"]]:
                with self.subTest(arguments=arguments, stop=stop):
                    process = subprocess.Popen([FUTEXSIM, *arguments, "-o", old], cwd=self.folder,
                                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                    time.sleep(0.6)
                    process.send_signal(stop)
                    start = time.monotonic()
                    message = process.communicate(timeout=30)[1]
                    self.assertLess(time.monotonic() - start, 2)
                    self.assertRegex(message, rb"^futexsim: interrupted: 0 of \d+ points kept\n$")
                    self.assertEqual((process.returncode, old.read_text()), (130, "old"))
        self.assertEqual([p.name for p in self.folder.glob("*.tmp")], [])

    def test_interrupted_calibration_keeps_the_best_so_far(self):
        command = [*self.short_calibration("e5-2650", 30), "-o", "best.json"]
        start = time.monotonic()
        self.call(*command, "--iterations", "1")
        whole = time.monotonic() - start  # of 6 evaluations; the first step has been taken after 3
        os.remove(self.folder / "best.json")
        for part, outcome in [(0.2, "nothing kept"), (0.8, "best numbers so far kept")]:
            with self.subTest(outcome=outcome):
                process = subprocess.Popen([FUTEXSIM, *map(str, command)], cwd=self.folder,
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                time.sleep(part * whole)
                process.send_signal(signal.SIGINT)
                output, message = process.communicate(timeout=30)
                self.assertRegex(message.decode(), r"^futexsim: interrupted in iteration \d+: "
                                                   + outcome + r"\n$")
                self.assertEqual((process.returncode, output), (130, b""))
                kept = self.folder / "best.json"
                self.assertEqual(kept.exists(), outcome != "nothing kept")
        best = json.loads(kept.read_text())["memory"]["same_l3"]
        self.assertGreater(best["value"], 30)
        self.assertNotIn("uncertainty", best)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
