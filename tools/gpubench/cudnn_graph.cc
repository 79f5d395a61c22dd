#include "tools/gpubench/cudnn_graph.h"

#include <algorithm>
#include <string>

#include "tools/gpubench/libraries.h"

namespace clustersim::gpubench {
namespace {

constexpr std::int64_t most_engines = 32;
constexpr std::size_t most_workspace_bytes = std::size_t{4} << 30;

SharedDescriptor make(cudnnBackendDescriptorType_t type) { return std::make_shared<Descriptor>(type); }

// Configurations in the heuristic's order; none where it cannot answer in this mode.
std::vector<SharedDescriptor> configurations(const Descriptor& graph, cudnnBackendHeurMode_t mode) {
  Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  if (!heuristic.try_finalize()) return {};
  std::vector<SharedDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (std::int64_t i = 0; i < most_engines; ++i) {
    found.push_back(make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    raw.push_back(found.back()->get());
  }
  std::int64_t count = 0;
  if (FROM(cudnn, cudnnBackendGetAttribute)(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                            CUDNN_TYPE_BACKEND_DESCRIPTOR, most_engines, &count,
                                            raw.data()) != CUDNN_STATUS_SUCCESS) {
    return {};
  }
  found.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, most_engines)));
  return found;
}

EngineNotes notes_of(const Descriptor& configuration) {
  const Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t raw = engine.get();
  std::int64_t count = 0;
  cudnnBackendNumericalNote_t numerical[CUDNN_NUMERICAL_NOTE_TYPE_COUNT] = {};
  EngineNotes notes;
  if (FROM(cudnn, cudnnBackendGetAttribute)(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                                            CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw) != CUDNN_STATUS_SUCCESS ||
      FROM(cudnn, cudnnBackendGetAttribute)(engine.get(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                            CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &count,
                                            numerical) != CUDNN_STATUS_SUCCESS) {
    return notes;
  }
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, CUDNN_NUMERICAL_NOTE_TYPE_COUNT); ++i) {
    notes.tensor_core |= numerical[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
    notes.winograd |= numerical[i] == CUDNN_NUMERICAL_NOTE_WINOGRAD;
  }
  return notes;
}

}  // namespace

cudnnHandle_t Cudnn::get() const {
  if (handle_ == nullptr) {
    check(FROM(cudnn, cudnnCreate)(&handle_), "start cuDNN");
    check(FROM(cudnn, cudnnSetStream)(handle_, stream_), "give cuDNN a stream");
  }
  return handle_;
}

Cudnn::~Cudnn() {
  if (handle_ != nullptr) FROM(cudnn, cudnnDestroy)(handle_);
}

Descriptor::Descriptor(cudnnBackendDescriptorType_t type) {
  check(FROM(cudnn, cudnnBackendCreateDescriptor)(type, &descriptor_), "create a descriptor of cuDNN");
}

Descriptor::~Descriptor() { FROM(cudnn, cudnnBackendDestroyDescriptor)(descriptor_); }

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                            const void* values) {
  check(FROM(cudnn, cudnnBackendSetAttribute)(descriptor_, name, type, count, values),
        "set attribute " + std::to_string(name) + " of cuDNN");
  return *this;
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, const Descriptor& other) {
  const cudnnBackendDescriptor_t raw = other.get();
  return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
}

Descriptor& Descriptor::set_counts(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& counts) {
  return set(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(counts.size()), counts.data());
}

Descriptor& Descriptor::set_real(cudnnBackendAttributeName_t name, double number) {
  return set(name, CUDNN_TYPE_DOUBLE, 1, &number);
}

Descriptor& Descriptor::set(cudnnBackendAttributeName_t name, cudnnDataType_t type) {
  return set(name, CUDNN_TYPE_DATA_TYPE, 1, &type);
}

Descriptor& Descriptor::finalize(const char* what) {
  check(FROM(cudnn, cudnnBackendFinalize)(descriptor_), what);
  return *this;
}

bool Descriptor::try_finalize() { return FROM(cudnn, cudnnBackendFinalize)(descriptor_) == CUDNN_STATUS_SUCCESS; }

SharedDescriptor tensor(std::int64_t id, cudnnDataType_t type, const std::vector<std::int64_t>& dimensions,
                        const std::vector<std::int64_t>& strides, Place place) {
  const SharedDescriptor made = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made->set_counts(CUDNN_ATTR_TENSOR_UNIQUE_ID, {id});
  made->set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  made->set_counts(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, {16});
  made->set_counts(CUDNN_ATTR_TENSOR_DIMENSIONS, dimensions);
  made->set_counts(CUDNN_ATTR_TENSOR_STRIDES, strides);
  const bool by_value = place == Place::host;
  if (by_value) made->set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
  made->finalize("describe a tensor");
  return made;
}

CudnnPlan::CudnnPlan(const Cudnn& library, const Descriptor& operation, bool tensor_cores) : handle_(library.get()) {
  Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  const cudnnBackendDescriptor_t raw = operation.get();
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle_);
  graph.finalize("describe an operation of cuDNN");
  std::string no_memory;
  for (cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    for (const SharedDescriptor& configuration : configurations(graph, mode)) {
      const EngineNotes notes = notes_of(*configuration);
      if (notes.tensor_core && !tensor_cores) continue;
      const SharedDescriptor plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      plan->set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle_);
      plan->set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, *configuration);
      if (!plan->try_finalize()) continue;
      std::int64_t count = 0, bytes = 0;
      check(FROM(cudnn, cudnnBackendGetAttribute)(plan->get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                                  CUDNN_TYPE_INT64, 1, &count, &bytes),
            "ask for the workspace of a plan");
      if (static_cast<std::size_t>(bytes) > most_workspace_bytes) continue;
      try {
        workspace_ = bytes > 0 ? allocate(static_cast<std::size_t>(bytes)) : nullptr;
      } catch (const Unavailable& reason) {  // another engine may need less
        cudaGetLastError();
        no_memory = reason.what();
        continue;
      }
      configuration_ = configuration;
      plan_ = plan;
      notes_ = notes;
      return;
    }
  }
  throw Unavailable(no_memory.empty() ? "cuDNN has no engine for this operation on this GPU" : no_memory);
}

void CudnnPlan::bind(const std::vector<std::int64_t>& ids, const std::vector<void*>& data) {
  variant_ = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  variant_->set_counts(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  variant_->set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, static_cast<std::int64_t>(data.size()),
                data.data());
  void* workspace = workspace_ ? workspace_->as() : nullptr;
  variant_->set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
  variant_->finalize("bind the tensors of a plan");
}

void CudnnPlan::enqueue() const {
  check(FROM(cudnn, cudnnBackendExecute)(handle_, plan_->get(), variant_->get()), "run a plan of cuDNN");
}

}  // namespace clustersim::gpubench
