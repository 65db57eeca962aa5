#include "vectors/cluster_replicas.hpp"

#include "vectors/proposals.hpp"
#include "vectors/scores.hpp"

namespace powercut {
namespace {

template <class Score>
class Replicas : public ClusterReplicas, VectorProposer<Score> {
 public:
  template <class... Parameters>
  Replicas(const PointsView& points, const PriorParameters& prior, CancellationToken& token,
           Parameters&... parameters)
      : VectorProposer<Score>(points, 0, prior, 1, token, parameters...) {}

  Label n_labels() const override { return clusters_.n_labels(); }
  std::size_t state_width() const override { return clusters_.state_width(); }
  void set(const ClusterStates& all) override { clusters_.set(all); }
  void load(const ClusterStates& changes) override { clusters_.load(changes); }

  void propose(const Visits& visits) override {
    this->for_tiles(static_cast<std::int64_t>(visits.points.size()),
                    [&](int thread, std::int64_t begin, std::int64_t end) {
                      VectorProposer<Score>::propose(thread, visits.part(begin, end));
                    });
  }

 private:
  using VectorProposer<Score>::clusters_;
};

}  // namespace

std::unique_ptr<ClusterReplicas> kmeans_replicas(const PointsView& points,
                                                 const PriorParameters& prior,
                                                 CancellationToken& token) {
  return std::make_unique<Replicas<KMeansClusters>>(points, prior, token);
}

std::unique_ptr<ClusterReplicas> gaussian_replicas(const PointsView& points,
                                                   const PriorParameters& prior,
                                                   const GaussianParameters& gaussian,
                                                   CancellationToken& token) {
  return with_covariance(
      gaussian.covariance, [&]<class Score>() -> std::unique_ptr<ClusterReplicas> {
        return std::make_unique<Replicas<Score>>(points, prior, token, gaussian, token);
      });
}

}  // namespace powercut
