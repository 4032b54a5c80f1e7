"""A loop of Accelerate, whose batches come from another process."""
import torch
from accelerate import Accelerator
from frameworks import Classifier, Examples
from own_clock import watch

accelerator = Accelerator(cpu=True)
model = Classifier()
optimizer = torch.optim.AdamW(model.parameters())
watch(model, optimizer)
model, optimizer, batches = accelerator.prepare(model, optimizer, torch.utils.data.DataLoader(Examples(), batch_size=8, num_workers=1))
while True:
    for batch in batches:
        accelerator.backward(model(**batch)["loss"])
        optimizer.step()
        optimizer.zero_grad()
