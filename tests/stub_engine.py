"""A program that speaks just enough of the engine protocol to play; its argument names the way it fails, if any.

It takes the first good of the market while its hand has room, else sells the first good that it may sell.
"""

import json
import sys
import time
from typing import Any

FEWEST = {"diamond": 2, "gold": 2, "silver": 2, "cloth": 1, "spice": 1, "leather": 1}


def move(position: dict[str, Any]) -> str:
    hand = position["me"]["hand"]
    if sum(hand.values()) < 7:
        good = next(iter(position["market"]))
        return "take camels" if good == "camel" else f"take {good}"
    return next(f"sell {count} {good}" for good, count in hand.items() if count >= FEWEST[good])


def answer(request: dict[str, Any], fault: str) -> str:
    if request["do"] != "best":
        return json.dumps({"id": request["id"], "error": {"code": "request"}})
    assert request["iterations"] == 5
    if fault == "die":
        sys.exit("out of camels")
    if fault == "hang":
        time.sleep(60)
    replies = {"garbage": "camel", "silent": "{}", "illegal": '{"move": "sell 6 diamond"}'}
    return replies.get(fault, json.dumps({"id": request["id"], "move": move(request["position"])}))


if __name__ == "__main__":
    for line in sys.stdin:
        print(answer(json.loads(line), sys.argv[1]), flush=True)
