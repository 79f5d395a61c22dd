// The page of a result: the template of the build with the result's data in it. sim/write/html_*.cc make the data.
#pragma once

#include <string>

namespace clustersim {

// `data`: JSON that the template's script reads; `text`: what is shown where scripts do not run.
std::string page_of(const std::string& title, const std::string& data, const std::string& text);

// "<" as "&lt;" and its like: text as it may stand between tags.
std::string html_text(const std::string& text);

// JSON as it may stand in a script element: no "<", ">" or "&", and none of the two line ends that JSON allows and
// scripts did not.
std::string json_in_html(const std::string& json);

}  // namespace clustersim
