#!/usr/bin/env python3
"""Attention alone in Python, with the shapes of sweepd's `attention`: written out (naive), through torch.compile
(compiled), torch's own kernel (sdpa), or FlashAttention-2 in Triton (triton), each checked before it is timed."""

import argparse
import math

import sweepd_metrics as sweepd
import torch_timing

torch = sweepd.require("torch", torch_timing.HOW_TO_GET_TORCH)

TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
# Relative to the largest value of the result. They are the rounding error of the type, grown over S
# additions of similar size.
TOLERANCES = {"fp32": 2e-2, "fp16": 2e-2, "bf16": 8e-2}  # fp32 on tensor cores would be TF32


def naive(q, k, v, causal):  # [B, h, S, d]
    scores = (q * (1 / math.sqrt(q.shape[-1]))) @ k.transpose(-2, -1)
    if causal:
        above = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(above, float("-inf"))
    return torch.softmax(scores, -1) @ v


def sdpa(q, k, v, causal):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


def choose(name):
    if name == "naive":
        return naive
    if name == "compiled":
        return torch.compile(naive)
    if name == "sdpa":
        return sdpa
    sweepd.require("triton", "pip install triton")
    import triton_flash

    return triton_flash.attention


def check(function, arguments, device):
    """Against the naive one in float64, forward and gradients, on a corner of the shape."""
    shape = (1, min(2, arguments.heads), min(300, arguments.sequence), arguments.d_head)
    exact = [torch.randn(shape, device=device, dtype=torch.float64, requires_grad=True) for _ in range(3)]
    rounded = [x.detach().to(TYPES[arguments.dtype]).requires_grad_() for x in exact]
    # The reference gets the inputs after rounding.
    for x, r in zip(exact, rounded):
        x.data.copy_(r.data)
    expected, found = naive(*exact, arguments.causal), function(*rounded, arguments.causal)
    pairs = [("output", expected, found)]
    if arguments.mode != "forward":
        expected.sum().backward()
        found.float().sum().backward()
        pairs += [(f"d{name}", x.grad, r.grad) for name, x, r in zip("qkv", exact, rounded)]
    largest = 0.0
    for name, wanted, got in pairs:
        error = (wanted - got.double()).abs().max().item() / max(1.0, wanted.abs().max().item())
        if not error <= TOLERANCES[arguments.dtype]:
            raise SystemExit(f"{arguments.implementation}: {name} is wrong: relative error {error:.3g}")
        largest = max(largest, error)
    sweepd.fact("largest_error", largest)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--implementation", default="naive", choices=["naive", "compiled", "sdpa", "triton"])
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--heads", type=int, default=1)
    parser.add_argument("--sequence", type=int, default=1024)
    parser.add_argument("--d-head", type=int, default=64)
    parser.add_argument("--dtype", default="fp32", choices=TYPES)
    parser.add_argument("--mode", default="both", choices=["forward", "both"])
    parser.add_argument("--causal", default="false", choices=["true", "false"])
    torch_timing.add_run_arguments(parser)
    arguments = parser.parse_args()
    arguments.causal = arguments.causal == "true"
    return arguments


def main():
    arguments = parse_arguments()
    device = torch_timing.prepare(torch, arguments)
    if arguments.implementation == "triton" and device != "cuda":
        sweepd.skip("the Triton kernel needs a GPU: set device=cuda")
    function = choose(arguments.implementation)
    check(function, arguments, device)
    shape = (arguments.batch, arguments.heads, arguments.sequence, arguments.d_head)
    gradients = arguments.mode == "both"
    q, k, v = (torch.randn(shape, device=device, dtype=TYPES[arguments.dtype], requires_grad=gradients)
               for _ in range(3))
    d_out = torch.randn(shape, device=device, dtype=TYPES[arguments.dtype])

    def step(phases):
        for x in (q, k, v):
            x.grad = None
        phases.enter("forward")
        out = function(q, k, v, arguments.causal)
        if gradients:
            phases.enter("backward")
            out.backward(d_out)

    torch_timing.measure(torch, device, step, arguments.warmup, arguments.steps,
                         compiled=arguments.implementation in ("compiled", "triton"))


if __name__ == "__main__":
    main()
