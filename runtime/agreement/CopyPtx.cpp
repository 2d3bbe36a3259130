// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CopyPtx.h"

namespace gemm::agreement {

namespace {

/// Runs `body` for every 16 bytes of shared memory, %at and %place being the
/// addresses in shared and in global memory.
std::string everywhere(const std::string &label, const std::string &body) {
  return "  mad.lo.u32 %at, %thread, 16, %image;\n"
         "  mad.wide.u32 %place, %thread, 16, %data;\n"
         "  mov.u32 %i, 0;\n" +
         label + ":\n" + body + "  add.u32 %at, %at, " +
         std::to_string(16 * copyThreads) + ";\n  add.u64 %place, %place, " +
         std::to_string(16 * copyThreads) +
         ";\n  add.u32 %i, %i, 1;\n  setp.lt.u32 %p, %i, " +
         std::to_string(copySharedBytes / (16 * copyThreads)) +
         ";\n  @%p bra " + label + ";\n";
}

std::string coordinates(unsigned rank) {
  std::string list = "{";
  for (unsigned d = 0; d < rank; ++d)
    list += (d ? ", %c" : "%c") + std::to_string(d);
  return list + "}";
}

/// A wait that gives up: a wrong byte count must not hang the device.
const char *const waitForLoad =
    "  mov.u32 %i, 0;\n"
    "WAIT:\n"
    "  mbarrier.try_wait.parity.shared::cta.b64 %p, [barrier], 0;\n"
    "  @%p bra LANDED;\n"
    "  add.u32 %i, %i, 1;\n"
    "  setp.lt.u32 %q, %i, 1000;\n"
    "  @%q bra WAIT;\n"
    "LANDED:\n"
    "  selp.u32 %t0, 1, 0, %p;\n"
    "  setp.ne.u32 %q, %thread, 0;\n"
    "  @!%q st.global.u32 [%data+32768], %t0;\n";

} // namespace

std::string copyPtx(unsigned rank, bool load) {
  static_assert(copySharedBytes == 32768, "written out in waitForLoad");
  const std::string dimensions = std::to_string(rank) + "d";
  std::string text =
      ".version 8.6\n.target sm_90a\n.address_size 64\n"
      ".extern .shared .align 1024 .b8 image[];\n"
      ".visible .entry copy(.param .align 64 .b8 map[128], .param .u64 data,\n"
      "  .param .u32 bytes, .param .u32 c0, .param .u32 c1, .param .u32 c2,\n"
      "  .param .u32 c3, .param .u32 c4)\n{\n"
      "  .shared .align 8 .b64 barrier;\n"
      "  .reg .pred %p, %q;\n"
      "  .reg .b32 %c<5>, %t<4>, %thread, %image, %at, %i, %bytes;\n"
      "  .reg .b64 %map, %data, %place, %state;\n"
      "  mov.u64 %map, map;\n"
      "  cvta.param.u64 %map, %map;\n"
      "  ld.param.u64 %data, [data];\n"
      "  ld.param.u32 %bytes, [bytes];\n"
      "  mov.u32 %thread, %tid.x;\n"
      "  mov.u32 %image, image;\n";
  for (unsigned d = 0; d < 5; ++d)
    text += "  ld.param.u32 %c" + std::to_string(d) + ", [c" +
            std::to_string(d) + "];\n";
  text += "  setp.ne.u32 %q, %thread, 0;\n";
  if (load) {
    text += "  mov.u32 %t0, 0xA5A5A5A5;\n" +
            everywhere("CLEAR", "  st.shared.v4.b32 [%at], {%t0, %t0, %t0, "
                                "%t0};\n") +
            "  @!%q mbarrier.init.shared::cta.b64 [barrier], 1;\n"
            "  fence.proxy.async;\n"
            "  bar.sync 0;\n"
            "  @%q bra ISSUED;\n"
            "  mbarrier.arrive.expect_tx.shared::cta.b64 %state, [barrier], "
            "%bytes;\n"
            "  cp.async.bulk.tensor." +
            dimensions +
            ".shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[%image], [%map, " +
            coordinates(rank) + "], [barrier];\nISSUED:\n" + waitForLoad +
            everywhere("DUMP",
                       "  ld.shared.v4.b32 {%t0, %t1, %t2, %t3}, [%at];\n"
                       "  st.global.v4.b32 [%place], {%t0, %t1, %t2, %t3};\n");
  } else {
    text += everywhere("FILL",
                       "  ld.global.v4.b32 {%t0, %t1, %t2, %t3}, [%place];\n"
                       "  st.shared.v4.b32 [%at], {%t0, %t1, %t2, %t3};\n") +
            "  fence.proxy.async;\n"
            "  bar.sync 0;\n"
            "  @%q bra STORED;\n"
            "  cp.async.bulk.tensor." +
            dimensions + ".global.shared::cta.tile.bulk_group [%map, " +
            coordinates(rank) +
            "], [%image];\n"
            "  cp.async.bulk.commit_group;\n"
            "  cp.async.bulk.wait_group 0;\n"
            "STORED:\n";
  }
  return text + "  ret;\n}\n";
}

} // namespace gemm::agreement
