"""Two models of one class, each with an optimizer, in one step."""
import torch
from own_clock import Mlp

torch.manual_seed(0)
models = Mlp(), Mlp()
optimizers = [torch.optim.AdamW(each.parameters()) for each in models]
while True:
    batch = torch.randn(32, 64)
    sum(each(batch).square().mean() for each in models).backward()
    for each in optimizers:
        each.step()
        each.zero_grad()
