#include "vectors/cluster_replicas.hpp"

#include "vectors/proposals.hpp"
#include "vectors/scores.hpp"

namespace powercut {
namespace {

template <class Score>
class Copies : public ClusterCopies, VectorWork<Score> {
 public:
  template <class... Parameters>
  Copies(const PointsView& points, const PriorParameters& prior, Cancel& cancel,
         Parameters&... parameters)
      : VectorWork<Score>(points, 0, prior, 1, cancel, parameters...) {}

  Label n_labels() const override { return clusters_.n_labels(); }
  std::size_t state_width() const override { return clusters_.state_width(); }
  void set(const ClusterStates& all) override { clusters_.set(all); }
  void load(const ClusterStates& changes) override { clusters_.load(changes); }

  void propose(const Visits& visits) override {
    this->for_tiles(static_cast<std::int64_t>(visits.points.size()),
                    [&](int member, std::int64_t begin, std::int64_t end) {
                      VectorWork<Score>::propose(member, visits.part(begin, end));
                    });
  }

 private:
  using VectorWork<Score>::clusters_;
};

}  // namespace

std::unique_ptr<ClusterCopies> kmeans_copies(const PointsView& points, const PriorParameters& prior,
                                             Cancel& cancel) {
  return std::make_unique<Copies<KMeansClusters>>(points, prior, cancel);
}

std::unique_ptr<ClusterCopies> gaussian_copies(const PointsView& points,
                                               const PriorParameters& prior,
                                               const GaussianParameters& gaussian, Cancel& cancel) {
  return with_covariance(gaussian.covariance, [&]<class Score>() -> std::unique_ptr<ClusterCopies> {
    return std::make_unique<Copies<Score>>(points, prior, cancel, gaussian, cancel);
  });
}

}  // namespace powercut
