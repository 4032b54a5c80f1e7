#include "workloads/dist/data_parallel.h"

#include <algorithm>
#include <utility>

#include "runner/model/measurement/sample.h"
#include "workloads/dist/mean_loss.h"
#include "workloads/nn/held.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

LmStepParams train_step(LmStepParams params) {
  params.mode = "train_step";
  return params;
}

}  // namespace

DataParallel::DataParallel(const DdpParams& params, const RunParams& run, Collectives& collectives,
                           Device& device)
    : collectives_(collectives),
      warmup_(run.warmup),
      training_(train_step(params.lm), torch_device(device), run.seed,
                {collectives.rank(), collectives.world_size(), {}}),
      gradients_(average_options_from(params.strategy,
                                      static_cast<std::int64_t>(params.bucket_mb * kBytesOfMb)),
                 tensors_of(training_.model().parameters()), collectives, device),
      clock_(device, 1) {
  for (const NamedTensor& parameter : training_.model().parameters()) {
    collectives.broadcast(parameter.tensor.detach(), 0);
  }
}

void DataParallel::step(Phases& phases) {
  clock_.begin_step();
  phases.enter("forward");
  const at::Tensor loss = training_.forward();
  phases.enter("backward");
  training_.backward(loss);
  phases.enter("communication");
  clock_.wait([&] { gradients_.finish(); });
  phases.enter("optimizer");
  training_.optimize();
  training_.keep_loss(loss);
  clock_.end_step();
}

void DataParallel::tell(Samples& samples) {
  const std::vector<BucketTime> times = gradients_.times();
  bucket_ms_.resize(times.size());
  double sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    sum += times[i].ms;
    if (steps_ >= warmup_) bucket_ms_[i].push_back(times[i].ms);
  }
  ++steps_;
  clock_.tell(sum, samples);
  samples.add("step", "loss", mean_loss(training_.loss(), collectives_));
}

void DataParallel::tell(Facts& facts) {
  facts.number("parameters", static_cast<double>(training_.model().count_parameters()));
  if (training_.loss().defined()) {
    facts.number("final_loss", mean_loss(training_.loss(), collectives_));
  }
  facts.number("collectives", static_cast<double>(gradients_.times().size()));
  facts.number("copied_bytes", static_cast<double>(gradients_.copied_bytes()));
  tell_fit(facts);
}

// A bucket's time is its median, because one late rank does not show the bandwidth. Only rank 0
// reports: its times are as good as any other's, and a trial has one fit.
void DataParallel::tell_fit(Facts& facts) const {
  if (collectives_.rank() != 0) return;
  std::vector<BucketTime> times = gradients_.times();
  if (bucket_ms_.empty() || bucket_ms_[0].empty()) return;
  for (std::size_t i = 0; i < times.size(); ++i) times[i].ms = summarize(bucket_ms_[i]).median;
  const BucketFit fit = fit_buckets(times);
  if (fit.model) {
    facts.number("fit.bandwidth_gbps", fit.model->bytes_per_ms / 1e6);  // 10^9 bytes a second
    facts.number("fit.overhead_ms", fit.model->overhead_ms);
    facts.number("fit.residual_ms", fit.residual_ms);
    facts.number("fit.explained_share", fit.explained);
  }
  if (!fit.refused.empty()) return facts.text("fit.no_prediction", fit.refused);
  const auto total = static_cast<double>(gradients_.total_bytes());
  facts.number("fit.exposed_ms", fit.model->exposed_ms(total, static_cast<double>(times.size())));
  if (const auto best = fit.model->best_bytes(total)) {
    facts.number("fit.best_bucket_mb", *best / kBytesOfMb);
    facts.number("fit.best_exposed_ms", fit.model->exposed_ms(total, total / *best));
  }
}

std::vector<HeldTensor> DataParallel::state() const {
  std::vector<HeldTensor> state;
  const std::vector<at::Tensor> buffers = gradients_.buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    add_held(state, HeldTensor::Kind::kGradients, "bucket" + std::to_string(i), buffers[i]);
  }
  for (HeldTensor& held : training_.state()) {
    const auto same = [&](const HeldTensor& other) { return other.block == held.block; };
    if (std::none_of(state.begin(), state.end(), same)) state.push_back(std::move(held));
  }
  return state;
}

}  // namespace sweepd
