// The known word nearest to a mistyped one.
#pragma once

#include <string>
#include <vector>

namespace clustersim {

// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
int edit_distance(const std::string& a, const std::string& b);

// The candidate within a third of the word's length (at least 2) of edits, ties to the first; "" if none.
std::string nearest_word(const std::string& word, const std::vector<std::string>& candidates);

// 'did you mean "ring"?', or "" if nothing is near. A word of three letters or more that others start with stands for
// up to three of these: 'did you mean "dgx-a100-40gb" or "dgx-a100-80gb"?'
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace clustersim
