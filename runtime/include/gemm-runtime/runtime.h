/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * gemm-runtime: loads kernel artifacts (docs/Artifact.md) and runs them on a
 * GPU or on the PTX emulator. Pure C ABI; needs neither MLIR, LLVM nor CUDA at
 * build time, and opens the CUDA driver only when a `cuda` device is opened.
 *
 * Conventions
 *  - Every function that can fail returns a gemm_status. On failure outputs are
 *    unchanged (except where said) and gemm_last_error_message() of the calling
 *    thread names the cause.
 *  - All functions may be called from any thread, on the same objects too.
 *    Only destruction (close, unload, destroy, free) must not run while another
 *    thread still uses the object.
 *  - Strings that queries return belong to the object asked and live as long.
 *  - Extents, leading dimensions and batch strides count elements; sizes named
 *    `bytes` count bytes.
 */
#ifndef GEMM_RUNTIME_RUNTIME_H
#define GEMM_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ errors */

typedef enum gemm_status {
  GEMM_SUCCESS = 0,
  /* An argument is wrong in itself: negative extent, leading dimension smaller
   * than a row, null pointer, unknown device name, ... */
  GEMM_ERROR_INVALID_ARGUMENT = 1,
  /* The artifact's text is truncated, ill-typed or inconsistent. */
  GEMM_ERROR_INVALID_ARTIFACT = 2,
  /* No such device: no driver, no GPU, ordinal too large, not built in. */
  GEMM_ERROR_NO_DEVICE = 3,
  /* The device or its driver cannot run this kernel: other architecture, driver
   * older than the PTX, too much shared memory. */
  GEMM_ERROR_UNSUPPORTED = 4,
  /* No entry's guard holds for this problem. */
  GEMM_ERROR_NO_ENTRY = 5,
  /* D overlaps an operand in a way that is not allowed. */
  GEMM_ERROR_OVERLAP = 6,
  GEMM_ERROR_OUT_OF_MEMORY = 7,
  /* The driver's or emulator's PTX front end refused the PTX. */
  GEMM_ERROR_COMPILATION = 8,
  /* The device reported a failure, possibly of earlier asynchronous work. */
  GEMM_ERROR_DEVICE = 9,
  /* A defect of this library. */
  GEMM_ERROR_INTERNAL = 10
} gemm_status;

/* The name of the status without its prefix, e.g. "INVALID_ARGUMENT". */
const char *gemm_status_name(gemm_status status);

/* The message of the last failed call of this thread; "" if none has failed.
 * Valid until the next failing call of this thread. */
const char *gemm_last_error_message(void);

/* ----------------------------------------------------------------- devices */

typedef struct gemm_device gemm_device;

/* When the effect of an asynchronous operation (cp.async, bulk and tensor
 * copies, wgmma) lands between its issue and the wait that joins it. */
typedef enum gemm_emulator_async {
  GEMM_EMULATOR_ASYNC_RANDOM = 0,
  GEMM_EMULATOR_ASYNC_EARLY = 1,
  GEMM_EMULATOR_ASYNC_LATE = 2
} gemm_emulator_async;

/* Checks for races, undefined data, bounds and misuse of barriers. */
typedef enum gemm_emulator_sanitizer {
  GEMM_EMULATOR_SANITIZER_ON = 0,
  GEMM_EMULATOR_SANITIZER_OFF = 1,
  /* Also what fast kernels of the field rely on although no rule allows it. */
  GEMM_EMULATOR_SANITIZER_STRICT = 2
} gemm_emulator_sanitizer;

/* How an emulator device behaves; zero everywhere is the default. CUDA devices
 * have no options: opening one with options is an error. */
typedef struct gemm_device_options {
  int32_t emulator_multiprocessors; /* 0: the emulator's default, 4 */
  /* Of the order of warps and of ASYNC_RANDOM. The launches of a device run
   * with this seed, the next one, and so on, so that repeating a launch tries
   * another order. */
  uint64_t emulator_seed;
  gemm_emulator_async emulator_async;
  gemm_emulator_sanitizer emulator_sanitizer;
  /* Non-zero: count what each launch executes (slower). */
  int32_t emulator_counters;
} gemm_device_options;

/* Opens a device: "cuda" (the same as "cuda:0"), "cuda:N" (the driver's ordinal
 * N), "emulator:TARGET" (the emulated architecture, as a PTX `.target` names
 * it) or "emulator" (its default architecture). `options` may be NULL. A CUDA
 * device uses the primary context, the one that the CUDA runtime API, and so
 * most frameworks, use: their pointers and streams can be passed here. */
gemm_status gemm_device_open(const char *name,
                             const gemm_device_options *options,
                             gemm_device **device);

/* Closes the device. Unload its kernels and free its memory, streams and
 * events first. NULL is ignored. */
