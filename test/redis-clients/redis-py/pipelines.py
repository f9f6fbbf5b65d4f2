"""Pipelines of redis-py, which send MULTI unless they are told otherwise: pipelines.py PORT"""
import sys
import threading

import redis

client = redis.Redis(port=int(sys.argv[1]), decode_responses=True)
print(f"redis-py {redis.__version__}")


def check(what, found, expected):
    print(f"{'ok' if found == expected else 'FAILS'}: {what}" + ("" if found == expected else f": {found!r}"))


client.flushall()
pipeline = client.pipeline()
for i in range(100):
    pipeline.zadd("k", {f"m{i}": i})
pipeline.zcard("k")
check("a default pipeline", pipeline.execute(), [1] * 100 + [100])

pipeline = client.pipeline().zadd("k", {"refused": 1}).set("k", "v")
try:
    pipeline.execute()
    check("a refused pipeline raises", False, True)
except redis.ResponseError:
    check("a refused pipeline writes nothing", client.zscore("k", "refused"), None)

pipeline = client.pipeline(transaction=False).zadd("k", {"plain": 1}).zscore("k", "plain")
check("a pipeline without MULTI", pipeline.execute(), [1, 1.0])

pipeline = client.pipeline()
pipeline.watch("k")
client.zadd("k", {"between": 1})
pipeline.multi()
pipeline.zadd("k", {"lost": 1})
try:
    pipeline.execute()
    check("WATCH sees a change", False, True)
except redis.WatchError:
    check("WATCH sees a change", client.zscore("k", "lost"), None)

threading.Timer(0.1, lambda: redis.Redis(port=int(sys.argv[1])).zadd("queue", {"job": 1})).start()
check("a client waits for an entry", client.bzpopmin("queue", timeout=5), ("queue", "job", 1.0))
