#pragma once

// Small random graphs, and J directly from its formulas, independent of the core's code.

#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/cancellation.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "base/types.hpp"
#include "graphs/clusters.hpp"
#include "graphs/objective.hpp"
#include "graphs/view.hpp"

namespace powercut::testing {

class Never final : public CancellationToken {
 public:
  bool requested() override { return false; }
};

/// Cancels after so many checks.
class AfterRequests final : public CancellationToken {
 public:
  explicit AfterRequests(int requests) : left_(requests) {}
  bool requested() override { return left_-- <= 0; }

 private:
  int left_;
};

/// Records all progress reports.
class ProgressRecorder final : public CancellationToken {
 public:
  bool requested() override { return false; }
  bool wants_report() override { return true; }
  void report(const Progress& round) override { reports.push_back(round); }

  std::vector<Progress> reports;
};

/// A symmetric graph that owns its arrays.
struct SmallGraph {
  Node n = 0;
  std::vector<Entry> offsets{0};
  std::vector<Node> indices;
  std::vector<double> weights;
  std::vector<double> volume;
  std::vector<double> weight;  // empty: the count
  std::vector<Count> count;    // empty: ones

  /// From a dense matrix, whose zeros are no entries.
  static SmallGraph from_matrix(Node n, const std::vector<double>& matrix) {
    SmallGraph graph;
    graph.n = n;
    for (Node i = 0; i < n; ++i) {
      double degree = 0;
      for (Node j = 0; j < n; ++j) {
        const double w = matrix[i * n + j];
        if (w == 0) continue;
        graph.indices.push_back(j);
        graph.weights.push_back(w);
        degree += w;
      }
      graph.offsets.push_back(static_cast<Entry>(graph.indices.size()));
      graph.volume.push_back(degree);
    }
    // Spare capacity would hide an out-of-bounds read from the address sanitizer.
    graph.indices.shrink_to_fit();
    graph.weights.shrink_to_fit();
    return graph;
  }

  GraphView view() const {
    return GraphView::compressed(n, offsets.data(), true, indices.data(), wide_nodes,
                                 weights.data(), GraphView::Stored::float64);
  }
  NodeArrays nodes() const {
    return {volume.data(), weight.empty() ? nullptr : weight.data(),
            count.empty() ? nullptr : count.data()};
  }
};

/// Edges are frequent within the groups i % groups, and rare between them.
inline SmallGraph random_graph(std::uint64_t seed, Node n, Node groups = 4) {
  Random random(seed);
  std::vector<double> matrix(static_cast<std::size_t>(n) * n, 0);
  for (Node i = 0; i < n; ++i) {
    for (Node j = 0; j <= i; ++j) {
      const double chance = i == j ? 0.2 : i % groups == j % groups ? 0.6 : 0.1;
      if (random.uniform() < chance) matrix[i * n + j] = matrix[j * n + i] = 0.1 + random.uniform();
    }
  }
  return SmallGraph::from_matrix(n, matrix);
}

/// The same with node weights, and with nodes that stand for one to four original nodes.
inline SmallGraph random_coarse_graph(std::uint64_t seed, Node n, Node groups = 4) {
  SmallGraph graph = random_graph(seed, n, groups);
  Random random(seed + 1000);
  for (Node i = 0; i < n; ++i) {
    graph.weight.push_back(0.5 + random.uniform());
    graph.count.push_back(1 + random.below(4));
  }
  return graph;
}

/// Groups of nodes with about 16 edges per node, a quarter of them to random nodes.
inline SmallGraph sparse_graph(std::uint64_t seed, Node n, Node group) {
  Random random(seed);
  std::vector<std::set<Node>> rows(n);
  for (Node i = 0; i < n; ++i) {
    for (int e = 0; e < 8; ++e) {
      const bool near = random.uniform() < 0.75;
      const Node j =
          static_cast<Node>(near ? i / group * group + random.below(group) : random.below(n));
      if (i == j || j >= n) continue;
      rows[i].insert(j);
      rows[j].insert(i);
    }
  }
  SmallGraph graph;
  graph.n = n;
  for (const std::set<Node>& row : rows) {
    graph.indices.insert(graph.indices.end(), row.begin(), row.end());
    graph.weights.resize(graph.indices.size(), 1);
    graph.offsets.push_back(static_cast<Entry>(graph.indices.size()));
    graph.volume.push_back(static_cast<double>(row.size()));
  }
  return graph;
}

/// Two cliques of four nodes and one edge between them.
inline SmallGraph two_cliques() {
  std::vector<double> matrix(64, 0);
  for (Node i = 0; i < 8; ++i) {
    for (Node j = 0; j < 8; ++j) matrix[i * 8 + j] = i != j && i / 4 == j / 4;
  }
  matrix[3 * 8 + 4] = matrix[4 * 8 + 3] = 1;
  return SmallGraph::from_matrix(8, matrix);
}

inline std::vector<Label> random_labels(std::uint64_t seed, Node n, Label n_labels) {
  Random random(seed);
  std::vector<Label> labels(n);
  for (Label& c : labels) c = static_cast<Label>(random.below(n_labels));
  return labels;
}

inline std::vector<Label> singletons(Node n) {
  std::vector<Label> labels(n);
  for (Node i = 0; i < n; ++i) labels[i] = i;
  return labels;
}

/// Possible targets of a node: the clusters of its neighbors and a new one.
inline std::set<Label> candidates(const SmallGraph& graph, Node i, const std::vector<Label>& labels,
                                  Label n_labels) {
  std::set<Label> found;
  for (Entry e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
    found.insert(labels[graph.indices[e]]);
  }
  found.insert(n_labels);
  found.erase(labels[i]);
  return found;
}

inline std::size_t number_of_clusters(std::span<const Label> labels) {
  return std::set<Label>(labels.begin(), labels.end()).size();
}

/// -ln of the Pitman-Yor probability of these sizes without the terms that depend on n alone.
inline double size_prior(double concentration, double discount, const std::vector<Count>& sizes) {
  long double r = 0;
  int clusters = 0;
  for (const Count size : sizes) {
    if (size == 0) continue;
    if (clusters > 0) r -= std::log(static_cast<long double>(concentration) + clusters * discount);
    ++clusters;
    r -= std::lgamma(size - static_cast<long double>(discount)) -
         std::lgamma(1 - static_cast<long double>(discount));
  }
  return static_cast<double>(r);
}

/// An objective that owns what an Objective refers to.
struct Spec {
  std::string score;
  std::vector<double> parameters;
  double tradeoff;
  double concentration = 1.5;
  double discount = 0.4;

