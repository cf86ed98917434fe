"""The library from another language: a card initialised and read over SPI through ctypes.

    python3 slot.py LIBRARY PROFILE_FOLDER

Says "ok" at the end; anything else is a traceback.
"""
import ctypes
import sys
from ctypes import c_char_p, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

SPAN_FUNCTION = ctypes.CFUNCTYPE(None, c_void_p, c_uint32, c_uint32, c_uint64, c_uint64, c_uint32)

FUNCTIONS = {
    "sdsim_version": (c_char_p, []),
    "sdsim_abi_version": (c_uint32, []),
    "sdsim_result_text": (c_char_p, [c_int32]),
    "sdsim_slot_create": (c_void_p, []),
    "sdsim_slot_destroy": (None, [c_void_p]),
    "sdsim_slot_error": (c_char_p, [c_void_p]),
    "sdsim_slot_set_data_dir": (c_int32, [c_void_p, c_char_p]),
    "sdsim_slot_insert": (c_int32, [c_void_p, c_char_p, c_uint64, c_uint32]),
    "sdsim_slot_insert_text": (
        c_int32, [c_void_p, c_char_p, c_char_p, c_size_t, c_uint64, c_uint32]),
    "sdsim_slot_sectors": (c_uint32, [c_void_p]),
    "sdsim_slot_write_sectors": (c_int32, [c_void_p, c_uint32, c_uint32, c_char_p]),
    "sdsim_slot_set_clock": (c_int32, [c_void_p, c_uint32, c_uint32]),
    "sdsim_slot_now": (c_uint64, [c_void_p]),
    "sdsim_slot_select": (c_int32, [c_void_p, c_int32]),
    "sdsim_slot_exchange": (c_int32, [c_void_p, c_char_p, ctypes.POINTER(c_uint8), c_size_t]),
    "sdsim_slot_set_timeline": (c_int32, [c_void_p, SPAN_FUNCTION, c_void_p]),
    "sdsim_span_name": (c_char_p, [c_uint32]),
}


def load(path):
    library = ctypes.CDLL(path)
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


class Card:
    def __init__(self, library, profile, data_dir):
        self.library = library
        self.slot = library.sdsim_slot_create()
        library.sdsim_slot_set_data_dir(self.slot, data_dir)
        self.check(library.sdsim_slot_insert(self.slot, profile, 1, 0))

    def check(self, result):
        if result != 0:
            raise RuntimeError(self.library.sdsim_slot_error(self.slot).decode())

    def exchange(self, out):
        got = (c_uint8 * len(out))()
        self.check(self.library.sdsim_slot_exchange(self.slot, bytes(out), got, len(out)))
        return bytes(got)

    def command(self, index, argument, crc=0xFF, extra=0):
        """R1 and the `extra` bytes behind it."""
        self.exchange([0xFF, 0x40 | index, *argument.to_bytes(4, "big"), crc])
        for _ in range(9):
            r1 = self.exchange([0xFF])
            if r1 != b"\xff":
                return r1 + self.exchange([0xFF] * extra)
        raise RuntimeError("no response")

    def read(self, lba):
        assert self.command(17, lba) == b"\x00"
        while True:
            token = self.exchange([0xFF])
            if token != b"\xff":
                assert token == b"\xfe"
                return self.exchange([0xFF] * 514)[:512]


def main():
    library = load(sys.argv[1])
    assert library.sdsim_version().count(b".") == 2
    assert library.sdsim_abi_version() == 0
    assert library.sdsim_result_text(-2) == b"out of memory"

    card = Card(library, b"sdhc32g-a1", sys.argv[2].encode())
    assert library.sdsim_slot_sectors(card.slot) == 57983 * 1024
    text = b"kind: card\nrd1: 5\n"
    assert library.sdsim_slot_insert_text(card.slot, b"mine.yaml", text, len(text), 1, 0) == -3
    assert b"mine.yaml:2:6: error: " in library.sdsim_slot_error(card.slot)

    kinds = []
    listener = SPAN_FUNCTION(lambda context, track, kind, start, duration, detail:
                             kinds.append(library.sdsim_span_name(kind)))
    card.check(library.sdsim_slot_set_timeline(card.slot, listener, None))

    written = bytes(range(256)) * 2
    card.check(library.sdsim_slot_write_sectors(card.slot, 77, 1, written))
    card.exchange([0xFF] * 100)
    library.sdsim_slot_select(card.slot, 1)
    assert card.command(0, 0, 0x95) == b"\x01"
    assert card.command(8, 0x1AA, 0x87, 4) == b"\x01\x00\x00\x01\xaa"
    while card.command(55, 0) and card.command(41, 0x40000000) != b"\x00":
        pass
    card.check(library.sdsim_slot_set_clock(card.slot, 80000000, 4))
    start = library.sdsim_slot_now(card.slot)
    assert card.read(77) == written
    # 243 us of access and 515 bytes at 20 MHz, and less than 20 bytes around them
    assert 0 < library.sdsim_slot_now(card.slot) - start - (243 + 206) * 10**6 < 8 * 10**6
    library.sdsim_slot_destroy(card.slot)
    assert {b"clocks", b"command", b"response", b"access", b"wait", b"read"} <= set(kinds)
    print("ok")


main()
