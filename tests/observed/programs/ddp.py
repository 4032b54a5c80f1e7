"""DistributedDataParallel over Gloo, started once for each rank."""
import torch
from own_clock import Mlp, watch
from torch import distributed
from torch.nn.parallel import DistributedDataParallel

distributed.init_process_group("gloo")
torch.manual_seed(0)
model = DistributedDataParallel(Mlp())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
watch(model.module, optimizer)
while True:
    model(torch.randn(32, 64)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
