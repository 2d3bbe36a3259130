// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags whose values are checked with messages of our own words.
#ifndef GEMM_RUN_FLAGPARSING_H
#define GEMM_RUN_FLAGPARSING_H

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gemm::tools {

// An option whose text `handle` validates and stores.
CLI::Option *add(CLI::App &app, const std::string &flag,
                 const std::string &help,
                 std::function<void(const std::string &)> handle,
                 const std::string &placeholder);

std::vector<std::string> split(const std::string &text, char separator);

// These throw CLI::ValidationError, which names the flag.
int64_t parseInteger(const std::string &flag, const std::string &text,
                     int64_t lowest, int64_t highest);
// A finite number.
double parseNumber(const std::string &flag, const std::string &text);
void oneOf(const std::string &flag, const std::string &text,
           const std::vector<std::string> &choices);

} // namespace gemm::tools

#endif // GEMM_RUN_FLAGPARSING_H
