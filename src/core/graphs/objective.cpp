#include "graphs/objective.hpp"

#include "graphs/scored_clusters.hpp"
#include "graphs/scores.hpp"

namespace powercut {

double objective(const Objective& j, const Clusters& clusters) {
  return with_score(j.score, j.score_parameters, [&](const auto& score) {
    return ScoredGraphClusters(score, j, clusters).value();
  });
}

}  // namespace powercut
