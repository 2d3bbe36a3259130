// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptx-agree: the same PTX on the same inputs on two devices, compared to the
// bit. Exit status: 0 all agree, 1 some do not, 2 usage, 3 no GPU.
#include "Case.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>

using namespace gemm::agreement;

static const std::map<std::string, CaseList (*)(const RunOptions &)> allParts =
    {{"tiles", tileCases},
     {"copies", copyCases},
     {"scalars", scalarCases},
     {"kernels", kernelCases}};

int main(int argc, char **argv) {
  CLI::App app{"Runs the same PTX on the same inputs on two devices and "
               "compares the bits.\n"
               "A device is cuda[:N] or emulator[:sm_NN[a]][,seed=N]"
               "[,async=late|early|random][,sms=N][,sanitize=on|off].\n"
               "Exit status: 0 all agree, 1 some do not, 2 usage, 3 no GPU."};
  std::string device = "cuda", against = "emulator:sm_90a", show;
  RunOptions options;
  std::vector<std::string> parts = {"kernels", "tiles", "scalars", "copies"};
  bool list = false;
  app.add_option("--device", device, "first device")->capture_default_str();
  app.add_option("--against", against, "second device")->capture_default_str();
  app.add_option("--parts", parts,
                 "tiles: tensor instructions; copies: tensor copies; scalars: "
                 "all other instructions; kernels: those of --kernels")
      ->delimiter(',')
      ->check(CLI::IsMember(allParts))
      ->capture_default_str();
  app.add_option("--kernels", options.kernels,
                 "files that describe kernels (KernelDescription.h)")
      ->delimiter(',')
      ->check(CLI::ExistingFile);
  app.add_option(
         "--tiles", options.tiles,
         "tiles of each tensor instruction; a quarter of the values of others")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--only", options.only, "cases whose name has one of these")
      ->delimiter(',');
  app.add_option("--seconds", options.seconds, "start nothing after so long")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "of the inputs")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "one per core by default");
  app.add_option("--json", options.json,
                 "write the results to this file, one JSON object a line");
  app.add_option("--show", show, "print the PTX of the case of this name");
  app.add_flag("--list", list, "list the cases");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? 2 : 0;
  }
  try {
    CaseList cases;
    for (const std::string &part : parts)
      std::ranges::move(allParts.at(part)(options), std::back_inserter(cases));
    select(cases, options);
    if (cases.empty()) {
      std::cerr << "ptx-agree: --only names no case; --list shows all\n";
      return 2;
    }
    if (!show.empty()) {
      for (const auto &c : cases)
        if (c->name == show) {
          std::cout << c->ptx();
          return 0;
        }
      std::cerr << "ptx-agree: no case is named '" << show << "'\n";
      return 2;
    }
    if (list) {
      for (const auto &c : cases)
        std::cout << c->name << "\n";
      return 0;
    }
    return runCases(cases, device, against, options);
  } catch (const std::exception &error) {
    std::cerr << "ptx-agree: " << error.what() << "\n";
    return 2;
  }
}
