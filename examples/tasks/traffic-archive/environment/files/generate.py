"""Write /app/traffic.log.gz: a load test that replays four recorded patterns of traffic."""

import random
import zlib

LINES_A_PATTERN = 5_600
REPLAYS = 66
METHODS = ["GET", "GET", "GET", "POST", "PUT"]
STATUSES = [200, 200, 200, 204, 301, 404, 500, 503]
AGENTS = [
    f"Mozilla/5.0 (Linux; Android 14; Pixel {model}) AppleWebKit/537.36 (KHTML, like Gecko) "
    f"Chrome/12{model}.0.0.0 Mobile Safari/537.36"
    for model in range(4, 9)
]

rng = random.Random(443)


def draw(count: int) -> int:
    return int(count * rng.random())


patterns: list[bytes] = []
for pattern in range(4):
    requests = [
        f"10.{pattern}.{draw(4)}.{draw(250)} {METHODS[draw(5)]} /shop/{draw(40)}/view"
        f" {STATUSES[draw(8)]} {200 + draw(90_000)} {draw(2_000)}ms"
        f" https://shop.example.org/campaign/spring/landing?item={draw(40)} {AGENTS[draw(5)]}\n"
        for _ in range(300)
    ]
    text = "".join([requests[draw(300)] for _ in range(LINES_A_PATTERN)])
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)  # 31: a gzip member of its own
    patterns.append(packer.compress(text.encode()) + packer.flush())

with open("traffic.log.gz", "wb") as out:
    out.writelines(patterns[draw(4)] for _ in range(REPLAYS))
