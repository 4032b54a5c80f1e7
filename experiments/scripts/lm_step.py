#!/usr/bin/env python3
"""One step of the language model of sweepd's `lm_step`, in Python: eager, or through torch.compile.

Same sizes, same layers (RMSNorm, rotary embeddings, SwiGLU, untied head, no biases), same phases, fused AdamW. Attention
writes all S x S scores, or with `_sdpa` is torch's scaled_dot_product_attention.
"""

import argparse
import contextlib
import math

import sweepd_metrics as sweepd
import torch_timing

torch = sweepd.require("torch", torch_timing.HOW_TO_GET_TORCH)
F = torch.nn.functional

# d_model, d_ff, layers, heads
SIZES = {
    "tiny": (64, 256, 2, 4),
    "small": (768, 3072, 12, 12),
    "medium": (1024, 4096, 24, 16),
    "large": (1280, 5120, 36, 20),
    "xl": (1600, 6400, 48, 25),
    "2.7B": (2560, 10240, 32, 32),
}
VOCAB = 10_000
NORM_EPS = 1e-5
THETA = 10_000.0


class Attention(torch.nn.Module):
    def __init__(self, d, heads, context, device, sdpa):
        super().__init__()
        self.heads, self.d_head, self.sdpa = heads, d // heads, sdpa
        linear = dict(bias=False, device=device)
        self.q, self.k, self.v, self.out = (torch.nn.Linear(d, d, **linear) for _ in range(4))
        angles = torch.outer(torch.arange(context, dtype=torch.float64),
                             THETA ** (-torch.arange(0, self.d_head, 2, dtype=torch.float64) / self.d_head))
        self.register_buffer("cos", angles.cos().float().to(device), persistent=False)
        self.register_buffer("sin", angles.sin().float().to(device), persistent=False)
        above = torch.ones(context, context, dtype=torch.bool, device=device).triu(1)
        self.register_buffer("above", above, persistent=False)

    def rotate(self, x):  # [B, h, S, d/h]
        even, odd = x.float().unflatten(-1, (-1, 2)).unbind(-1)
        turned = torch.stack((even * self.cos - odd * self.sin, even * self.sin + odd * self.cos), -1)
        return turned.flatten(-2).to(x.dtype)

    def forward(self, x):  # [B, S, d]
        q, k, v = (part.unflatten(-1, (self.heads, self.d_head)).transpose(1, 2)
                   for part in (self.q(x), self.k(x), self.v(x)))
        q, k = self.rotate(q), self.rotate(k)
        if self.sdpa:
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.out(mixed.transpose(1, 2).flatten(-2))
        scores = (q * (1 / math.sqrt(self.d_head))) @ k.transpose(-2, -1)  # [B, h, S, S]
        scores = scores.masked_fill(self.above, float("-inf"))
        mixed = torch.softmax(scores, -1) @ v
        return self.out(mixed.transpose(1, 2).flatten(-2))


class SwiGLU(torch.nn.Module):
    def __init__(self, d, d_ff, device):
        super().__init__()
        self.w1 = torch.nn.Linear(d, d_ff, bias=False, device=device)
        self.w3 = torch.nn.Linear(d, d_ff, bias=False, device=device)
        self.w2 = torch.nn.Linear(d_ff, d, bias=False, device=device)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(torch.nn.Module):
    def __init__(self, d, d_ff, heads, context, device, sdpa):
        super().__init__()
        self.attention_norm = torch.nn.RMSNorm(d, eps=NORM_EPS, device=device)
        self.attention = Attention(d, heads, context, device, sdpa)
        self.ffn_norm = torch.nn.RMSNorm(d, eps=NORM_EPS, device=device)
        self.ffn = SwiGLU(d, d_ff, device)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.ffn(self.ffn_norm(x))


class LanguageModel(torch.nn.Module):
    def __init__(self, size, context, device, sdpa):
        super().__init__()
        d, d_ff, layers, heads = SIZES[size]
        self.embedding = torch.nn.Embedding(VOCAB, d, device=device)
        self.blocks = torch.nn.ModuleList(Block(d, d_ff, heads, context, device, sdpa) for _ in range(layers))
        self.final_norm = torch.nn.RMSNorm(d, eps=NORM_EPS, device=device)
        self.head = torch.nn.Linear(d, VOCAB, bias=False, device=device)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(self.final_norm(x))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="tiny", choices=SIZES)
    parser.add_argument("--context", type=int, default=256)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--precision", default="fp32", choices=["fp32", "tf32", "bf16"])
    parser.add_argument("--mode", default="train_step", choices=["forward", "forward_backward", "train_step"])
    parser.add_argument("--compile", default="eager", choices=["eager", "eager_sdpa", "torch_compile", "torch_compile_sdpa"])
    torch_timing.add_run_arguments(parser)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    device = torch_timing.prepare(torch, arguments)
    compiled = arguments.compile.startswith("torch_compile")
    model = LanguageModel(arguments.model, arguments.context, device, sdpa=arguments.compile.endswith("_sdpa"))
    sweepd.fact("parameters", sum(p.numel() for p in model.parameters()))
    run_model = torch.compile(model) if compiled else model
    sequences = torch.randint(VOCAB, (arguments.batch, arguments.context + 1), device=device)
    tokens, targets = sequences[:, :-1].contiguous(), sequences[:, 1:].flatten()
    optimizer = None
    if arguments.mode == "train_step":
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
    autocast = (torch.autocast(device, dtype=torch.bfloat16, cache_enabled=False)
                if arguments.precision == "bf16" else contextlib.nullcontext())
    last = {}

    def step(phases):
        if arguments.mode == "forward_backward":
            model.zero_grad(set_to_none=True)
        phases.enter("forward")
        with autocast, torch.set_grad_enabled(arguments.mode != "forward"):
            logits = run_model(tokens)
            loss = F.cross_entropy(logits.flatten(0, 1).float(), targets)
        if arguments.mode != "forward":
            phases.enter("backward")
            loss.backward()
        if optimizer:
            phases.enter("optimizer")
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        last["loss"] = loss.detach()

    torch_timing.measure(torch, device, step, arguments.warmup, arguments.steps, compiled=compiled)
    sweepd.fact("final_loss", float(last["loss"]))


if __name__ == "__main__":
    main()
