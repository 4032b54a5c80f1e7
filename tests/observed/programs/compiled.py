"""torch.compile of the model that a module around it calls."""
import torch
from own_clock import Mlp, watch
from torch import nn


class Program(nn.Module):
    def __init__(self):
        super().__init__()
        self.compiled = torch.compile(Mlp())

    def forward(self, x):
        return self.compiled(x)


torch.manual_seed(0)
model = Program()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
watch(model, optimizer)
while True:
    model(torch.randn(32, 64)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
