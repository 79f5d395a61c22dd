// A text as gzip packs it.
#pragma once

#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <sstream>
#include <string>

namespace clustersim {

inline std::string gzip_of(const std::string& text) {
  std::istringstream from(text);
  std::ostringstream to;
  boost::iostreams::filtering_istream in;
  in.push(boost::iostreams::gzip_compressor());
  in.push(from);
  boost::iostreams::copy(in, to);
  return to.str();
}

}  // namespace clustersim
