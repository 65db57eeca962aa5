// Node numbers and labels past 2^31 and 2^32, in arrays of which only the last pages are touched.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <map>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "graphs/gap_code.hpp"
#include "graphs/neighborhood.hpp"
#include "graphs/proposals.hpp"
#include "graphs/row_keys.hpp"
#include "graphs/symmetric_rows.hpp"
#include "graphs/view.hpp"
#include "support.hpp"
#include "text/edge_list.hpp"
#include "text/edge_list_reader.hpp"
#include "text/metis_reader.hpp"
#include "text/parsing.hpp"

namespace powercut {
namespace {

using testing::clusters_of;
using testing::Never;
using testing::random_graph;
using testing::random_labels;
using testing::SmallGraph;
using testing::Spec;

constexpr Node two_to_the_31 = Node{1} << 31;
constexpr Node two_to_the_32 = Node{1} << 32;

/// An array of zeros, whose pages take memory once they are written.
template <class T>
class Zeros {
 public:
  explicit Zeros(std::int64_t n) : n_(static_cast<std::size_t>(n)) {
    void* const area = mmap(nullptr, n_ * sizeof(T), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(area);
  }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  ~Zeros() { munmap(data_, n_ * sizeof(T)); }

  T& operator[](std::int64_t i) { return data_[i]; }
  const T* data() const { return data_; }
  std::span<T> all() const { return {data_, n_}; }

 private:
  T* data_;
  std::size_t n_;
};

/// A small graph whose nodes come after `before` nodes without edges.
struct LastRows {
  LastRows(const SmallGraph& last, Node nodes_before)
      : before(nodes_before),
        n(nodes_before + last.n),
        offsets(n + 1),
        volume(n),
        indices(last.indices),
        weights(last.weights) {
    for (Node i = 0; i < last.n; ++i) {
      offsets[before + i + 1] = last.offsets[i + 1];
      volume[before + i] = last.volume[i];
    }
    for (Node& index : indices) index += before;
  }

  GraphView view() const {
    return GraphView::compressed(n, offsets.data(), true, indices.data(), true, weights.data(),
                                 GraphView::Stored::float64);
  }
  NodeArrays nodes() const { return {volume.data(), nullptr, nullptr}; }

