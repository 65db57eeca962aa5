#include "text/edge_list_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "support.hpp"
#include "text/edge_list.hpp"
#include "text/parsing.hpp"

namespace powercut {
namespace {

using testing::Never;
using Triples = std::vector<std::tuple<Node, Node, double>>;

struct Shape {
  char delimiter = 0;
  int n_columns = 2;
  bool header = false, names = false, weighted = false;
};

/// Feeds a text in chunks of some size.
void read(EdgeList& edges, const std::string& text, const Shape& shape, std::size_t piece) {
  Never never;
  EdgeListReader reader(edges, {shape.delimiter, shape.n_columns, shape.header});
  for (std::size_t at = 0; at < text.size(); at += piece) {
    // A copy of the exact size, so that the sanitizer finds a read past its end.
    const std::vector<char> part(text.begin() + at,
                                 text.begin() + std::min(at + piece, text.size()));
    reader.feed({part.data(), part.size()}, never);
  }
  reader.finish();
}

/// The upper triangle of the resulting matrix.
Triples upper(EdgeList& edges, Mirror mirror = Mirror::sum) {
  Never never;
  const Rows rows = edges.take_rows(mirror, never);
  Triples found;
  for (Node i = 0; i + 1 < static_cast<Node>(rows.offsets.size()); ++i) {
    for (Entry e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
      const double w = rows.weights.empty() ? 1.0 : rows.weights[e];
      if (rows.columns[e] >= i) found.emplace_back(i, rows.columns[e], w);
    }
  }
  return found;
}

Triples upper_of(const std::string& text, const Shape& shape = {}, std::size_t piece = 1 << 20) {
  EdgeList edges(shape.names, shape.weighted);
  read(edges, text, shape, piece);
  return upper(edges);
}

std::string error_of(const std::string& text, const Shape& shape = {}, std::size_t piece = 3) {
  try {
    upper_of(text, shape, piece);
  } catch (const BadText& error) {
    return error.what();
  }
  return "";
}

TEST(EdgeListReader, ReadsTheSameInChunksOfAnySize) {
  const std::string text = "# comment\n0 1\r\n\n 1\t2  \n%x\n2   0\n2 2";
  const Triples expected{{0, 1, 1}, {0, 2, 1}, {1, 2, 1}, {2, 2, 1}};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(upper_of(text, {}, piece), expected) << piece;
  }
}

TEST(EdgeListReader, ReadsWeightsAndDelimiters) {
  const Triples expected{{0, 1, 0.5}, {1, 2, 1200}};
  const Shape commas{.delimiter = ',', .n_columns = 3, .weighted = true};
  for (std::size_t piece = 1; piece < 20; ++piece) {
    EXPECT_EQ(upper_of("0,1,.5\n1, 2,+1.2e3", commas, piece), expected);
    EXPECT_EQ(upper_of("u,v,w\n0,1,0.5\n\"1\",2 , 1200\n",
                       {.delimiter = ',', .n_columns = 3, .header = true, .weighted = true}, piece),
              expected);
  }
  EXPECT_EQ(upper_of("0\t1\tx\n", {.delimiter = '\t', .n_columns = 3}), (Triples{{0, 1, 1}}));
}

TEST(EdgeListReader, NumbersNamesAsTheyCome) {
  EdgeList edges(true, false);
  read(edges, "\"b, \"\"c\"\"\",a\na, d e \n", {.delimiter = ',', .names = true}, 2);
  EXPECT_EQ(upper(edges), (Triples{{0, 1, 1}, {1, 2, 1}}));
  EXPECT_EQ(edges.names().text(), "b, \"c\"ad e");
  EXPECT_EQ(edges.names().ends(), (std::vector<std::int64_t>{6, 7, 10}));
}

TEST(EdgeListReader, ReadsQuotedNamesWithAnyCharacters) {
  const std::string text =
      "# \"a comment\n\"#1\nline 2\",\"\"\r\n\"\",b\"c\n \"\"\"\n\" , \"\t\x01,\"\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EdgeList edges(true, false);
    read(edges, text, {.delimiter = ',', .names = true}, piece);
    EXPECT_EQ(upper(edges), (Triples{{0, 1, 1}, {1, 2, 1}, {3, 4, 1}})) << piece;
    EXPECT_EQ(edges.names().text(), "#1\nline 2b\"c\"\n\t\x01,");
    EXPECT_EQ(edges.names().ends(), (std::vector<std::int64_t>{9, 9, 12, 14, 17}));
  }
}

