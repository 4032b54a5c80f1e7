"""Fully sharded over Gloo on CPUs, started once for each rank."""
import torch
from own_clock import Mlp, watch
from torch import distributed
from torch.distributed.fsdp import fully_shard

distributed.init_process_group("gloo")
torch.manual_seed(0)
distributed.init_device_mesh("cpu", (distributed.get_world_size(),))
model = fully_shard(Mlp())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
watch(model, optimizer, hooks_of_gradients=False)
while True:
    model(torch.randn(32, 64)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
