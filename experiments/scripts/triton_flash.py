"""FlashAttention-2 (Dao, arXiv:2307.08691) in Triton: forward with the log-sum-exp saved, backward by recomputation, full
or causal, any sequence length. q, k, v: [B, h, S, d], d a power of two from 16 to 128."""

import math

import torch
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634


@triton.jit
def forward_kernel(q_ptr, k_ptr, v_ptr, o_ptr, lse_ptr, scale, S, D: tl.constexpr, CAUSAL: tl.constexpr,
                   ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    block, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    base = head * S * D
    rows = block * ROWS + tl.arange(0, ROWS)
    d = tl.arange(0, D)
    at_rows = base + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at_rows, mask=rows[:, None] < S, other=0.0)
    largest = tl.full([ROWS], float("-inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    out = tl.zeros([ROWS, D], tl.float32)
    end = S
    if CAUSAL:
        end = min(S, (block + 1) * ROWS)
    for start in range(0, end, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        at_columns = base + columns[:, None] * D + d[None, :]
        k = tl.load(k_ptr + at_columns, mask=columns[:, None] < S, other=0.0)
        v = tl.load(v_ptr + at_columns, mask=columns[:, None] < S, other=0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale  # in units of log2(e)
        seen = columns[None, :] < S
        if CAUSAL:
            seen = seen & (columns[None, :] <= rows[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        new_largest = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - new_largest[:, None])
        shrink = tl.exp2(largest - new_largest)
        total = total * shrink + tl.sum(weights, 1)
        out = out * shrink[:, None] + tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        largest = new_largest
    out = out / total[:, None]
    tl.store(o_ptr + at_rows, out.to(o_ptr.dtype.element_ty), mask=rows[:, None] < S)
    tl.store(lse_ptr + head * S + rows, largest + tl.log2(total), mask=rows < S)


@triton.jit
def key_gradients_kernel(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dk_ptr, dv_ptr, scale, scale_log2, S,
                         D: tl.constexpr, CAUSAL: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    block, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    base = head * S * D
    columns = block * COLUMNS + tl.arange(0, COLUMNS)
    d = tl.arange(0, D)
    at_columns = base + columns[:, None] * D + d[None, :]
    k = tl.load(k_ptr + at_columns, mask=columns[:, None] < S, other=0.0)
    v = tl.load(v_ptr + at_columns, mask=columns[:, None] < S, other=0.0)
    dk = tl.zeros([COLUMNS, D], tl.float32)
    dv = tl.zeros([COLUMNS, D], tl.float32)
    begin = 0
    if CAUSAL:
        begin = (block * COLUMNS // ROWS) * ROWS
    for start in range(begin, S, ROWS):
        rows = start + tl.arange(0, ROWS)
        inside = rows < S
        at_rows = base + rows[:, None] * D + d[None, :]
        q = tl.load(q_ptr + at_rows, mask=inside[:, None], other=0.0)
        do = tl.load(do_ptr + at_rows, mask=inside[:, None], other=0.0)
        lse = tl.load(lse_ptr + head * S + rows, mask=inside, other=0.0)
        delta = tl.load(delta_ptr + head * S + rows, mask=inside, other=0.0)
        seen = inside[:, None] & (columns[None, :] < S)
        if CAUSAL:
            seen = seen & (columns[None, :] <= rows[:, None])
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale_log2
        weights = tl.where(seen, tl.exp2(scores - lse[:, None]), 0.0)
        dv += tl.dot(tl.trans(weights).to(do.dtype), do, input_precision="ieee")
        d_weights = tl.dot(do, tl.trans(v), input_precision="ieee")
        d_scores = weights * (d_weights - delta[:, None])
        dk += tl.dot(tl.trans(d_scores).to(q.dtype), q, input_precision="ieee")
    tl.store(dk_ptr + at_columns, (dk * scale).to(dk_ptr.dtype.element_ty), mask=columns[:, None] < S)
    tl.store(dv_ptr + at_columns, dv.to(dv_ptr.dtype.element_ty), mask=columns[:, None] < S)


@triton.jit
def query_gradients_kernel(q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, dq_ptr, scale, scale_log2, S,
                           D: tl.constexpr, CAUSAL: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    block, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    base = head * S * D
    rows = block * ROWS + tl.arange(0, ROWS)
    inside = rows < S
    d = tl.arange(0, D)
    at_rows = base + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + at_rows, mask=inside[:, None], other=0.0)
    do = tl.load(do_ptr + at_rows, mask=inside[:, None], other=0.0)
    lse = tl.load(lse_ptr + head * S + rows, mask=inside, other=0.0)
    delta = tl.load(delta_ptr + head * S + rows, mask=inside, other=0.0)
    dq = tl.zeros([ROWS, D], tl.float32)
    end = S
    if CAUSAL:
        end = min(S, (block + 1) * ROWS)
    for start in range(0, end, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        at_columns = base + columns[:, None] * D + d[None, :]
        k = tl.load(k_ptr + at_columns, mask=columns[:, None] < S, other=0.0)
        v = tl.load(v_ptr + at_columns, mask=columns[:, None] < S, other=0.0)
        seen = inside[:, None] & (columns[None, :] < S)
        if CAUSAL:
            seen = seen & (columns[None, :] <= rows[:, None])
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale_log2
        weights = tl.where(seen, tl.exp2(scores - lse[:, None]), 0.0)
        d_weights = tl.dot(do, tl.trans(v), input_precision="ieee")
        d_scores = weights * (d_weights - delta[:, None])
        dq += tl.dot(d_scores.to(k.dtype), k, input_precision="ieee")
    tl.store(dq_ptr + at_rows, (dq * scale).to(dq_ptr.dtype.element_ty), mask=inside[:, None])


def tile(d_head, element_bytes):
    """Rows and columns that leave shared memory for the pipeline at d 128 in fp32 too."""
    rows = 32 if d_head * element_bytes > 256 else 64
    return dict(ROWS=rows, COLUMNS=rows, num_warps=4, num_stages=2)


class Flash(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, causal):
        q, k, v = (x.contiguous() for x in (q, k, v))
        batch, heads, S, d = q.shape
        out = torch.empty_like(q)
        lse = torch.empty(batch, heads, S, device=q.device, dtype=torch.float32)
        options = tile(d, q.element_size())
        grid = (triton.cdiv(S, options["ROWS"]), batch * heads)
        forward_kernel[grid](q, k, v, out, lse, LOG2_E / math.sqrt(d), S, D=d, CAUSAL=causal, **options)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.causal = causal
        return out

    @staticmethod
    def backward(ctx, do):
        q, k, v, out, lse = ctx.saved_tensors
        batch, heads, S, d = q.shape
        do = do.contiguous()
        delta = (do.float() * out.float()).sum(-1)
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        options = tile(d, q.element_size())
        grid = (triton.cdiv(S, options["ROWS"]), batch * heads)
        scale = 1 / math.sqrt(d)
        shared = dict(D=d, CAUSAL=ctx.causal, **options)
        key_gradients_kernel[grid](q, k, v, do, lse, delta, dk, dv, scale, scale * LOG2_E, S, **shared)
        query_gradients_kernel[grid](q, k, v, do, lse, delta, dq, scale, scale * LOG2_E, S, **shared)
        return dq, dk, dv, None


def attention(q, k, v, causal):
    return Flash.apply(q, k, v, causal)
