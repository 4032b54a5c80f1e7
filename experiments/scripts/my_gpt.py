"""A small GPT in plain PyTorch. It knows nothing of sweepd: experiments/command/my_model.yaml measures it as it is."""

import argparse
import time

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY = 1000


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.ffn = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, context, width = x.shape
        with torch.profiler.record_function("attention"):
            q, k, v = self.qkv(self.norm1(x)).view(batch, context, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(batch, context, width))
        with torch.profiler.record_function("ffn"):
            return x + self.ffn(self.norm2(x))


class GPT(nn.Module):
    def __init__(self, width=128, layers=4, heads=4):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens):
        return self.head(self.blocks(self.embedding(tokens)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--context", type=int, default=128)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--precision", choices=("fp32", "bf16"), default="fp32")
    parser.add_argument("--compile", choices=("true", "false"), default="false")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    torch.manual_seed(0)
    model = GPT().to(args.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    run = torch.compile(model) if args.compile == "true" else model
    for iteration in range(600_000):
        begin = time.perf_counter()
        tokens = torch.randint(0, VOCABULARY, (args.batch, args.context + 1), device=args.device)
        with torch.autocast(args.device, dtype=torch.bfloat16, enabled=args.precision == "bf16"):
            logits = run(tokens[:, :-1])
            loss = F.cross_entropy(logits.reshape(-1, VOCABULARY), tokens[:, 1:].reshape(-1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        print(f"iteration {iteration}: loss {loss.item():.4f}, {(time.perf_counter() - begin) * 1e3:.2f} ms", flush=True)


if __name__ == "__main__":
    main()
