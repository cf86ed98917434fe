# sdbench: measures how fast this board reads and writes this SD card from Python, and prints CSV
# that `sdsim compare --measurements` and `sdsim calibrate` read. For CircuitPython and
# MicroPython.
#
# Copy this file to the board, mount the card (at /sd, say), and in the REPL, whose output is
# saved:
#
#     import sdbench
#     sdbench.run("/sd", card="SanDisk Ultra 32GB", bus="spi", clock_requested_hz=24000000)
#
# What else can be told stands in SETTINGS; None or "" is unknown. Every call is timed by itself,
# in calls of 512, 4096, 16384 and 32768 bytes as far as memory goes: writes into a fresh file,
# then reads it back. Then 64 reads of 4096 bytes at random places (seek and read are one call),
# and 64 writes of 512 bytes into a fresh file, each with a flush, which on these boards reaches
# the card. Each of the up to ten runs ends after run_ms, so all of them take at most 40 seconds,
# a few pauses of the card, and what Python needs in between. Opening and closing a file are not
# timed, nor is garbage collection between calls.
#
# The output starts with `# sdbench 1` and a header, and ends with `# end`; lines with `#` are
# comments. The file SDBENCH.BIN is made and deleted again. One that is on the card already is
# left alone, and nothing is measured, unless it is empty or starts with the mark of an earlier
# run that was cut off.
#
# Limits. The time of a call includes the call from Python. The clock of CircuitPython has steps
# of about 31 us; a call shorter than a step counts as one (assumption timer_step_s). The data is
# checked at each 4096th byte only. It also runs under CPython (python3 sdbench.py FOLDER), for
# tests: the numbers are those of the page cache.

import gc
import os
import struct
import sys
import time

SETTINGS = {
    "card": "",  # as printed on it
    "card_class": "",  # a card of `sdsim list card`
    "host": None,  # a host of `sdsim list host`; None: find out
    "cpu_hz": None,  # None: find out
    "driver": None,  # "circuitpython-sdcardio", "circuitpython-sdioio", "micropython-sdcard", ...
    "bus": "",  # "spi", "sd1" or "sd4"
    "clock_requested_hz": None,
    "clock_hz": None,  # what it really is, by an oscilloscope or a divider you know
    "fs": "",  # "fat32", "exfat", ...
    "cluster_bytes": None,  # None: ask the file system
    "group": None,  # a name for this set-up; None: host/driver/bus/card
    "id": "sdbench",  # what the ids of the rows start with
    "assumptions": "",  # more of them, such as "state=new"
    "file_bytes": 4194304,  # most bytes a file grows to
    "run_ms": 4000,  # longest time of one run
    "buffer": 32768,  # largest call; less is taken where memory is short
}

HEADER = (
    "id,group,host,cpu_hz,bus,clock_requested_hz,clock_hz,driver,api,card,card_class,fs,"
    "cluster_bytes,op,chunk_bytes,total_bytes,sync_per_write,metric,value,assumptions"
)
NAME = "SDBENCH.BIN"
MARK = b"sdbench\n"
MARK_STEP = 4096  # bytes from one mark in the file to the next
IMPLEMENTATION = sys.implementation.name  # "circuitpython", "micropython", "cpython"


class Problem(Exception):
    pass


# ---- the clock: now() and nanoseconds(later, earlier) ----

if hasattr(time, "ticks_us"):  # MicroPython: a count that wraps
    now = time.ticks_us

    def nanoseconds(later, earlier):
        return time.ticks_diff(later, earlier) * 1000

else:
    now = time.perf_counter_ns if hasattr(time, "perf_counter_ns") else time.monotonic_ns

    def nanoseconds(later, earlier):
        return later - earlier


def clock_step():
    shortest = 0
    for _ in range(8):
        start = now()
        step = 0
        looks = 0
        while step == 0 and looks < 100000:
            step = nanoseconds(now(), start)
            looks += 1
        if step == 0:
            raise Problem("the clock stands still")
        if shortest == 0 or step < shortest:
            shortest = step
    return shortest


# ---- what can be found out ----

HOSTS = (
    ("rp2350", "rp2350"),
    ("rp2040", "rp2040"),
    ("esp32s2", "esp32s2"),
    ("esp32-s2", "esp32s2"),
    ("esp32s3", "esp32s3"),
    ("esp32-s3", "esp32s3"),
    ("esp32c3", "esp32c3"),
    ("esp32-c3", "esp32c3"),
    ("esp32c6", "esp32c6"),
    ("esp32-c6", "esp32c6"),
    ("esp32p4", "esp32p4"),
    ("esp32-p4", "esp32p4"),
    ("esp32", "esp32"),
    ("samd51", "samd51"),
    ("same51", "samd51"),
    ("samd21", "samd21"),
    ("nrf52840", "nrf52840"),
    ("imxrt1062", "imxrt1062"),
    ("stm32f1", "stm32f1"),
    ("stm32f4", "stm32f4"),
    ("stm32f7", "stm32f7"),
    ("stm32h7", "stm32h7"),
    ("stm32l4", "stm32l4"),
)


