"""Blocks whose activations are computed again in the backward with CHECKPOINT=1, by both of PyTorch's ways; attention keeps no scores."""
import os

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(64, 192), nn.Linear(64, 64)

    def forward(self, x):
        query, key, value = self.qkv(x).chunk(3, dim=-1)
        return x + self.out(nn.functional.scaled_dot_product_attention(query, key, value)).relu()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), Block()

    def forward(self, x):
        if os.environ.get("CHECKPOINT") != "1":
            return self.second(self.first(x))
        return checkpoint(self.second, checkpoint(self.first, x, use_reentrant=False), use_reentrant=True)


model = Model()
optimizer = torch.optim.AdamW(model.parameters())
while True:
    model(torch.randn(4, 2, 32, 64)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