  Node before, n;
  Zeros<Entry> offsets;
  Zeros<double> volume;
  std::vector<Node> indices;
  std::vector<double> weights;
};

std::vector<Node> shifted(std::vector<Node> nodes, Node by) {
  for (Node& node : nodes) node += by;
  return nodes;
}

class WideNodes : public ::testing::TestWithParam<Node> {};
INSTANTIATE_TEST_SUITE_P(Past, WideNodes, ::testing::Values(two_to_the_31 + 7, two_to_the_32 + 7));

TEST_P(WideNodes, HaveTheSameRows) {
  const SmallGraph small = random_graph(1, 40);
  const LastRows large(small, GetParam());
  const GraphView view = large.view(), expected = small.view();
  EXPECT_EQ(view.rows(), GetParam() + 40);
  EXPECT_EQ(view.size(), expected.size());
  EXPECT_EQ(view.length(GetParam() - 1), 0);
  for (Node i = 0; i < small.n; ++i) {
    const Node node = GetParam() + i;
    view.prefetch_offset(node);
    view.prefetch_entries(node);
    view.prefetch_columns(node, large.volume.data());
    Entry place = 0;
    view.for_each(node, [&](Node other, double weight) {
      ASSERT_EQ(other, GetParam() + expected.neighbor(i, place));
      ASSERT_EQ(other, view.neighbor(node, place));
      ASSERT_EQ(weight, expected.weight(i, place));
      ASSERT_EQ(view.find(node, other), place);
      ++place;
    });
    EXPECT_EQ(place, expected.length(i));
    EXPECT_EQ(view.find(node, two_to_the_31 - 1), -1);
  }
}

TEST_P(WideNodes, ProposeTheSameMoves) {
  const SmallGraph small = random_graph(2, 40);
  const LastRows large(small, GetParam());
  const std::vector<Label> labels = random_labels(3, small.n, 5);
  Zeros<Label> all_labels(large.n);
  std::vector<Node> batch;
  for (Node i = 0; i < small.n; ++i) {
    all_labels[GetParam() + i] = labels[i];
    batch.push_back(i);
  }
  Never never;
  const Clusters clusters = clusters_of(small, labels, 5);
  const Spec spec = testing::all_specs(small).front();
  const Proposals expected = propose_moves(small.view(), small.nodes(), labels, clusters,
                                           spec.objective(), batch, 0, batch.size(), never);
  const Proposals found =
      propose_moves(large.view(), large.nodes(), all_labels.all(), clusters, spec.objective(),
                    shifted(batch, GetParam()), 0, batch.size(), never);
  EXPECT_FALSE(found.place.empty());
  EXPECT_EQ(found.place, expected.place);
  EXPECT_EQ(found.target, expected.target);
  EXPECT_EQ(found.target_link, expected.target_link);
  EXPECT_EQ(found.loops, expected.loops);
  EXPECT_EQ(found.rivals, shifted(expected.rivals, GetParam()));

  const std::vector<std::uint16_t> batch_of(small.n, 1);
  Zeros<std::uint16_t> all_batches(large.n);
  for (Node i = 0; i < small.n; ++i) all_batches[GetParam() + i] = 1;
  const std::vector<Node> moved{3, 17};
  EXPECT_EQ(nodes_to_revisit(large.view(), all_labels.all(), all_batches.all(),
                             shifted(moved, GetParam()), never),
            shifted(nodes_to_revisit(small.view(), labels, batch_of, moved, never), GetParam()));
}

TEST_P(WideNodes, AreLabelsThatDiffer) {
  Neighborhood neighborhood;
  neighborhood.reset(400);
  std::map<Label, double> expected;
  for (Label c = 0; c < 200; ++c) {
    // Those of the second kind have the same lowest 32 bits as those of the first.
    for (const Label label : {GetParam() + 65536 * c, GetParam() + 65536 * c + two_to_the_32}) {
      neighborhood.add(label, 0.5);
      neighborhood.add(label, static_cast<double>(c));
      expected[label] = 0.5 + static_cast<double>(c);
    }
  }
  ASSERT_EQ(neighborhood.links().size(), 400U);
  for (const auto& [label, weight] : expected) EXPECT_EQ(neighborhood.weight_to(label), weight);
  EXPECT_EQ(neighborhood.weight_to(GetParam() + 1), 0);
}

TEST_P(WideNodes, AreColumnsWithKeysOfTheirOwn) {
  const std::vector<Entry> offsets{0, 1, 2};
  const std::vector<Node> indices{GetParam(), GetParam() + two_to_the_32};
  std::vector<std::uint64_t> keys(2);
  Never never;
  row_keys(GraphView::compressed(2, offsets.data(), true, indices.data(), true, nullptr,
                                 GraphView::Stored::none),
           keys, never);
  EXPECT_NE(keys[0], keys[1]);
}

TEST(WideGapCode, HasColumnsUpToTwoToThe32) {
  const std::vector<Entry> offsets{0, 5, 6, 8};
  const std::vector<Node> columns{0,
                                  two_to_the_31 - 2,
                                  two_to_the_31 - 1,
                                  two_to_the_31 + 300,
                                  two_to_the_32 - 1,
                                  two_to_the_32 - 1,
                                  two_to_the_31,
                                  two_to_the_32 - 2};
  GapCodedRows rows = encode_gaps(offsets, columns);
  EXPECT_EQ(first_invalid_gaps(offsets, rows.starts, rows.codes, two_to_the_32), std::nullopt);
  EXPECT_EQ(first_invalid_gaps(offsets, rows.starts, rows.codes, two_to_the_32 - 1), 0U);
  rows.codes.resize(rows.codes.size() + gap_padding, 0);
  const std::vector<std::uint32_t> starts(rows.starts.begin(), rows.starts.end());
  const GapCodes codes{rows.codes.data(), starts.data(), {}};
  const GraphView coded =
      GraphView::gap_coded(3, offsets.data(), true, codes, nullptr, GraphView::Stored::none);
  const GraphView plain = GraphView::compressed(3, offsets.data(), true, columns.data(), true,
                                                nullptr, GraphView::Stored::none);
  for (Node i = 0; i < 3; ++i) {
    Entry place = 0;
    coded.for_each(i, [&](Node column, double) {
      ASSERT_EQ(column, plain.neighbor(i, place));
      ASSERT_EQ(column, coded.neighbor(i, place));
      ASSERT_EQ(coded.find(i, column), place);
      ++place;
    });
    EXPECT_EQ(place, plain.length(i));
    EXPECT_EQ(coded.find(i, two_to_the_31 + 1), -1);
    for (const GapDecoder decode : {GapDecoder{decode_gaps_by_words}, decode_gaps}) {
      std::uint32_t decoded[gap_chunk];
      GapReader row(codes.of(i), plain.length(i));
      decode(row, plain.length(i), decoded);
      for (Entry e = 0; e < plain.length(i); ++e) EXPECT_EQ(decoded[e], plain.neighbor(i, e));
    }
  }
}

TEST(WideText, HasIdsPastTwoToThe31) {
  EXPECT_TRUE(IdNumbers::is_small(two_to_the_32));
  Never never;
  EdgeList edges(false, false);
  EdgeListReader reader(edges, {});
  reader.feed("3000000000 7\n7 5000000000\n9223372036854775807 7\n", never);
  reader.finish();
  const Rows rows = edges.take_rows(Mirror::max, never);
  EXPECT_EQ(edges.ids(),
            (std::vector<std::int64_t>{7, 3'000'000'000, 5'000'000'000, 9223372036854775807}));
  EXPECT_EQ(rows.columns, (LargeVector<Node>{1, 2, 3, 0, 0, 0}));
}

TEST(WideText, AMetisFileMayHaveMoreNodes) {
  Never never;
  EdgeList edges(false, false);
  MetisReader reader(edges);
  reader.feed("5000000000 1\n4000000000\n", never);
  EXPECT_EQ(edges.size(), 1);
  try {
    reader.finish();
    FAIL() << "the file is not complete";
  } catch (const BadText& error) {
    EXPECT_NE(std::string(error.what()).find("after 1 of 5000000000 lines"), std::string::npos);
  }
}

}  // namespace
}  // namespace powercut