def find_host():
    if IMPLEMENTATION == "cpython":
        return ""
    # "Raspberry Pi Pico with rp2040", "Adafruit Metro RP2350 with rp2350b"
    words = [sys.platform, getattr(sys.implementation, "_machine", "")]
    if hasattr(os, "uname"):
        words.append(os.uname().machine)
    words = " ".join(words).lower()
    words = words[words.find(" with ") + 1 :]  # the name of a board may hold that of another chip
    for part, host in HOSTS:
        if part in words:
            return host
    return ""


def find_cpu_hz():
    try:
        if IMPLEMENTATION == "circuitpython":
            import microcontroller

            return microcontroller.cpu.frequency
        if IMPLEMENTATION == "micropython":
            import machine

            hertz = machine.freq()
            return hertz[0] if isinstance(hertz, tuple) else hertz
    except (ImportError, AttributeError):
        pass
    return None


def find_driver():
    # sdcardio, sdioio and machine.SDCard are part of the firmware; which is used, nobody can tell.
    for module, driver in (
        ("sdcard", "micropython-sdcard"),
        ("adafruit_sdcard", "circuitpython-adafruit-sdcard"),
    ):
        if IMPLEMENTATION != "cpython" and module in sys.modules:
            return driver
    return ""


def find_cluster_bytes(folder):
    if IMPLEMENTATION != "cpython" and hasattr(os, "statvfs"):
        return os.statvfs(folder)[0]
    return None


def find_api():
    return "posix" if IMPLEMENTATION == "cpython" else IMPLEMENTATION


# ---- files ----


def open_file(path, mode):
    if IMPLEMENTATION == "cpython":
        return open(path, mode, 0)  # each call to the system, as on the boards
    return open(path, mode)


def sync(file):
    file.flush()
    if IMPLEMENTATION == "cpython":
        os.fsync(file.fileno())


def exists(path):
    try:
        os.stat(path)
    except OSError:
        return False
    return True


def may_take(path):
    """Whether there is no such file, or one that this program left behind."""
    if not exists(path):
        return True
    with open_file(path, "rb") as file:
        start = file.read(len(MARK))
    return len(start) == 0 or start == MARK


# ---- one run ----


class Run:
    def __init__(self, op, chunk, wanted, synced=False, file_bytes=0):
        self.op = op
        self.chunk = chunk
        self.wanted = wanted
        self.synced = synced
        self.file_bytes = file_bytes
        self.calls = 0
        self.sum_ns = 0
        self.min_ns = 0
        self.max_ns = 0

    def book(self, took_ns):
        if self.calls == 0 or took_ns < self.min_ns:
            self.min_ns = took_ns
        if took_ns > self.max_ns:
            self.max_ns = took_ns
        self.sum_ns += took_ns
        self.calls += 1


def mark(buffer, position, size):
    if position % MARK_STEP == 0:
        for at in range(0, size, MARK_STEP):
            struct.pack_into("<8sI", buffer, at, MARK, position + at)


def check_marks(buffer, position, size):
    if position % MARK_STEP == 0:
        for at in range(0, size, MARK_STEP):
            if struct.unpack_from("<8sI", buffer, at) != (MARK, position + at):
                raise Problem("what was read is not what was written")


def timed_write(file, view, synced):
    start = now()
    done = file.write(view)
    if synced:
        sync(file)
    return nanoseconds(now(), start), done


def timed_read(file, view, position):
    start = now()
    if position is not None:
        file.seek(position)
    done = file.readinto(view)
    return nanoseconds(now(), start), done


