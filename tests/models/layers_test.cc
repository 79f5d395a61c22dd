#include "models/workload/layers.h"

#include <catch2/catch.hpp>

#include "clustersim/error.h"

using namespace clustersim;

TEST_CASE("layers: published parameter counts") {
  // torchvision model zoo and Hugging Face model cards, as in scenarios/models.
  CHECK(cnn_network("resnet-50").parameters() == 25557032);
  CHECK(cnn_network("resnet-101").parameters() == 44549160);
  CHECK(cnn_network("resnet-152").parameters() == 60192808);
  CHECK(cnn_network("vgg16").parameters() == 138357544);
  CHECK(bert_network("bert-base").parameters() == 110106428);  // with both heads
  CHECK(bert_network("bert-large").parameters() == 336226108);
  const BertNetwork large = bert_network("bert-large");
  // Without the two prediction heads: 335,141,888.
  const double h = large.hidden, heads_without_pooler = (h * h + h) + 2 * h + large.vocabulary + (2 * h + 2);
  CHECK(large.parameters() - heads_without_pooler == 335141888);
}

TEST_CASE("layers: published training arithmetic") {
  // Training FLOP per image: three times forward.
  CHECK(3 * cnn_network("resnet-50").forward_flop() == 24535105536);
  CHECK(3 * cnn_network("resnet-101").forward_flop() == 46808432640);
  CHECK(3 * cnn_network("resnet-152").forward_flop() == 69081759744);
  CHECK(3 * cnn_network("vgg16").forward_flop() == 92821585920);
  // Encoder products of one sequence, then the head on every token.
  const BertNetwork large = bert_network("bert-large");
  CHECK(large.forward_flop(128, 128. * 128, 0) == 78920024064);
  CHECK(large.forward_flop(512, 512. * 512, 0) == 335007449088);
  // 8,269,598,720 counts the next-sentence head too: 2 h x 2.
  CHECK(large.forward_flop(128, 128. * 128, 128) - large.forward_flop(128, 128. * 128, 0) + 4 * large.hidden ==
        8269598720);
  CHECK(bert_network("bert-base").forward_flop(384, 384. * 384, 0) == 70665633792);
}

TEST_CASE("layers: tensors of parameters") {
  // ResNet: each convolution carries a weight and a normalisation's scale and shift; the classifier two.
  CHECK(cnn_network("resnet-50").tensors() == 53 * 3 + 2);
  CHECK(cnn_network("resnet-152").tensors() == 155 * 3 + 2);
  CHECK(cnn_network("vgg16").tensors() == 2 * 16);
  CHECK(bert_network("bert-large").tensors() == 398);
  CHECK_THROWS_AS(cnn_network("bert-large"), InternalError);
}
