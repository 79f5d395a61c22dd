#include "models/workload/layers.h"

#include "clustersim/error.h"

namespace clustersim {

double ConvLayer::weights() const { return static_cast<double>(in_channels) * out_channels * window * window; }

double ConvLayer::parameters() const { return weights() + (after == After::bias_relu ? 1.0 : 2.0) * out_channels; }

int ConvLayer::tensors() const { return after == After::bias_relu ? 2 : 3; }

double ConvLayer::output_elements() const { return static_cast<double>(out_channels) * out_size() * out_size(); }

double ConvLayer::forward_flop() const { return 2 * output_elements() * in_channels * window * window; }

double CnnNetwork::parameters() const {
  double total = 0;
  for (const ConvLayer& layer : convolutions) total += layer.parameters();
  for (const LinearLayer& layer : linears) total += layer.parameters();
  return total;
}

int CnnNetwork::tensors() const {
  int total = 2 * static_cast<int>(linears.size());
  for (const ConvLayer& layer : convolutions) total += layer.tensors();
  return total;
}

double CnnNetwork::forward_flop() const {
  double total = 0;
  for (const ConvLayer& layer : convolutions) total += layer.forward_flop();
  for (const LinearLayer& layer : linears) total += layer.forward_flop();
  return total;
}

double BertNetwork::layer_parameters() const {
  const double h = hidden, f = feed_forward;
  // Four h x h projections with bias, two feed-forward matrices with bias, two layer norms.
  return 4 * (h * h + h) + (h * f + f) + (f * h + h) + 4 * h;
}

double BertNetwork::embedding_parameters() const { return (vocabulary + positions + 2.0) * hidden + 2.0 * hidden; }

double BertNetwork::head_parameters() const {
  const double h = hidden;
  if (span_head) return 2 * h + 2;
  return (h * h + h) + (h * h + h + 2 * h + vocabulary) + (2 * h + 2);
}

double BertNetwork::forward_flop(double tokens, double tokens_squared, double masked) const {
  const double h = hidden;
  const double layer = tokens * (8 * h * h + 4 * h * feed_forward) + 4 * tokens_squared * h;
  return layers * layer + masked * 2 * h * (vocabulary + h);
}

namespace {

CnnNetwork resnet(const int (&blocks)[4]) {
  CnnNetwork net;
  net.convolutions.push_back({"conv1", 3, 64, 7, 224, 2, After::norm_relu, true, 3});
  int in = 64, size = 56;
  const int widths[4] = {64, 128, 256, 512};
  for (int stage = 0; stage < 4; ++stage) {
    const int width = widths[stage];
    for (int block = 0; block < blocks[stage]; ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      const int stride = block == 0 && stage > 0 ? 2 : 1;
      if (block == 0)
        net.convolutions.push_back({name + ".downsample", in, 4 * width, 1, size, stride, After::norm, false, 2});
      net.convolutions.push_back({name + ".conv1", in, width, 1, size, 1, After::norm_relu, false, 2});
      net.convolutions.push_back({name + ".conv2", width, width, 3, size, stride, After::norm_relu, false, 2});
      size /= stride;
      net.convolutions.push_back({name + ".conv3", width, 4 * width, 1, size, 1, After::norm_add_relu, false, 2});
      in = 4 * width;
    }
  }
  net.linears.push_back({"fc", 2048, 1000, false});
  return net;
}

CnnNetwork vgg16() {
  CnnNetwork net;
  const int widths[5] = {64, 128, 256, 512, 512}, counts[5] = {2, 2, 3, 3, 3};
  int in = 3, size = 224;
  for (int stage = 0; stage < 5; ++stage) {
    for (int i = 0; i < counts[stage]; ++i) {
      const std::string name = "conv" + std::to_string(stage + 1) + "." + std::to_string(i);
      net.convolutions.push_back({name, in, widths[stage], 3, size, 1, After::bias_relu, i + 1 == counts[stage], 2});
      in = widths[stage];
    }
    size /= 2;
  }
  net.average_pool = false;
  net.linears = {{"fc1", 512 * 49, 4096, true}, {"fc2", 4096, 4096, true}, {"fc3", 4096, 1000, false}};
  return net;
}

}  // namespace

CnnNetwork cnn_network(const std::string& model_id) {
  if (model_id == "resnet-50") return resnet({3, 4, 6, 3});
  if (model_id == "resnet-101") return resnet({3, 4, 23, 3});
  if (model_id == "resnet-152") return resnet({3, 8, 36, 3});
  require(model_id == "vgg16", "a convolutional network of the catalog");
  return vgg16();
}

BertNetwork bert_network(const std::string& model_id) {
  if (model_id == "bert-base") return {12, 768, 12, 3072, 30522, 512};
  require(model_id == "bert-large", "a BERT of the catalog");
  return {24, 1024, 16, 4096, 30522, 512};
}

}  // namespace clustersim
