// clustersim claims: the guides' claims, each tried.
#include "tools/clustersim/command.h"

namespace clustersim {
namespace {

std::string try_claims(const Arguments& arguments) {
  const std::string format = arguments.value("format", "table");
  if (format != "table" && format != "json") throw UsageError("--format takes table or json, not \"" + format + "\"");
  return write(claims(), format);
}

}  // namespace

Command claims_command() {
  return {"claims",
          "",
          "The buying guides' claims, each reproduced, bounded or refuted by runs.",
          {{"format", "FORMAT", "table (default) or json"}},
          0,
          0,
          try_claims};
}

}  // namespace clustersim