void gemm_device_close(gemm_device *device);

typedef struct gemm_device_info {
  const char *name; /* e.g. the product name of the GPU */
  /* The most specific target the device runs, as a PTX `.target` name
   * ("sm_" + capability, with suffix "a" where the capability has one). */
  const char *architecture;
  int32_t capability_major;
  int32_t capability_minor;
  int32_t is_emulator;
  int32_t multiprocessors;
  int32_t max_shared_bytes; /* per CTA, dynamic, with opt-in */
  int32_t clock_khz;        /* highest SM clock; 0: unknown */
  double memory_bandwidth;  /* bytes per second, theoretical; 0: unknown */
  uint64_t memory_bytes;    /* 0: unknown */
  uint64_t l2_bytes;        /* 0: unknown */
  /* CUDA version of the driver as 1000 * major + 10 * minor; 0: no driver. */
  int32_t driver_version;
} gemm_device_info;

gemm_status gemm_device_get_info(const gemm_device *device,
                                 gemm_device_info *info);

/* Blocks until all work of the device is finished. */
gemm_status gemm_device_synchronize(gemm_device *device);

/* ---------------------------------------------------- what an emulator saw */

/* One thing that an emulator found, at one place of the PTX. */
typedef struct gemm_emulator_finding {
  /* One line: the cause, the PTX line and instruction (with its source location
   * where the PTX has one), CTA, warp and lane, and the other party. */
  const char *text;
  const char *kind; /* e.g. "race", "out of bounds", "undefined data" */
  int32_t line;     /* of the PTX; 0: none */
  /* Zero: a note, something that SANITIZER_STRICT would make an error. An error
   * has also failed the launch. */
  int32_t is_error;
  uint64_t count; /* how often it happened there */
} gemm_emulator_finding;

/* Instructions of one class: "integer", "float", "conversion", "comparison",
 * "move", "tensor", "shared load" (also ldmatrix), "shared store" (also
 * stmatrix), "global load", "global store", "local load", "local store",
 * "generic load", "generic store", "parameter load", "constant load", "atomic",
 * "async copy", "synchronization" (barriers, fences, commits, waits), "warp"
 * (shuffles, votes), "control", "other". */
typedef struct gemm_emulator_class {
  const char *name;
  uint64_t warp_instructions;
  uint64_t lane_instructions; /* lanes whose predicate held */
} gemm_emulator_class;

/* Counters of one kind of instruction of a line of PTX.
 *  - A shared-memory wavefront moves a word of each of the 32 banks; lanes are
 *    served in groups of at most 128 bytes. Every wavefront beyond the ideal
 *    number is a bank conflict. Counted for loads, stores, ldmatrix, stmatrix
 *    and what cp.async writes; not for wmma.load and .store, bulk and tensor
 *    copies, wgmma's operands and atomics, where the ISA does not say how they
 *    are served.
 *  - A request is one warp instruction, or one bulk or tensor copy; a sector is
 *    32 aligned bytes of global memory. */
typedef struct gemm_emulator_site {
  int32_t line;
  const char *opcode;
  const char *class_name;
  uint64_t warp_instructions;
  uint64_t lane_instructions;
  uint64_t shared_requests;
  uint64_t shared_wavefronts;
  uint64_t shared_ideal_wavefronts;
  uint64_t global_requests;
  uint64_t global_sectors;
} gemm_emulator_site;

typedef struct gemm_emulator_counters {
  uint64_t warp_instructions;
  uint64_t lane_instructions;
  /* What lanes and copies ask for: a byte that two lanes read counts twice;
   * what a tensor copy leaves out beyond the edge does not count. */
  uint64_t global_bytes_read;
  uint64_t global_bytes_written;
  /* Sectors over all requests: 32 bytes each is the traffic between the
   * multiprocessors and the second-level cache without a first-level cache. */
  uint64_t global_sectors;
  uint64_t tensor_operations; /* 2 m n k of each tensor instruction */
  uint64_t float_operations;  /* of float instructions; a fused one is two */
  const gemm_emulator_class *classes; /* most warp instructions first */
  size_t num_classes;
  const gemm_emulator_site *sites; /* by line, all that were executed */
  size_t num_sites;
} gemm_emulator_counters;

/* What an emulator saw of the last kernel that it ran. Everything zero if it
 * has not run one. */
typedef struct gemm_emulator_report {
  uint64_t seed; /* emulator_seed with which this launch alone is repeated */
  const gemm_emulator_finding *findings; /* in order of appearance */
  size_t num_findings;
  /* NULL unless the device was opened with emulator_counters. Of a launch that
   * failed: what was counted until then. */
  const gemm_emulator_counters *counters;
} gemm_emulator_report;

/* The report on the last launch of an emulator device, also on one that failed.
 * What it points to lives until the device's next launch or close.
 * GEMM_ERROR_UNSUPPORTED: the device is no emulator. */
