// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "EmulatorFlags.h"

#include "FlagParsing.h"

namespace gemm::tools {

void addEmulatorFlags(CLI::App &app, EmulatorOptions &options) {
  auto addFlag = [&](const std::string &flag, const std::string &help,
                     const std::string &placeholder,
                     std::function<void(const std::string &)> handle) {
    add(
        app, flag, help,
        [flag, handle = std::move(handle), &options](const std::string &text) {
          handle(text);
          if (options.given.empty())
            options.given = flag;
        },
        placeholder)
        ->group("Emulator");
  };
  gemm_device_options &device = options.device;
  app.add_flag_callback(
         "--counters",
         [&options] {
           options.device.emulator_counters = 1;
           if (options.given.empty())
             options.given = "--counters";
         },
         "print what the last run executed: instructions by class, global "
         "sectors, bank conflicts by PTX line, arithmetic intensity (slower)")
      ->group("Emulator");
  addFlag("--sanitize",
          "on: races, undefined data, accesses out of bounds and misuse of "
          "barriers fail the run; strict: so do notes (what is right only in "
          "practice); off: faster (default on)",
          "MODE", [&device](const std::string &text) {
            oneOf("--sanitize", text, {"on", "off", "strict"});
            device.emulator_sanitizer =
                text == "on"    ? GEMM_EMULATOR_SANITIZER_ON
                : text == "off" ? GEMM_EMULATOR_SANITIZER_OFF
                                : GEMM_EMULATOR_SANITIZER_STRICT;
          });
  addFlag("--async",
          "when the effect of an asynchronous copy or product lands between "
          "its issue and its wait: late, early or random (default random)",
          "WHEN", [&device](const std::string &text) {
            oneOf("--async", text, {"late", "early", "random"});
            device.emulator_async = text == "late" ? GEMM_EMULATOR_ASYNC_LATE
                                    : text == "early"
                                        ? GEMM_EMULATOR_ASYNC_EARLY
                                        : GEMM_EMULATOR_ASYNC_RANDOM;
          });
  addFlag("--sms", "multiprocessors (default 4)", "N",
          [&device](const std::string &text) {
            device.emulator_multiprocessors =
                static_cast<int32_t>(parseInteger("--sms", text, 1, 1024));
          });
  addFlag("--interleaving",
          "seed of the order of warps and of --async=random; each further run "
          "(--repeat, --sweep) takes the next one (default 0)",
          "N", [&device](const std::string &text) {
            device.emulator_seed = static_cast<uint64_t>(
                parseInteger("--interleaving", text, 0, INT64_MAX));
          });
}

} // namespace gemm::tools
