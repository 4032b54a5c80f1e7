"""Hugging Face's GPT-2, trained by hand."""
import torch
from own_clock import watch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=64, n_head=2, vocab_size=500, n_positions=64))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
watch(model, optimizer)
for iteration in range(600_000):
    batch = torch.randint(0, 500, (2, 64))
    model(batch, labels=batch).loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