gemm_status gemm_device_get_emulator_report(const gemm_device *device,
                                            gemm_emulator_report *report);

/* -------------------------------------------------------- streams, events */

/* A queue of work. On CUDA devices a gemm_stream is a CUstream (the same as
 * cudaStream_t) and any stream of the caller may be passed. NULL is the default
 * stream. An emulator finishes each piece of work before the call returns, and
 * reports what is wrong with a kernel as the launch's own failure. */
typedef void *gemm_stream;

gemm_status gemm_stream_create(gemm_device *device, gemm_stream *stream);
gemm_status gemm_stream_destroy(gemm_device *device, gemm_stream stream);
/* Blocks until the work of the stream is finished; reports its failures. */
gemm_status gemm_stream_synchronize(gemm_device *device, gemm_stream stream);

/* A point in a stream's work. On CUDA devices a CUevent. */
typedef void *gemm_event;

gemm_status gemm_event_create(gemm_device *device, gemm_event *event);
gemm_status gemm_event_destroy(gemm_device *device, gemm_event event);
gemm_status gemm_event_record(gemm_device *device, gemm_event event,
                              gemm_stream stream);
/* Waits for both recorded events and returns the time between them. An emulator
 * does not model the GPU's time: it returns what the host took. */
gemm_status gemm_event_elapsed(gemm_device *device, gemm_event start,
                               gemm_event stop, double *seconds);

/* ------------------------------------------------------------------ memory */

/* Allocates device memory, aligned to 256 bytes at least. 0 bytes give NULL. */
gemm_status gemm_memory_allocate(gemm_device *device, size_t bytes,
                                 void **memory);
/* Frees memory of gemm_memory_allocate; NULL is ignored. Work that uses it must
 * be finished. */
gemm_status gemm_memory_free(gemm_device *device, void *memory);
/* Both copies run in the order of the stream and block until they are done. */
gemm_status gemm_memory_copy_to_device(gemm_device *device, void *destination,
                                       const void *source, size_t bytes,
                                       gemm_stream stream);
gemm_status gemm_memory_copy_to_host(gemm_device *device, void *destination,
                                     const void *source, size_t bytes,
                                     gemm_stream stream);
/* Sets every byte to `value`, in the order of the stream; does not block. */
gemm_status gemm_memory_fill(gemm_device *device, void *memory, uint8_t value,
                             size_t bytes, gemm_stream stream);

/* ----------------------------------------------------------------- kernels */

/* A loaded artifact: a family of entries for one problem signature. */
typedef struct gemm_kernel gemm_kernel;

/* Loads an artifact's text (it need not end in a NUL). With a device the PTX is
 * compiled for it and every entry is checked against its limits. Without
 * (device == NULL) the artifact is only parsed: the queries and
 * gemm_kernel_select work, launching does not. */
gemm_status gemm_kernel_load(gemm_device *device, const char *text, size_t size,
                             gemm_kernel **kernel);

/* Unloads; launches of the kernel must be finished. NULL is ignored. */
void gemm_kernel_unload(gemm_kernel *kernel);

/* Name of the family, e.g. "matmul". */
const char *gemm_kernel_name(const gemm_kernel *kernel);
/* PTX target, e.g. for choosing an emulator. */
const char *gemm_kernel_target(const gemm_kernel *kernel);
/* The artifact's JSON description, comment prefixes removed. */
const char *gemm_kernel_json(const gemm_kernel *kernel);
/* Type of the accumulator, e.g. "f32". */
const char *gemm_kernel_accumulator(const gemm_kernel *kernel);
/* Non-zero if the problem has a batch dimension (otherwise batch must be 1). */
int32_t gemm_kernel_is_batched(const gemm_kernel *kernel);

typedef enum gemm_dim {
  GEMM_DIM_M = 0,
  GEMM_DIM_N = 1,
  GEMM_DIM_K = 2,
  GEMM_DIM_BATCH = 3
} gemm_dim;

typedef enum gemm_role {
  GEMM_ROLE_A = 0,
  GEMM_ROLE_B = 1,
  GEMM_ROLE_EPILOGUE = 2, /* C, bias, ... */
  GEMM_ROLE_D = 3
} gemm_role;

typedef struct gemm_operand_info {
  const char *name;
  gemm_role role;
  const char *type; /* MLIR spelling: "f16", "bf16", "f32", "i8", ... */
  int32_t element_bytes;
  int32_t rank;     /* without the batch: 2 matrix, 1 vector, 0 scalar */
  gemm_dim dims[2]; /* `rank` of them; A is (m,k), B is (n,k), D is (m,n) */
  /* Matrices: 0 if the second coordinate is contiguous ("row"), 1 if the first
   * is ("col"). */
  int32_t column_major;
  int32_t batched; /* 0: all batches use the same */
  /* Index of the scalar that, when zero, keeps the kernel from reading this
   * operand, whose pointer may then be NULL; -1: none. */
  int32_t unused_if_zero;
} gemm_operand_info;

