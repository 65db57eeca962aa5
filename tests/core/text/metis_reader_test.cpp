#include "text/metis_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support.hpp"
#include "text/parsing.hpp"

namespace powercut {
namespace {

using testing::Never;

Rows rows_of(const std::string& text, std::size_t piece = 1) {
  Never never;
  EdgeList edges(false, false);
  MetisReader reader(edges);
  for (std::size_t at = 0; at < text.size(); at += piece) {
    reader.feed(std::string_view(text).substr(at, piece), never);
  }
  reader.finish();
  return edges.take_rows(Mirror::equal, never);
}

std::string error_of(const std::string& text) {
  try {
    rows_of(text);
  } catch (const BadText& error) {
    return error.what();
  }
  return "";
}

TEST(MetisReader, ReadsNeighborsWeightsAndEmptyLines) {
  for (std::size_t piece = 1; piece < 30; ++piece) {
    const Rows rows =
        rows_of("% comment\n4 2 11 2\n7 7 2 5\n7 7 1 5 3 6\n% more\n7 7 2 6\r\n7 7", piece);
    EXPECT_EQ(rows.offsets, (LargeVector<Entry>{0, 1, 3, 4, 4}));
    EXPECT_EQ(rows.columns, (LargeVector<Node>{1, 0, 2, 1}));
    EXPECT_EQ(rows.weights, (LargeVector<double>{5, 5, 6, 6}));
  }
  const Rows alone = rows_of("3 1\n\n3\n2\n\n\n");
  EXPECT_EQ(alone.offsets, (LargeVector<Entry>{0, 0, 1, 2}));
  EXPECT_TRUE(alone.weights.empty());
}

TEST(MetisReader, SaysWhereTheTextIsWrong) {
  EXPECT_EQ(error_of(""), "line 1, column 1: there is no line with the numbers of nodes and edges");
  EXPECT_EQ(error_of("2\n"),
            "line 1, column 1: the first line must hold the numbers of nodes and edges");
  EXPECT_EQ(error_of("2 1 2\n"),
            "line 1, column 1: the format 2 is none of 0, 1, 10, 11, 100, 101, 110, 111");
  EXPECT_EQ(error_of("2 1\n2\n"),
            "line 3, column 1: the file ends after 1 of 2 lines, one for each node");
  EXPECT_EQ(error_of("2 1\n3\n1\n"), "line 2, column 1: there is no node 3: nodes are 1 to 2");
  EXPECT_EQ(error_of("2 1\n2\n 0\n"), "line 3, column 2: there is no node 0: nodes are 1 to 2");
  EXPECT_EQ(error_of("2 1\n1\n1\n"),
            "line 2, column 1: the node is its own neighbor, which METIS does not allow");
  EXPECT_EQ(error_of("2 1\n2\n1\n1\n"),
            "line 4, column 1: there are more lines than the 2 nodes of the first line");
  EXPECT_EQ(error_of("2 1 1\n2 1 \n1\n"), "line 3, column 2: the last neighbor has no weight");
  EXPECT_EQ(error_of("2 1\n2\n-1\n"), "line 3, column 1: '-' is no part of a whole number");
  EXPECT_EQ(error_of("2 2\n2\n1\n").substr(0, 60),
            "line 4, column 1: there are 2 neighbors where 2 edges, each ");
  EXPECT_EQ(error_of("9999999999999999999 1\n"),
            "line 1, column 1: the number is larger than 2^53");
  const std::string many = error_of("2147483648 1\n");
  EXPECT_TRUE(many.starts_with(wide_nodes
                                   ? "line 2, column 1: the file ends after 0 of 2147483648 lines"
                                   : "line 1, column 1: a graph has at most 2^31 - 1 nodes; for"))
      << many;
  EXPECT_THROW(rows_of("2 1\n2 2\n\n"), Asymmetric);
}

}  // namespace
}  // namespace powercut
