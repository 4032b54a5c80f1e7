"""Two optimizers of one step."""
import torch
from own_clock import Mlp, watch

torch.manual_seed(0)
model = Mlp()
first = torch.optim.Adam(model.first.parameters())
second = torch.optim.SGD(model.second.parameters(), lr=1e-3, momentum=0.9)
watch(model, first, second)
while True:
    model(torch.randn(32, 64)).square().mean().backward()
    first.step()
    second.step()
    first.zero_grad()
    second.zero_grad()
