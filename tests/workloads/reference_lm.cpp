#include "tests/workloads/reference_lm.h"

#include <cmath>

namespace sweepd::reference {
namespace {

constexpr double kEps = 1e-5;
constexpr double kTheta = 10000;

// y[t, o] = sum_i x[t, i] w[o, i]
Vector linear(const Vector& x, const Vector& w, int rows, int in, int out) {
  Vector y(static_cast<std::size_t>(rows) * out);
  for (int t = 0; t < rows; ++t)
    for (int o = 0; o < out; ++o) {
      double sum = 0;
      for (int i = 0; i < in; ++i) sum += x[t * in + i] * w[o * in + i];
      y[t * out + o] = sum;
    }
  return y;
}

// Adds to dw; returns dx.
Vector linear_backward(const Vector& dy, const Vector& x, const Vector& w, Vector& dw, int rows,
                       int in, int out) {
  Vector dx(static_cast<std::size_t>(rows) * in);
  for (int t = 0; t < rows; ++t)
    for (int o = 0; o < out; ++o)
      for (int i = 0; i < in; ++i) {
        dx[t * in + i] += dy[t * out + o] * w[o * in + i];
        dw[o * in + i] += dy[t * out + o] * x[t * in + i];
      }
  return dx;
}

// y = x / rms(x) * w, rms^2 = mean(x^2) + eps
Vector norm(const Vector& x, const Vector& w, int rows, int d) {
  Vector y(x.size());
  for (int t = 0; t < rows; ++t) {
    double squares = 0;
    for (int i = 0; i < d; ++i) squares += x[t * d + i] * x[t * d + i];
    const double inverse = 1 / std::sqrt(squares / d + kEps);
    for (int i = 0; i < d; ++i) y[t * d + i] = x[t * d + i] * inverse * w[i];
  }
  return y;
}

Vector norm_backward(const Vector& dy, const Vector& x, const Vector& w, Vector& dw, int rows,
                     int d) {
  Vector dx(x.size());
  for (int t = 0; t < rows; ++t) {
    double squares = 0, projection = 0;
    for (int i = 0; i < d; ++i) {
      squares += x[t * d + i] * x[t * d + i];
      projection += dy[t * d + i] * w[i] * x[t * d + i];
    }
    const double inverse = 1 / std::sqrt(squares / d + kEps);
    for (int i = 0; i < d; ++i) {
      dw[i] += dy[t * d + i] * x[t * d + i] * inverse;
      dx[t * d + i] = dy[t * d + i] * w[i] * inverse -
                      x[t * d + i] * inverse * inverse * inverse * projection / d;
    }
  }
  return dx;
}

// Rotates each pair (2i, 2i + 1) of every head by its position's angle; `sign` -1 rotates back.
void rotate(Vector& x, const Shape& s, int sign) {
  const int d = s.d_model, head = d / s.heads;
  for (int t = 0; t < s.batch * s.context; ++t)
    for (int h = 0; h < s.heads; ++h)
      for (int i = 0; i < head; i += 2) {
        const double angle = sign * (t % s.context) * std::pow(kTheta, -double(i) / head);
        double& a = x[t * d + h * head + i];
        double& b = x[t * d + h * head + i + 1];
        const double turned = a * std::cos(angle) - b * std::sin(angle);
        b = a * std::sin(angle) + b * std::cos(angle);
        a = turned;
      }
}

struct AttentionGradients {
  Vector q, k, v;
};

// Returns the output if `dy` is null, else gradients of q, k and v. Computes the probabilities each
// time.
Vector attention(const Shape& s, const Vector& q, const Vector& k, const Vector& v,
                 const Vector* dy, AttentionGradients* gradients) {
  const int d = s.d_model, head = d / s.heads;
  const double scale = 1 / std::sqrt(double(head));
  Vector y(q.size());
  for (int b = 0; b < s.batch; ++b)
    for (int h = 0; h < s.heads; ++h)
      for (int i = 0; i < s.context; ++i) {
        const auto at = [&](int position, int e) {
          return (b * s.context + position) * d + h * head + e;
        };
        Vector p(i + 1);  // causal: positions 0 .. i
        double total = 0;
        for (int j = 0; j <= i; ++j) {
          double score = 0;
          for (int e = 0; e < head; ++e) score += q[at(i, e)] * k[at(j, e)];
          total += p[j] = std::exp(score * scale);
        }
        for (double& value : p) value /= total;
        for (int j = 0; j <= i; ++j)
          for (int e = 0; e < head; ++e) y[at(i, e)] += p[j] * v[at(j, e)];
        if (dy == nullptr) continue;
        Vector dp(i + 1);
        double mean = 0;  // sum_j p dp, for the softmax's derivative
        for (int j = 0; j <= i; ++j) {
          for (int e = 0; e < head; ++e) {
            dp[j] += (*dy)[at(i, e)] * v[at(j, e)];
            gradients->v[at(j, e)] += p[j] * (*dy)[at(i, e)];
          }
          mean += p[j] * dp[j];
        }
        for (int j = 0; j <= i; ++j) {
          const double ds = p[j] * (dp[j] - mean) * scale;
          for (int e = 0; e < head; ++e) {
            gradients->q[at(i, e)] += ds * k[at(j, e)];
            gradients->k[at(j, e)] += ds * q[at(i, e)];
          }
        }
      }
  return y;
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

void add(Vector& to, const Vector& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

// A block's results, kept for its backward.
struct Block {
  Vector x, normed, q, k, v, mixed;            // attention half; x is the block's input
  Vector middle, ffn_normed, up, gate, gated;  // feed-forward half; middle is its input
};

struct Pass {
  const Shape& s;
  const Tensors& w;
  int rows = s.batch * s.context;
  const Vector& weight(int layer, const std::string& name) const {
    return w.at("block" + std::to_string(layer) + "." + name);
  }

  Vector forward(int layer, Vector x, Block& kept) const {
    const int d = s.d_model, ff = s.d_ff;
    kept.x = x;
    kept.normed = norm(x, weight(layer, "attention_norm"), rows, d);
    kept.q = linear(kept.normed, weight(layer, "wq"), rows, d, d);
    kept.k = linear(kept.normed, weight(layer, "wk"), rows, d, d);
    kept.v = linear(kept.normed, weight(layer, "wv"), rows, d, d);
    rotate(kept.q, s, +1);
    rotate(kept.k, s, +1);
    kept.mixed = attention(s, kept.q, kept.k, kept.v, nullptr, nullptr);
    add(x, linear(kept.mixed, weight(layer, "wo"), rows, d, d));
    kept.middle = x;
    kept.ffn_normed = norm(x, weight(layer, "ffn_norm"), rows, d);
    kept.gate = linear(kept.ffn_normed, weight(layer, "w1"), rows, d, ff);
    kept.up = linear(kept.ffn_normed, weight(layer, "w3"), rows, d, ff);
    kept.gated.resize(kept.up.size());
    for (std::size_t i = 0; i < kept.up.size(); ++i)
      kept.gated[i] = kept.gate[i] * sigmoid(kept.gate[i]) * kept.up[i];
    add(x, linear(kept.gated, weight(layer, "w2"), rows, ff, d));
    return x;
  }

  // dx is the gradient of the block's output on entry, and of its input on return.
  void backward(int layer, Vector& dx, const Block& kept, Tensors& g) const {
    const int d = s.d_model, ff = s.d_ff;
    const auto grad = [&](const char* name) -> Vector& {
      return g.at("block" + std::to_string(layer) + "." + name);
    };
    const Vector dgated =
        linear_backward(dx, kept.gated, weight(layer, "w2"), grad("w2"), rows, ff, d);
    Vector dgate(dgated.size()), dup(dgated.size());
    for (std::size_t i = 0; i < dgated.size(); ++i) {
      const double gate = kept.gate[i], open = sigmoid(gate);
      dup[i] = dgated[i] * gate * open;
      dgate[i] = dgated[i] * kept.up[i] * open * (1 + gate * (1 - open));
    }
    Vector dnormed =
        linear_backward(dgate, kept.ffn_normed, weight(layer, "w1"), grad("w1"), rows, d, ff);
    add(dnormed,
        linear_backward(dup, kept.ffn_normed, weight(layer, "w3"), grad("w3"), rows, d, ff));
    add(dx,
        norm_backward(dnormed, kept.middle, weight(layer, "ffn_norm"), grad("ffn_norm"), rows, d));

    const Vector dmixed =
        linear_backward(dx, kept.mixed, weight(layer, "wo"), grad("wo"), rows, d, d);
    AttentionGradients da{Vector(dx.size()), Vector(dx.size()), Vector(dx.size())};
    attention(s, kept.q, kept.k, kept.v, &dmixed, &da);
    rotate(da.q, s, -1);
    rotate(da.k, s, -1);
    dnormed = linear_backward(da.q, kept.normed, weight(layer, "wq"), grad("wq"), rows, d, d);
    add(dnormed, linear_backward(da.k, kept.normed, weight(layer, "wk"), grad("wk"), rows, d, d));
    add(dnormed, linear_backward(da.v, kept.normed, weight(layer, "wv"), grad("wv"), rows, d, d));
    add(dx, norm_backward(dnormed, kept.x, weight(layer, "attention_norm"), grad("attention_norm"),
                          rows, d));
  }
};

// Returns the mean of -log softmax(logits)[target]; replaces the logits by their gradient.
double cross_entropy(Vector& logits, const std::vector<std::int64_t>& targets, int rows,
                     int vocab) {
  double sum = 0;
  for (int t = 0; t < rows; ++t) {
    double total = 0;
    for (int o = 0; o < vocab; ++o) total += std::exp(logits[t * vocab + o]);
    sum += std::log(total) - logits[t * vocab + targets[t]];
    for (int o = 0; o < vocab; ++o) {
      const double p = std::exp(logits[t * vocab + o]) / total;
      logits[t * vocab + o] = (p - (o == targets[t] ? 1 : 0)) / rows;
    }
  }
  return sum / rows;
}

}  // namespace

double loss(const Shape& s, const Tensors& w, const Batch& batch, Tensors* gradients) {
  const Pass pass{s, w};
  const int rows = pass.rows, d = s.d_model;
  Vector x(static_cast<std::size_t>(rows) * d);
  for (int t = 0; t < rows; ++t)
    for (int i = 0; i < d; ++i) x[t * d + i] = w.at("embedding")[batch.tokens[t] * d + i];
  std::vector<Block> kept(s.layers);
  for (int layer = 0; layer < s.layers; ++layer) x = pass.forward(layer, x, kept[layer]);
  const Vector normed = norm(x, w.at("final_norm"), rows, d);
  Vector logits = linear(normed, w.at("head"), rows, d, s.vocab);
  const double value = cross_entropy(logits, batch.targets, rows, s.vocab);
  if (gradients == nullptr) return value;

  Tensors& g = *gradients;
  g.clear();
  for (const auto& [name, tensor] : w) g[name].assign(tensor.size(), 0);
  const Vector dnormed = linear_backward(logits, normed, w.at("head"), g["head"], rows, d, s.vocab);
  Vector dx = norm_backward(dnormed, x, w.at("final_norm"), g["final_norm"], rows, d);
  for (int layer = s.layers; layer-- > 0;) pass.backward(layer, dx, kept[layer], g);
  for (int t = 0; t < rows; ++t)
    for (int i = 0; i < d; ++i) g["embedding"][batch.tokens[t] * d + i] += dx[t * d + i];
  return value;
}

void AdamW::step(Tensors& weights, const Tensors& gradients) {
  ++updates;
  for (auto& [name, weight] : weights) {
    const Vector& gradient = gradients.at(name);
    Vector& m = moments[name];
    Vector& v = squares[name];
    m.resize(weight.size());
    v.resize(weight.size());
    for (std::size_t i = 0; i < weight.size(); ++i) {
      m[i] = beta1 * m[i] + (1 - beta1) * gradient[i];
      v[i] = beta2 * v[i] + (1 - beta2) * gradient[i] * gradient[i];
      const double mean = m[i] / (1 - std::pow(beta1, updates));
      const double square = v[i] / (1 - std::pow(beta2, updates));
      weight[i] -= lr * (weight_decay * weight[i] + mean / (std::sqrt(square) + eps));
    }
  }
}

}  // namespace sweepd::reference