  Objective objective() const { return {score, parameters, concentration, discount, tradeoff}; }
};

/// Every score, with and without the size prior, at parameters for which small graphs have
/// clusters.
inline std::vector<Spec> all_specs(const SmallGraph& graph) {
  double total = 0;
  for (const double w : graph.weights) total += w;
  std::vector<Spec> specs;
  for (const double tradeoff : {0.0, 0.3}) {
    specs.push_back({"ncut", {-0.2}, tradeoff});
    specs.push_back({"rcut", {0.8}, tradeoff});
    specs.push_back({"rassoc", {-0.4}, tradeoff});
    specs.push_back({"modularity", {1.1 / total}, tradeoff});
    specs.push_back({"cpm", {0.15}, tradeoff});
    // Degree-corrected, with self-loops, in counts of half a unit.
    specs.push_back({"likelihood", {1.1 / total, 1, 1, 2}, tradeoff});
  }
  return specs;
}

inline double formula(const Spec& spec, double inside, double volume, double weight) {
  const double p = spec.parameters[0];
  if (spec.score == "likelihood") {
    const double expected = p * volume * volume;
    if (inside <= expected || expected <= 0) return 0;
    return -0.5 * spec.parameters[3] * (inside * std::log(inside / expected) - inside + expected);
  }
  if (spec.score == "ncut") return volume > 0 ? -inside / volume - p : -p;
  if (spec.score == "rcut") return (volume - inside) / weight - p;
  if (spec.score == "rassoc") return -inside / weight - p;
  if (spec.score == "modularity") return -(inside - p * volume * volume);
  return -(inside - p * weight * weight);  // cpm
}

/// J of labels, from the entries of the graph.
inline double naive_objective(const SmallGraph& graph, std::span<const Label> labels,
                              const Spec& spec) {
  std::map<Label, double> inside, volume, weight;
  std::map<Label, Count> count;
  for (Node i = 0; i < graph.n; ++i) {
    const Count originals = graph.count.empty() ? 1 : graph.count[i];
    count[labels[i]] += originals;
    volume[labels[i]] += graph.volume[i];
    weight[labels[i]] += graph.weight.empty() ? static_cast<double>(originals) : graph.weight[i];
    for (Entry e = graph.offsets[i]; e < graph.offsets[i + 1]; ++e) {
      if (labels[graph.indices[e]] == labels[i]) inside[labels[i]] += graph.weights[e];
    }
  }
  double j = 0;
  std::vector<Count> sizes;
  for (const auto& [c, size] : count) {
    j += formula(spec, inside[c], volume[c], weight[c]);
    sizes.push_back(size);
  }
  return j + spec.tradeoff * size_prior(spec.concentration, spec.discount, sizes);
}

/// The clusters that labels make of a graph.
inline Clusters clusters_of(const SmallGraph& graph, std::span<const Label> labels,
                            Label n_labels) {
  Never never;
  Ticker ticker(never);
  ThreadTeam one_thread(1);
  return cluster_stats(graph.view(), graph.nodes(), labels, n_labels, one_thread, ticker);
}

}  // namespace powercut::testing
