// The networks as lists of layers with their shapes, and the totals that follow from them.
//
//   convolution:  2 * P * Q * Cout * Cin * R * S FLOP forward per image, Cout*Cin*R*S (+ Cout bias) parameters
//   normalisation: 2 * C parameters;   linear: 2 * in * out FLOP, in*out + out parameters
//   encoder layer of width h: 24 h^2 FLOP per token + 4 S h per token of attention, 12 h^2 + 13 h parameters
// Source: He et al. 2015 (ResNet; v1.5: stride in the 3x3), Simonyan and Zisserman 2014 (VGG), Devlin et al. 2018.
// Checked by: tests/models/layers_test.cc against published totals
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clustersim {

enum class After : std::uint8_t { norm, norm_relu, norm_add_relu, bias_relu };

struct ConvLayer {
  std::string name;
  int in_channels = 0, out_channels = 0;
  int window = 1, in_size = 0, stride = 1;
  After after = After::norm_relu;
  bool pooled = false;  // a max-pool of stride 2 follows
  double pool_window = 2;
  int out_size() const { return in_size / stride; }
  double weights() const;
  double parameters() const;  // with normalisation or bias
  int tensors() const;
  double output_elements() const;  // per image
  double forward_flop() const;     // per image
};

struct LinearLayer {
  std::string name;
  int in = 0, out = 0;
  bool relu_dropout = false;
  double parameters() const { return static_cast<double>(in) * out + out; }
  double forward_flop() const { return 2.0 * in * out; }
};

struct CnnNetwork {
  std::vector<ConvLayer> convolutions;
  std::vector<LinearLayer> linears;
  int last_size = 7;         // spatial size before the classifier
  bool average_pool = true;  // else flattened
  double parameters() const;
  int tensors() const;
  double forward_flop() const;
};

struct BertNetwork {
  int layers = 24, hidden = 1024, heads = 16, feed_forward = 4096;
  int vocabulary = 30522, positions = 512;
  bool span_head = false;  // two outputs a token in place of the pre-training heads
  double layer_parameters() const;
  double embedding_parameters() const;
  double head_parameters() const;  // pooler, masked-language and next-sentence heads (the decoder is tied), or span
  double parameters() const { return layers * layer_parameters() + embedding_parameters() + head_parameters(); }
  int head_tensors() const { return span_head ? 2 : 9; }
  int tensors() const { return 5 + 16 * layers + head_tensors(); }
  // Per sequence of S tokens (S2 = E[S^2]) with `masked` predicted tokens.
  double forward_flop(double tokens, double tokens_squared, double masked) const;
};

// resnet-50, resnet-101, resnet-152, vgg16. Throws InternalError for other ids.
CnnNetwork cnn_network(const std::string& model_id);
// bert-base, bert-large.
BertNetwork bert_network(const std::string& model_id);

}  // namespace clustersim
