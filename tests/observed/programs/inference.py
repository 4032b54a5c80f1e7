"""Generates tokens one after the other, without an optimizer or a backward."""
import torch
from own_clock import Mlp

model = Mlp().eval()


@torch.no_grad()
def generate(x):
    for _ in range(3):
        x = x + model(x).sum()
    return x


while True:
    generate(torch.randn(8, 64))
