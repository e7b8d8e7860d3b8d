// host SOURCE KERNEL GX,GY LX,LY ARG...: launch an OpenCL kernel once and print how many nanoseconds that took.
//
// An ARG is buffer:FILE (global memory with the file's contents, written back afterwards), u32:N or local:BYTES. Building
// the kernel and copying buffers are not part of the time: the clock runs from the launch to the end of the queue.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *what, long code) {
  fprintf(stderr, "host: %s (%ld)\n", what, code);
  exit(1);
}

static void check(cl_int err, const char *what) {
  if (err != CL_SUCCESS)
    die(what, err);
}

static char *read_file(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!f || fseek(f, 0, SEEK_END))
    die(path, 0);
  long n = ftell(f);
  rewind(f);
  char *data = malloc(n + 1);
  if (!data || fread(data, 1, n, f) != (size_t)n)
    die(path, n);
  data[n] = 0;
  fclose(f);
  *size = n;
  return data;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 5)
    die("usage: host SOURCE KERNEL GX,GY LX,LY ARG...", 0);
  size_t global[2], local[2], size;
  if (sscanf(argv[3], "%zu,%zu", &global[0], &global[1]) != 2 || sscanf(argv[4], "%zu,%zu", &local[0], &local[1]) != 2)
    die("sizes are written X,Y", 0);
  cl_platform_id platform;
  cl_device_id device;
  cl_int err;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
  check(err, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
  check(err, "clCreateCommandQueue");
  const char *source = read_file(argv[1], &size);
  cl_program program = clCreateProgramWithSource(context, 1, &source, &size, &err);
  check(err, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, argv[2], &err);
  check(err, "clCreateKernel");

  cl_mem *buffers = calloc(argc, sizeof *buffers);
  size_t *sizes = calloc(argc, sizeof *sizes);
  for (int i = 5; i < argc; i++) {
    const char *a = argv[i];
    if (!strncmp(a, "buffer:", 7)) {
      char *data = read_file(a + 7, &sizes[i]);
      buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizes[i], data, &err);
      check(err, "clCreateBuffer");
      check(clSetKernelArg(kernel, i - 5, sizeof buffers[i], &buffers[i]), a);
      free(data);
    } else if (!strncmp(a, "u32:", 4)) {
      cl_uint v = strtoul(a + 4, NULL, 10);
      check(clSetKernelArg(kernel, i - 5, sizeof v, &v), a);
    } else if (!strncmp(a, "local:", 6)) {
      check(clSetKernelArg(kernel, i - 5, strtoul(a + 6, NULL, 10), NULL), a);
    } else {
      die(a, 0);
    }
  }

  double start = now();
  check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clFinish(queue), "clFinish");
  printf("%.0f\n", now() - start);

  for (int i = 5; i < argc; i++) {
    if (!buffers[i])
      continue;
    char *data = malloc(sizes[i]);
    check(clEnqueueReadBuffer(queue, buffers[i], CL_TRUE, 0, sizes[i], data, 0, NULL, NULL), "clEnqueueReadBuffer");
    FILE *f = fopen(argv[i] + 7, "wb");
    if (!f || fwrite(data, 1, sizes[i], f) != sizes[i] || fclose(f))
      die(argv[i], 0);
    free(data);
  }
  return 0;
}
