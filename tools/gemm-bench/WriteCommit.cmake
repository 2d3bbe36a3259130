# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DSOURCE=DIR -DOUTPUT=FILE -P WriteCommit.cmake: writes Commit.cpp, anew
# only if the commit has changed.
set(ENV{GIT_OPTIONAL_LOCKS} 0)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit unknown)
endif()
set(text "#include \"Commit.h\"

const char *gemm::bench::commitOfBuild() { return \"${commit}\"; }
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
