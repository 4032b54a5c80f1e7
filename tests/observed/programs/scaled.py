"""A GradScaler that scales."""
import torch
from own_clock import Mlp, watch

torch.manual_seed(0)
model = Mlp()
optimizer = torch.optim.Adam(model.parameters())
scaler = torch.amp.GradScaler("cpu")
watch(model, optimizer)
while True:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = model(torch.randn(32, 64)).square().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
