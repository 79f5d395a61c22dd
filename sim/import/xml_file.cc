#include "sim/import/xml_file.h"

#include <algorithm>
#include <pugixml.hpp>

#include "clustersim/error.h"

namespace clustersim {
namespace {

// Where the first element's "<" stands; npos if nowhere.
std::size_t first_element(const std::string& text) {
  std::size_t at = 0;
  while ((at = text.find('<', at)) != std::string::npos && at + 1 < text.size()) {
    const char next = text[at + 1];
    if ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z')) return at;
    const bool comment = text.compare(at, 4, "<!--") == 0;
    const std::size_t end = text.find(comment ? "-->" : ">", at + 1);
    if (end == std::string::npos) return end;
    at = end + 1;
  }
  return std::string::npos;
}

std::string line_of(const std::string& text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return std::to_string(1 + std::count(text.begin(), end, '\n'));
}

class Depth : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node&) override { return depth() < kDeepestXml; }
};

}  // namespace

std::string xml_root(const std::string& text) {
  const std::size_t at = first_element(text);
  if (at == std::string::npos) return "";
  const std::size_t end = text.find_first_of(" \t\r\n/>", at);
  return end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
}

void parse_xml(const std::string& text, const std::string& path, pugi::xml_document& document) {
  if (text.size() > kMostXmlBytes)
    throw InputError({{path, "", "XML of at most 16 MiB", "about " + std::to_string(text.size() >> 20) + " MiB", ""}});
  const std::size_t from = std::min(first_element(text), text.size());
  const auto result = document.load_buffer(text.data() + from, text.size() - from);
  if (!result) {
    const auto offset = from + static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, result.offset));
    throw InputError({{path, "", "XML text", std::string(result.description()) + " in line " + line_of(text, offset),
                       "was the file cut off, or edited by hand?"}});
  }
  Depth depth;
  if (!document.traverse(depth))
    throw InputError({{path, "", "at most " + std::to_string(kDeepestXml) + " levels of elements", "more", ""}});
}

}  // namespace clustersim