def measure(run, file, buffer, step_ns, run_ms):
    view = memoryview(buffer)[: run.chunk]
    state = 1
    begin = now()
    gc.collect()
    while run.calls < run.wanted and nanoseconds(now(), begin) < run_ms * 1000000:
        position = run.calls * run.chunk
        if run.calls % 64 == 63:
            gc.collect()  # here, so that it isn't in a call
        if run.op == "write":
            mark(buffer, position, run.chunk)
            took_ns, done = timed_write(file, view, run.synced)
        else:
            buffer[0] = 0  # no mark of the last call must be taken for one read
            if run.op == "random-read":
                state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
                position = (state >> 8) % (run.file_bytes // MARK_STEP) * MARK_STEP
                took_ns, done = timed_read(file, view, position)
            else:
                took_ns, done = timed_read(file, view, None)
        if done != run.chunk:
            raise Problem("a %s of %d bytes did %s" % (run.op, run.chunk, done))
        run.book(max(took_ns, step_ns))
        if run.op != "write":
            check_marks(buffer, position, run.chunk)


# ---- printing ----


def plain(text):
    """A text of the user, which must not break the row."""
    return "".join([" " if c in ',"' or ord(c) < 32 else c for c in str(text)])


def known(number):
    return str(number) if number else ""


def seconds(nanoseconds_):
    return "%d.%09d" % (nanoseconds_ // 1000000000, nanoseconds_ % 1000000000)


def assumptions_of(run, settings, step_ns):
    words = ["first_call=included", "timer_step_s=" + seconds(step_ns)]
    if not settings["clock_requested_hz"] and not settings["clock_hz"]:
        words.append("clock=not-stated")
    if run.op == "random-read":
        words.append("order=random")
        words.append("file_bytes=%d" % run.file_bytes)
    if settings["assumptions"]:
        words.append(plain(settings["assumptions"]))
    return ";".join(words)


def print_rows(run, settings, step_ns):
    total = run.calls * run.chunk
    rows = (
        ("throughput_Bps", str(total * 1000000000 // run.sum_ns)),
        ("latency_mean_s", seconds(run.sum_ns // run.calls)),
        ("latency_min_s", seconds(run.min_ns)),
        ("latency_max_s", seconds(run.max_ns)),
    )
    what = run.op + ("-synced" if run.synced else "")
    name = "%s-%s-%d" % (plain(settings["id"]), what, run.chunk)
    for metric, value in rows:
        fields = [name + "-" + metric]
        for key in ("group", "host"):
            fields.append(plain(settings[key]))
        fields.append(known(settings["cpu_hz"]))
        fields.append(plain(settings["bus"]))
        fields.append(known(settings["clock_requested_hz"]))
        fields.append(known(settings["clock_hz"]))
        fields.append(plain(settings["driver"]))
        fields.append(find_api())
        for key in ("card", "card_class", "fs"):
            fields.append(plain(settings[key]))
        fields.append(known(settings["cluster_bytes"]))
        fields.append(run.op)
        fields.append(str(run.chunk))
        fields.append(str(total))
        fields.append(("true" if run.synced else "false") if run.op == "write" else "")
        fields.append(metric)
        fields.append(value)
        fields.append(assumptions_of(run, settings, step_ns))
        print(",".join(fields))


# ---- all runs ----


def get_buffer(most):
    for size in (32768, 16384, 4096, 512):
        if size <= most:
            gc.collect()
            try:
                return bytearray(size)
            except MemoryError:
                pass
    raise Problem("no memory for a buffer of 512 bytes")


def run_file(run, path, buffer, step_ns, settings):
    if run.op == "write" and exists(path):
        os.remove(path)
    with open_file(path, "wb" if run.op == "write" else "rb") as file:
        measure(run, file, buffer, step_ns, settings["run_ms"])
    if run.calls > 0:
        print_rows(run, settings, step_ns)


def run_all(path, settings, step_ns):
    buffer = get_buffer(settings["buffer"])
    for i in range(0, len(buffer), 256):
        buffer[i : i + 256] = bytes(range(256))
    file_bytes = 0
    for chunk in (512, 4096, 16384, 32768):
        if chunk <= len(buffer):
            run = Run("write", chunk, settings["file_bytes"] // chunk)
            run_file(run, path, buffer, step_ns, settings)
            file_bytes = run.calls * chunk
            run_file(Run("read", chunk, run.calls), path, buffer, step_ns, settings)
    if file_bytes >= MARK_STEP:
        run = Run("random-read", min(4096, len(buffer)), 64, False, file_bytes)
        run_file(run, path, buffer, step_ns, settings)
    run_file(Run("write", 512, 64, True), path, buffer, step_ns, settings)


def complete(settings, folder):
    """Fills in what the user didn't say and can be found out."""
    finders = (
        ("host", find_host),
        ("cpu_hz", find_cpu_hz),
        ("driver", find_driver),
        ("cluster_bytes", lambda: find_cluster_bytes(folder)),
    )
    for key, find in finders:
        if settings[key] is None:
            settings[key] = find()
    if settings["group"] is None:
        words = [settings[key] for key in ("host", "driver", "bus", "card")]
        settings["group"] = "/".join(words)


def run(folder="/sd", **settings):
    """Runs the whole benchmark in a folder of the card. True if it worked; prints what didn't."""
    for key in settings:
        if key not in SETTINGS:
            raise ValueError("no such setting: " + key)
    merged = dict(SETTINGS)
    merged.update(settings)
    path = folder + "/" + NAME
    worked = False
    ours = False
    print("\n# sdbench 1")
    print("# makes %s, deletes it again, takes up to %d s" % (path, merged["run_ms"] // 100))
    print(HEADER)
    try:
        step_ns = clock_step()
        ours = may_take(path)
        if not ours:
            raise Problem(path + " is not of this program; rename it")
        complete(merged, folder)
        run_all(path, merged, step_ns)
        worked = True
    except (Problem, OSError) as problem:
        print("# error:", problem)
    try:
        if ours and exists(path):
            os.remove(path)
    except OSError as problem:
        print("# error: can't delete %s: %s" % (path, problem))
        worked = False
    print("# end")
    return worked


if __name__ == "__main__":
    arguments = getattr(sys, "argv", [])
    if not run(*arguments[1:2]):
        sys.exit(1)
