// An XML text of a user's, parsed within bounds: at most kMostXmlBytes and kDeepestXml levels. Document types and
// entities other than the five of XML are not read, so none can grow.
// Included by .cc files only, since it shows pugixml.
#pragma once

#include <cstddef>
#include <string>

namespace pugi {
class xml_document;
}

namespace clustersim {

inline constexpr std::size_t kMostXmlBytes = std::size_t{16} << 20;
inline constexpr int kDeepestXml = 128;

// Name of the first element, "" if there is none; what stands before it (prompts, comments, a declaration) is passed.
std::string xml_root(const std::string& text);

// A fault (InputError) where the text is not XML, too large or too deep.
void parse_xml(const std::string& text, const std::string& path, pugi::xml_document& document);

}  // namespace clustersim
