#include "sim/write/html.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "clustersim/clustersim.h"

namespace clustersim {
namespace {

constexpr const char* template_name = "page.html";

// $CLUSTERSIM_PAGE, else beside the catalog of an installed program, else where the build put it.
std::vector<std::filesystem::path> template_paths() {
  if (const char* named = std::getenv("CLUSTERSIM_PAGE"); named != nullptr && *named != '\0') return {named};
  return {std::filesystem::path(data_directory()).parent_path() / "report" / template_name, CLUSTERSIM_BUILT_PAGE};
}

std::string page_template() {
  for (const std::filesystem::path& path : template_paths()) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file && text << file.rdbuf()) return std::move(text).str();
  }
  throw InputError(
      {{"--report", "", "a program built with the page's template", "none at " + template_paths().back().string(),
        "install nodejs and npm and build again (the build fetches the chart library with npm ci)"}});
}

using Replacement = std::pair<std::string_view, const std::string*>;

// Each mark once, in the order in which they stand; what is put in is not searched again.
std::string filled(const std::string& text, const std::vector<Replacement>& replacements) {
  std::string out;
  std::size_t at = 0;
  for (const auto& [mark, value] : replacements) {
    const std::size_t found = text.find(mark, at);
    require(found != std::string::npos, "the page's template has its marks in order");
    out.append(text, at, found - at).append(*value);
    at = found + mark.size();
  }
  return out.append(text, at, std::string::npos);
}

std::string replaced(const std::string& text, const std::vector<std::pair<std::string_view, std::string_view>>& pairs) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    bool found = false;
    for (const auto& [from, to] : pairs)
      if (text.compare(i, from.size(), from) == 0) {
        out += to;
        i += from.size();
        found = true;
        break;
      }
    if (!found) out += text[i++];
  }
  return out;
}

}  // namespace

std::string html_text(const std::string& text) {
  return replaced(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string json_in_html(const std::string& json) {
  return replaced(
      json,
      {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}, {"\xe2\x80\xa8", "\\u2028"}, {"\xe2\x80\xa9", "\\u2029"}});
}

void require_page_template() { page_template(); }

std::string page_of(const std::string& title, const std::string& data, const std::string& text) {
  const std::string safe_title = html_text(title), safe_text = html_text(text), safe_data = json_in_html(data);
  return filled(page_template(), {{"@TITLE@", &safe_title}, {"@TEXT@", &safe_text}, {"@DATA@", &safe_data}});
}

}  // namespace clustersim
