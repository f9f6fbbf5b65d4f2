"""Reads a folder of sorted lists by docs/page-index/files.md alone, with nothing but Python's own library.

read_folder.py FOLDER prints, as JSON, each list with its entries in order. Bytes are printed as Latin-1.
"""
import functools, json, os, re, struct, sys, zlib

BLOCK, PAYLOAD, NAME_FIELD = 2048, 2044, 34
ALPHABET = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'


class Base:
    def __init__(self, path, number):
        self.number, self.data = number, open(path, 'rb').read()
        head = self.block(0)
        assert head[:8] == b'LAPIBASE' and struct.unpack_from('<I', head, 8)[0] in (1, 2)
        self.key = struct.unpack_from('<II', head, 24)
        self.member_field, self.name_field = struct.unpack_from('<II', head, 32)
        self.entries, self.lists, self.heap_bytes = u48(head, 40), u48(head, 46), u48(head, 52)
        self.order_bytes = 8 + self.member_field
        self.directory_bytes = 14 + self.name_field
        self.order = 1
        self.index = self.order + blocks(self.entries, self.order_bytes)
        self.directory = self.index + blocks(self.entries, 8)
        self.heap = self.directory + blocks(self.lists, self.directory_bytes)
        assert len(self.data) == (self.heap + blocks(self.heap_bytes, 1)) * BLOCK

    @functools.lru_cache(None)
    def block(self, number):
        data = self.data[number * BLOCK:(number + 1) * BLOCK]
        seed = ((self.number * 0x9E3779B1) ^ number) & 0xFFFFFFFF
        assert zlib.crc32(data[:PAYLOAD], seed) == struct.unpack_from('<I', data, PAYLOAD)[0]
        return data

    def record(self, section, size, index):
        block, within = divmod(index, PAYLOAD // size)
        return self.block(section + block)[within * size:(within + 1) * size]

    def field(self, data):
        length = data[0]
        if length == 255:
            at, length = u48(data, 1), struct.unpack_from('<I', data, 7)[0]
            first, last = at // PAYLOAD, (at + length - 1) // PAYLOAD
            held = b''.join(self.block(self.heap + i)[:PAYLOAD] for i in range(first, last + 1))
            return held[at - first * PAYLOAD:][:length]
        if length < len(data):
            return data[1:1 + length]
        bits = int.from_bytes(data[1:1 + (length * 6 + 7) // 8], 'big') >> (-length * 6 % 8)
        return ''.join(ALPHABET[bits >> 6 * (length - 1 - i) & 63] for i in range(length)).encode()

    def entry(self, index):
        data = self.record(self.order, self.order_bytes, index)
        return struct.unpack_from('<d', data)[0], self.field(data[8:])

    def directory_entries(self):
        for i in range(self.lists):
            data = self.record(self.directory, self.directory_bytes, i)
            name = self.field(data[14:])
            assert struct.unpack_from('<I', data)[0] == half_sip_hash(self.key, name)
            yield name, u48(data, 4), struct.unpack_from('<I', data, 10)[0]

    def index_of(self, start, count):
        return [struct.unpack('<II', self.record(self.index, 8, start + i)) for i in range(count)]


def u48(data, at):
    return int.from_bytes(data[at:at + 6], 'little')


def blocks(records, size):
    return -(-records // (PAYLOAD // size))


def half_sip_hash(key, data):
    def turned(x, by):
        return (x << by | x >> 32 - by) & 0xFFFFFFFF

    def round_of(a, b, c, d):
        a = a + b & 0xFFFFFFFF; b = turned(b, 5) ^ a; a = turned(a, 16)
        c = c + d & 0xFFFFFFFF; d = turned(d, 8) ^ c
        a = a + d & 0xFFFFFFFF; d = turned(d, 7) ^ a
        c = c + b & 0xFFFFFFFF; b = turned(b, 13) ^ c; c = turned(c, 16)
        return a, b, c, d

    v = key[0], key[1], key[0] ^ 0x6C796765, key[1] ^ 0x74656462
    whole = len(data) // 4 * 4
    words = [int.from_bytes(data[i:i + 4], 'little') for i in range(0, whole, 4)]
    words.append((len(data) & 255) << 24 | int.from_bytes(data[whole:], 'little'))
    for word in words:
        v = v[0], v[1], v[2], v[3] ^ word
        v = round_of(*round_of(*v))
        v = v[0] ^ word, v[1], v[2], v[3]
    v = v[0], v[1], v[2] ^ 0xFF, v[3]
    for _ in range(4):
        v = round_of(*v)
    return v[1] ^ v[3]


def changes_of(path):
    data = open(path, 'rb').read()
    assert data[:8] == b'LAPIDLOG' and zlib.crc32(data[:28]) == struct.unpack_from('<I', data, 28)[0]
    nonce = before = struct.unpack_from('<I', data, 16)[0]
    at = 32
    while data[at:at + 4] == b'FRAM':
        length, previous, checksum = struct.unpack_from('<III', data, at + 4)
        changes = data[at + 16:at + 16 + length]
        if len(changes) < length or previous != before:
            break
        if zlib.crc32(changes, zlib.crc32(data[at:at + 12], nonce)) != checksum:
            break
        yield from changes_in(changes)
        before, at = checksum, at + 16 + length


def changes_in(data):
    name, at = None, 0
    while at < len(data):
        kind, text = data[at] & 127, None
        at += 1
        if kind != 3:
            length = struct.unpack_from('<H', data, at)[0] + (65536 if data[at - 1] & 128 else 0)
            text, at = data[at + 2:at + 2 + length], at + 2 + length
        if kind == 0:
            name = text
        elif kind == 1:
            yield name, text, struct.unpack_from('<d', data, at)[0]
            at += 8
        else:
            yield name, text, None


def main(folder):
    numbers = {kind: sorted(int(m[1]) for m in map(re.compile(f'{kind}-(\\d{{12}})\\.').match, os.listdir(folder)) if m)
               for kind in ('base', 'log')}
    number = numbers['base'][-1]
    base = Base(os.path.join(folder, f'base-{number:012}.lpb'), number)
    lists = {}
    for name, start, count in base.directory_entries():
        entries = [base.entry(start + rank) for rank in range(count)]
        assert entries == sorted(entries)
        index = base.index_of(start, count)
        assert index == sorted(index, key=lambda record: record[0])
        assert sorted(rank for _, rank in index) == list(range(count))
        assert all(half_sip_hash(base.key, entries[rank][1]) == hashed for hashed, rank in index)
        lists[name] = {member: score for score, member in entries}
    for log in numbers['log']:
        if log < number:
            continue
        for name, member, score in changes_of(os.path.join(folder, f'log-{log:012}.lpl')):
            if member is None:
                lists.pop(name, None)
            elif score is None:
                lists.get(name, {}).pop(member, None)
            else:
                lists.setdefault(name, {})[member] = score
    print(json.dumps({name.decode('latin-1'): [[member.decode('latin-1'), score] for score, member in sorted((s, m) for m, s in entries.items())]
                      for name, entries in lists.items() if entries}))


main(sys.argv[1])
