#include "models/workload/operator_kind.h"

#include <catch2/catch.hpp>

using namespace clustersim;

TEST_CASE("kernels are known by their names") {
  // Names of the forms that the libraries give: cuBLAS, cuDNN, CUTLASS, PyTorch, FlashAttention, Apex, NCCL.
  CHECK(operator_kind("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_nn") == OperatorKind::matmul);
  CHECK(operator_kind("sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc") == OperatorKind::convolution);
  CHECK(operator_kind("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>") == OperatorKind::normalization);
  CHECK(operator_kind("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>") ==
        OperatorKind::elementwise);
  CHECK(operator_kind("flash_fwd_kernel<Flash_fwd_kernel_traits<64>>") == OperatorKind::attention);
  CHECK(operator_kind("void multi_tensor_apply_kernel<TensorListMetadata<2>>") == OperatorKind::optimizer);
  CHECK(operator_kind("ncclDevKernel_AllReduce_Sum_f32_RING_LL") == OperatorKind::collective);
  CHECK(operator_kind("gloo:all_reduce") == OperatorKind::collective);
  CHECK(operator_kind("Memcpy HtoD (Pinned -> Device)") == OperatorKind::host_copy);
  CHECK(operator_kind("Memset (Device)") == OperatorKind::copy);
  // PyTorch names kernels after the lambdas that they run, which is no LAMB.
  CHECK(operator_kind("void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda("
                      "at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda(float)#1}>") ==
        OperatorKind::elementwise);
  CHECK(operator_kind("void multi_tensor_apply_kernel<LAMBStage1Functor<float>>") == OperatorKind::optimizer);
  CHECK(operator_kind("convertTensor_kernel<float, __half>") == OperatorKind::elementwise);
  CHECK(operator_kind("Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1") == OperatorKind::matmul);
  CHECK(operator_kind("triton_tem_fused_mm_12") == OperatorKind::matmul);
  CHECK(operator_kind("triton_poi_fused_add_3") == OperatorKind::elementwise);
  CHECK(operator_kind("my_own_thing") == OperatorKind::unknown);
}

TEST_CASE("the number format stands in a matrix kernel's name") {
  CHECK(math_format_of_name("ampere_fp16_s16816gemm_fp16") == MathFormat::half);
  CHECK(math_format_of_name("ampere_sgemm_128x64_nn") == MathFormat::simt);
  CHECK(math_format_of_name("sm80_xmma_gemm_f32f32_tf32f32_f32_nn") == MathFormat::tf32);
  CHECK(math_format_of_name("sm90_xmma_gemm_e4m3e4m3_f32") == MathFormat::fp8);
  CHECK_FALSE(math_format_of_name("vectorized").has_value());
}

TEST_CASE("operations are known in every library's spelling") {
  CHECK(collective_op_of_name("ncclDevKernel_AllReduce_Sum_f32_RING_LL") == CollectiveOp::all_reduce);
  CHECK(collective_op_of_name("_reduce_scatter_base") == CollectiveOp::reduce_scatter);
  CHECK(collective_op_of_name("all_gather_into_tensor") == CollectiveOp::all_gather);
  CHECK(collective_op_of_name("ncclKernel_SendRecv_RING") == CollectiveOp::send_recv);
  CHECK(collective_op_of_name("all_to_allv") == CollectiveOp::all_to_all);
  CHECK_FALSE(collective_op_of_name("barrier").has_value());
  for (const CollectiveOp op :
       {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::reduce,
        CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::send_recv})
    CHECK(collective_op_of_name(to_string(op)) == op);
}
