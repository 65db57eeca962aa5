#include "graphs/objective.hpp"

#include "graphs/move_costs.hpp"
#include "graphs/scores.hpp"

namespace powercut {

double objective(const Objective& j, const Clusters& clusters) {
  return with_score(j.score, j.score_parameters,
                    [&](const auto& score) { return Valuation(score, j, clusters).value(); });
}

}  // namespace powercut
