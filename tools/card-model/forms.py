"""Forms by the names that values_mma.cu and values_wgmma.cu print, and the terms of each output element."""
import re
import struct
from inputs import FORMATS, NAMES, ROLE_A, ROLE_B, Source
from product import decode, multiply


class Form:
    def __init__(self, name, folder=".", seed=1):
        self.name, self.seed = name, seed
        words = name.split()
        self.kind, self.sparse, self.words = words[0], ".sp" in words[0], words[2:]
        self.m, self.n, self.k = map(int, re.match(r"m(\d+)n(\d+)k(\d+)", words[1]).groups())
        types = [w for w in self.words if w in FORMATS]
        whole = FORMATS[types[0]].whole
        if types[0] == "f64":
            types = ["f64"] * 3
        elif whole:
            types = [types[0], types[1] if len(types) > 1 else types[0], "s32"]
        elif len(types) == 2:
            types = [types[0], types[0], types[1]]
        if types[0] == "tf32" and "low" in self.words:
            types[:2] = ["tf32_raw"] * 2
        self.a, self.b, self.d = (FORMATS[t] for t in types)
        self.chunk = (2 if self.a.exponent == 8 and self.a.bits == 32 else 4) if self.sparse else 0
        few = self.kind.startswith("wgmma") and (self.n > 8 or "registers" in self.words or "transposed" in self.words)
        self.distributions = ([0, 1] if self.a.bits == 1 else [0, 1, 2] if whole else [0, 1, 2, 6] if few
                              else list(range(8)))
        self.folder = folder
        self.depth = self.k // 2 if self.sparse else self.k

    def outputs(self):
        """{distribution: [tile][row][column]} of the file."""
        size = 8 if self.d.bits == 64 else 4
        data = open(f"{self.folder}/{self.name.replace(' ', '-')}.bin", "rb").read()
        values = struct.unpack(f"<{len(data) // size}{'Q' if size == 8 else 'I'}", data)
        each = len(values) // len(self.distributions)
        self.tiles = each // (self.m * self.n)
        return {d: values[i * each:(i + 1) * each] for i, d in enumerate(self.distributions)}

    def source(self, distribution, tile):
        return Source(distribution, tile, self.depth, self.chunk, self.d.bits == 16, self.seed)

    def column_of(self, s, i, k):
        """The logical column of the stored element k of row i."""
        if not self.sparse:
            return k
        half = self.chunk // 2
        four = s.chunk_metadata(i, k // half)
        if self.chunk == 2:
            return k // half * 2 + (four >> 2 & 1 if four == 0xe else 0)
        return k // half * 4 + (four >> (2 * (k % 2)) & 3)

    def tile(self, distribution, tile):
        """Rows: for each (i, j) the products in stored order, c, and the bits of the operands."""
        s = self.source(distribution, tile)
        a = [[s.operand(self.a, ROLE_A, i, k) for k in range(self.depth)] for i in range(self.m)]
        b = [[s.operand(self.b, ROLE_B, j, k) for k in range(self.k)] for j in range(self.n)]
        minus = ("a" in self.words) + ("b" in self.words) if "minus" in self.words else 0
        alone = "alone" in self.words
        da = [[decode(self.a, v) for v in row] for row in a] if not self.a.whole else a
        db = [[decode(self.b, v) for v in row] for row in b] if not self.a.whole else b
        for i in range(self.m):
            columns = [self.column_of(s, i, k) for k in range(self.depth)]
            row = da[i]
            for j in range(self.n):
                c = None if alone else s.accumulator(self.a, self.b, self.d, i, j)
                if self.a.whole:
                    products = [(row[k], db[j][columns[k]]) for k in range(self.depth)]
                else:
                    products = [multiply(row[k], db[j][columns[k]]) for k in range(self.depth)]
                    if minus:
                        products = [(p[0], p[1] ^ 1, p[2], p[3]) for p in products]
                yield products, c, (a[i], [b[j][k] for k in columns])
