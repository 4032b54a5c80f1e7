"""A loop with gradient accumulation, as a tutorial has it. `--own-profiler` profiles one step by itself."""
import sys

import torch
from own_clock import Mlp, watch

torch.manual_seed(0)
model = Mlp()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)


def forward():
    return model(torch.randn(32, 64)).square().mean()


def step():
    for _ in range(2):
        forward().backward()
    optimizer.step()
    optimizer.zero_grad()


if "--own-profiler" in sys.argv:
    import json

    for _ in range(4):
        step()
    with torch.profiler.profile() as profiler:
        step()
    profiler.export_chrome_trace("own_trace.json")
    with open("own_trace.json", encoding="utf-8") as file:
        names = [each["name"] for each in json.load(file)["traceEvents"] if each.get("cat") == "cpu_op"]
    print(json.dumps({name: names.count(name) for name in names}))
    sys.exit()

watch(model, optimizer)
while True:
    step()