/* Operands in the order of gemm_problem.operands. */
size_t gemm_kernel_operand_count(const gemm_kernel *kernel);
gemm_status gemm_kernel_get_operand(const gemm_kernel *kernel, size_t index,
                                    gemm_operand_info *info);

typedef struct gemm_scalar_info {
  const char *name; /* e.g. "alpha" */
  const char *type; /* the type that the kernel receives, e.g. "f32" */
} gemm_scalar_info;

/* Scalars in the order of gemm_problem.scalars. */
size_t gemm_kernel_scalar_count(const gemm_kernel *kernel);
gemm_status gemm_kernel_get_scalar(const gemm_kernel *kernel, size_t index,
                                   gemm_scalar_info *info);

typedef struct gemm_entry_info {
  const char *name;  /* PTX `.entry` */
  const char *guard; /* what it requires, as text; "" if it always runs */
  const char *schedule;
  int32_t threads;      /* per CTA */
  int32_t cluster[3];   /* CTAs per cluster */
  int32_t shared_bytes; /* dynamic, per CTA */
} gemm_entry_info;

/* Entries in order of preference. */
size_t gemm_kernel_entry_count(const gemm_kernel *kernel);
gemm_status gemm_kernel_get_entry(const gemm_kernel *kernel, size_t index,
                                  gemm_entry_info *info);

/* ---------------------------------------------------------------- problems */

/* Largest extent of any dimension: rounding up to a tile must fit 32 bits. */
#define GEMM_MAX_EXTENT ((int64_t)0x7fff0000)

typedef struct gemm_operand {
  /* Device address of the first element, a multiple of the element's size. */
  void *data;
  /* Matrices: distance between consecutive lines (rows of "row", columns of
   * "col" operands); at least the length of a line. Vectors and scalars are
   * contiguous: ignored. */
  int64_t leading_dimension;
  /* Distance between consecutive batches, 0 or more; ignored if the batch is 1
   * or the operand is not batched. */
  int64_t batch_stride;
} gemm_operand;

/* One GEMM: D(m,n) = epilogue(sum over k of A(m,k) * B(n,k)), per batch.
 *  - m, n, k, batch are 0 or more, at most GEMM_MAX_EXTENT. With m, n or batch
 * 0 nothing runs; with k = 0 the product is zero.
 *  - Pointers may be NULL where nothing is read: A and B for k = 0, operands
 *    with `unused_if_zero` whose scalar is zero, everything if nothing runs.
 *  - D may be an epilogue matrix exactly (same pointer, element size, order,
 *    leading dimension and batch stride); otherwise it must not share an
 * element with any other operand. D's batches must not share elements either.
 */
typedef struct gemm_problem {
  int64_t m, n, k;
  int64_t batch; /* 1 if the kernel is not batched */
  const gemm_operand *operands;
  size_t num_operands;
  const double *scalars; /* converted to the scalar's type, rounding to even */
  size_t num_scalars;
  /* Device memory for the kernel's own use, see gemm_kernel_workspace_bytes. */
  void *workspace;
  size_t workspace_bytes;
} gemm_problem;

/* Workspace that a launch of this problem needs. */
gemm_status gemm_kernel_workspace_bytes(const gemm_kernel *kernel,
                                        const gemm_problem *problem,
                                        size_t *bytes);

/* Which entry would run and why: checks the problem as a launch does and
 * returns the index of the first entry whose guard holds. If `reason` is not
 * NULL it receives one NUL-terminated text, cut at reason_bytes, e.g.
 * "matmul_1, because entry matmul_0 needs A's leading dimension divisible by 8,
 * got 65". GEMM_ERROR_NO_ENTRY: no guard holds; the message has all reasons. */
gemm_status gemm_kernel_select(const gemm_kernel *kernel,
                               const gemm_problem *problem, size_t *entry,
                               char *reason, size_t reason_bytes);

/* Runs the problem asynchronously on `stream` with the entry of
 * gemm_kernel_select. `problem` and what it points to on the host may be
 * changed as soon as the call returns. */
gemm_status gemm_kernel_launch(gemm_kernel *kernel, const gemm_problem *problem,
                               gemm_stream stream);

/* The same with a chosen entry; GEMM_ERROR_NO_ENTRY if its guard fails. */
gemm_status gemm_kernel_launch_entry(gemm_kernel *kernel, size_t entry,
                                     const gemm_problem *problem,
                                     gemm_stream stream);

#ifdef __cplusplus
}
#endif

#endif /* GEMM_RUNTIME_RUNTIME_H */
