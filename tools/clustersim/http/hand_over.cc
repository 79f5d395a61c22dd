// Without HTTP in this program: the same command goes on in clustersim-serve, which lies beside it.
#include "tools/clustersim/hand_over.h"

#include "clustersim/error.h"
#include "tools/clustersim/http/http.h"

namespace clustersim {

void serve_to_browser(const std::string&, int) {
  const std::string path = hand_over("clustersim-serve");
  throw InputError({{"clustersim serve", "", "a program built with cpp-httplib", "no " + path,
                     "install libcpp-httplib-dev and pkg-config and build again"}});
}

}  // namespace clustersim