TEST(EdgeListReader, CountsTheLinesOfQuotedNames) {
  const Shape names{.delimiter = ',', .names = true};
  for (const std::size_t piece : {1, 3, 100}) {
    EXPECT_EQ(error_of("\"a\n\n\",b\nc,d,e\n", names, piece),
              "line 4, column 5: the line has 3 columns where the first has 2");
    EXPECT_EQ(error_of("a,b\n\"c\nd\", \"e\nf", names, piece),
              "line 3, column 5: a quote is opened and not closed");
    EXPECT_EQ(error_of("\"a\nb\",\"c\xff\"\n", names, piece),
              "line 2, column 4: the name 'c\\xff' is not UTF-8, or has control characters");
  }
  const std::string open = "a,b\n\"" + std::string(1 << 21, '\n');
  EXPECT_EQ(error_of(open, names, 1 << 16), "line 2, column 1: a quote is opened and not closed");
}

TEST(EdgeListReader, NumbersIdsInIncreasingOrder) {
  const auto ids_of = [](const std::string& text) {
    EdgeList edges(false, false);
    read(edges, text, {}, 1 << 20);
    const Triples found = upper(edges);
    EXPECT_EQ(found, (Triples{{0, 1, 1}, {1, 2, 1}})) << text;
    return edges.ids();
  };
  EXPECT_EQ(ids_of("0 1\n1 2\n"), (std::vector<std::int64_t>{}));
  EXPECT_EQ(ids_of("5 7\n7 9\n"), (std::vector<std::int64_t>{5, 7, 9}));
  EXPECT_EQ(ids_of("2000000000 2000000001\n2000000002 2000000001\n"),
            (std::vector<std::int64_t>{2000000000, 2000000001, 2000000002}));
  EXPECT_EQ(ids_of("3 2147483647\n2147483647 9223372036854775807\n"),
            (std::vector<std::int64_t>{3, 2147483647, 9223372036854775807}));
  EXPECT_EQ(ids_of("-9223372036854775808 -1\n-1 4\n"),
            (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), -1, 4}));
}

TEST(EdgeListReader, SaysWhereTheTextIsWrong) {
  const Shape weighted{.n_columns = 3, .weighted = true};
  const Shape names{.delimiter = ',', .names = true};
  EXPECT_EQ(error_of("0 1\n0 1 2\n"),
            "line 2, column 5: the line has 3 columns where the first has 2");
  EXPECT_EQ(error_of("0 1\n\n7\n"),
            "line 3, column 2: the line has 1 columns where the first has 2");
  EXPECT_EQ(error_of("0 x\n"), "line 1, column 3: the id 'x' is not a whole number of 64 bits");
  EXPECT_EQ(error_of("0 9223372036854775808"),
            "line 1, column 3: the id '9223372036854775808' is not a whole number of 64 bits");
  EXPECT_EQ(error_of("0 1\xff\n"),
            "line 1, column 3: the id '1\\xff' is not a whole number of 64 bits");
  EXPECT_EQ(error_of("0 1 -2\n", weighted),
            "line 1, column 5: the weight '-2' is not finite, or negative");
  EXPECT_EQ(error_of("0 1 nan", weighted),
            "line 1, column 5: the weight 'nan' is not finite, or negative");
  EXPECT_EQ(error_of("0 1 1e999", weighted),
            "line 1, column 5: the weight '1e999' is not a number of 64 bits");
  EXPECT_EQ(error_of("0 1 2z", weighted),
            "line 1, column 5: the weight '2z' is not a number of 64 bits");
  EXPECT_EQ(error_of("0 1 +-2", weighted),
            "line 1, column 5: the weight '+-2' is not a number of 64 bits");
  EXPECT_EQ(error_of("a,\n", names), "line 1, column 3: there is no name");
  EXPECT_EQ(error_of("a,\"b\n", names), "line 1, column 3: a quote is opened and not closed");
  EXPECT_EQ(error_of("a,\"b\"c\"d\"\n", names),
            "line 1, column 3: a quote within quotes must be doubled");
  EXPECT_EQ(error_of("a,\"b\"c\n", names), "line 1, column 3: text follows a closing quote");
  EXPECT_EQ(error_of("a,b\xc3\n", names),
            "line 1, column 3: the name 'b\\xc3' is not UTF-8, or has control characters");
  EXPECT_EQ(error_of("1,\n", {.delimiter = ','}), "line 1, column 3: there is no id");
  EXPECT_EQ(error_of(std::string(1 << 21, '1'), {}, 1 << 20).substr(0, 16), "line 1, column 1");
}

TEST(EdgeListReader, CanBeCancelled) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "0 1\n";
  testing::AfterRequests token(1);
  EdgeList edges(false, false);
  EdgeListReader reader(edges, {});
  EXPECT_THROW(reader.feed(text, token), Cancelled);
}

TEST(Text, KnowsUtf8) {
  for (const char* good : {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xe2\x82",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3("}) {
    EXPECT_FALSE(is_utf8(bad)) << quoted(bad);
  }
}

TEST(Text, KnowsControlCharacters) {
  for (const char* bad : {"\x7f", "a\tb", "\n"}) EXPECT_TRUE(has_control_characters(bad));
  for (const char* good : {"", "a b", "\xc3\xa9"}) EXPECT_FALSE(has_control_characters(good));
}

}  // namespace
}  // namespace powercut
