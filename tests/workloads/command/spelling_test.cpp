#include "workloads/command/spelling.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "workloads/command/secrets.h"

namespace sweepd::command {
namespace {

// Whether the text is one spelling from its beginning to its end.
bool spells(std::string_view text, std::string_view value) {
  return Spelling(value).at(text, 0).bytes == text.size();
}

TEST(Spelling, IsFoundHoweverTheCharactersAreWritten) {
  const struct {
    std::string value;
    std::vector<std::string> spellings;
  } cases[] = {
      {"pa\"ss",
       {"pa\"ss", R"(pa\"ss)", R"(pa\\\"ss)", R"(pa\u0022ss)", R"(pa""ss)", R"(p\x61\"ss)"}},
      {"a/b/c", {"a/b/c", R"(a\/b/c)", R"(a\/b\/c)", R"(a\u002Fb\u002fc)"}},
      {"hf_k",
       {"hf_k", R"(\u0068f_k)", R"(\u0068\u0066\u005f\u006B)", R"(\\u0068f_k)", R"(h\146_k)",
        R"(\u{68}f_k)", R"(\U00000068f_k)"}},
      {"käse",
       {"käse", R"(k\u00e4se)", R"(k\u00E4se)", R"(k\xe4se)", R"(k\xc3\xa4se)", R"(k\303\244se)"}},
      {"key😀", {"key😀", R"(key\ud83d\ude00)", R"(key\\uD83D\\uDE00)", R"(key\U0001f600)"}},
      {"a\nb\t", {"a\nb\t", R"(a\nb\t)", R"(a\\nb\\t)", R"(a\u000ab\u0009)"}},
      {R"(c:\new)", {R"(c:\new)", R"(c:\\new)", R"(c:\\\\new)", R"(c:\u005cnew)"}},
      {R"(ab\)", {R"(ab\)", R"(ab\\)", R"(ab\\\\)"}},
      {"it's", {"it's", R"(it\'s)", "it''s"}},
      {"ab\xff"
       "c",
       {"ab\xff"
        "c",
        R"(ab\xffc)"}},
  };
  for (const auto& [value, spellings] : cases) {
    for (const std::string& one : spellings) EXPECT_TRUE(spells(one, value)) << one;
  }
}

TEST(Spelling, OfAnotherTextIsNone) {
  for (const char* text :
       {"pass", R"(pa\ss)", R"(pa\u0023ss)", "pa'ss", "Pa\"ss", R"(pa\u22ss)", ""})
    EXPECT_EQ(Spelling("pa\"ss").at(std::string(text) + " ", 0).bytes, 0U) << text;
}

TEST(Spelling, SaysWhetherItMayGoOn) {
  const Spelling token("hf_12");
  for (const char* text : {"h", "hf_1", R"(h\)", R"(h\u00)", R"(\u0068)"})
    EXPECT_TRUE(token.at(text, 0).may_go_on) << text;
  for (const char* text : {"hx", "hf_12", "hf_13"})
    EXPECT_FALSE(token.at(text, 0).may_go_on) << text;
}

std::string random_secret(std::mt19937& random) {
  const std::vector<std::string> characters{"a", "b",  "n", "u",      "x",      "0",  "\"",
                                            "'", "\\", "/", "<",      "\n",     "\t", "\b",
                                            "ä", "é",  "😀", "\u2028", "\u0085", " "};
  std::string secret = "s3";
  const std::size_t length = 2 + random() % 12;
  for (std::size_t i = 0; i < length; ++i) secret += characters[random() % characters.size()];
  return secret + "!";
}

// Each character as itself, or as one of the escapes that JSON has for it.
std::string random_json(const std::string& text, std::mt19937& random) {
  const std::string plain = nlohmann::json(text).dump(),
                    escaped = nlohmann::json(text).dump(-1, ' ', true);
  std::string mixed = random() % 2 == 0 ? plain : escaped;
  const std::string hex = "0123456789abcdef";
  std::string out;
  for (std::size_t at = 0; at < mixed.size(); ++at) {
    const char c = mixed[at];
    const bool inside = at > 0 && at + 1 < mixed.size();
    if (inside && c == '\\') {
      const std::size_t bytes = mixed[at + 1] == 'u' ? 6 : 2;
      out += mixed.substr(at, bytes);
      at += bytes - 1;
    } else if (inside && c == '/' && random() % 2 == 0) {
      out += "\\/";
    } else if (inside && static_cast<unsigned char>(c) < 0x80 && random() % 3 == 0) {
      out += std::string("\\u00") + hex[static_cast<std::size_t>(c) / 16] +
             hex[static_cast<std::size_t>(c) % 16];
    } else {
      out += c;
    }
  }
  return out;
}

// What is hidden in a text of JSON, in JSON within JSON too, is in none of its values either.
TEST(Secrets, OfAnyCharactersAreHiddenInAnyJson) {
  std::mt19937 random(42);
  for (int i = 0; i < 3000; ++i) {
    const std::string secret = random_secret(random);
    ::setenv("TEST_ANY_SECRET", secret.c_str(), 1);
    const Secrets secrets("TEST_ANY_SECRET");
    std::string line = random_json(secret, random);
    for (std::size_t depth = random() % 3; depth > 0; --depth)
      line = nlohmann::json("x " + line).dump(-1, ' ', random() % 2 == 0);
    const std::string hidden = secrets.hide("{\"a\":" + line + "}");
    auto value = nlohmann::json::parse(hidden, nullptr, false);
    ASSERT_FALSE(value.is_discarded()) << secret << " in " << line << " is " << hidden;
    EXPECT_EQ(hidden.find(secret), std::string::npos) << hidden;
    for (nlohmann::json text = value["a"]; text.is_string();) {
      const std::string decoded = text;
      EXPECT_EQ(decoded.find(secret), std::string::npos) << secret << " in " << line;
      EXPECT_NE(decoded.find("[TEST_ANY_SECRET]"), std::string::npos) << secret << " in " << line;
      const bool nested = decoded.starts_with("x ");
      text = nested ? nlohmann::json::parse(decoded.substr(2), nullptr, false) : nlohmann::json();
    }
  }
  ::unsetenv("TEST_ANY_SECRET");
}

}  // namespace
}  // namespace sweepd::command
