/* A traced program: its arguments are what it does, in order. It includes the real NVTX headers, and
   where CUDA's driver would load a library it does the same. C, and C++ under sanitizers. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef SWEEPD_NO_NVTX
#include "tests/inject/traced/no_nvtx.h"
#else
#include <nvtx3/nvToolsExt.h>
#endif

#include "tests/inject/traced/fake_cupti.h"
#include "tests/inject/traced/traced_ranges.h"

static char cupti_name[64]; /* of the file that is used */

static struct {
  int (*timestamp)(uint64_t*);
  bool (*records)(void);
  uint32_t (*thread_id_type)(void);
  void (*drop)(unsigned);
  void (*other_client)(void);
  void (*foreign_buffer)(void);
  void (*kernel)(const FakeKernel*);
  void (*copy)(uint8_t, const FakeMove*);
  void (*fill)(const FakeMove*);
  void (*call)(int, uint32_t, uint64_t, uint64_t, uint32_t, uint32_t);
  void (*external)(uint32_t, uint64_t, uint32_t);
  void (*memory)(uint32_t, uint32_t, uint64_t, uint64_t, uint64_t, uint32_t);
  void (*device)(uint32_t, const char*, uint64_t, uint32_t);
} fake;

static void fail(const char* what) {
  fprintf(stderr, "traced: %s\n", what);
  exit(70);
}

static void find(void* library, const char* name, void* to) {
  void* found = dlsym(library, name);
  if (found == NULL) fail(name);
  memcpy(to, &found, sizeof found);
}

/* Uses the libcupti that records, of those which are loaded. */
static int use_fake(struct dl_phdr_info* info, size_t size, void* unused) {
  void* library;
  (void)size;
  (void)unused;
  if (strstr(info->dlpi_name, "libcupti.so") == NULL) return 0;
  library = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
  find(library, "fake_records", &fake.records);
  if (!fake.records()) return 0;
  snprintf(cupti_name, sizeof cupti_name, "%s", strrchr(info->dlpi_name, '/') + 1);
  find(library, "cuptiGetTimestamp", &fake.timestamp);
  find(library, "fake_thread_id_type", &fake.thread_id_type);
  find(library, "fake_drop", &fake.drop);
  find(library, "fake_other_client", &fake.other_client);
  find(library, "fake_foreign_buffer", &fake.foreign_buffer);
  find(library, "fake_kernel", &fake.kernel);
  find(library, "fake_copy", &fake.copy);
  find(library, "fake_fill", &fake.fill);
  find(library, "fake_call", &fake.call);
  find(library, "fake_external", &fake.external);
  find(library, "fake_memory", &fake.memory);
  find(library, "fake_device", &fake.device);
  return 1;
}

/* As cuInit does. */
static void initialise_cuda(void) {
  const char* path = getenv("CUDA_INJECTION64_PATH");
  void* library = path != NULL ? dlopen(path, RTLD_NOW) : NULL;
  int (*initialise)(void);
  if (library == NULL) fail(path != NULL ? dlerror() : "CUDA_INJECTION64_PATH is not set");
  find(library, "InitializeInjection", &initialise);
  errno = 77;
  if (initialise() != 1) fail("InitializeInjection failed");
  dl_iterate_phdr(use_fake, NULL);
  if (fake.kernel != NULL && fake.thread_id_type() != 1) fail("not the system's thread ids");
}

static uint64_t cupti_time(void) {
  uint64_t time = 0;
  fake.timestamp(&time);
  return time;
}

static void run_kernel(const char* name) {
  static uint32_t correlation = 1000;
  FakeKernel kernel;
  if (fake.kernel == NULL) return; /* nobody traces */
  memset(&kernel, 0, sizeof kernel);
  kernel.name = name;
  kernel.begin = cupti_time();
  kernel.end = cupti_time();
  kernel.correlation = ++correlation;
  fake.kernel(&kernel);
}

/* A kernel and the call that launched it. */
static void launch(const char* name) {
  static uint32_t correlation = 100;
  FakeKernel kernel;
  if (fake.kernel == NULL) return;
  memset(&kernel, 0, sizeof kernel);
  kernel.name = name;
  kernel.correlation = ++correlation;
  kernel.begin = cupti_time();
  fake.call(1, 211, kernel.begin, cupti_time(), (uint32_t)syscall(SYS_gettid), correlation);
  kernel.begin = cupti_time() + 1000000000; /* long after its step */
  kernel.end = kernel.begin + 1000;
  fake.kernel(&kernel);
}

static void allocate(const char* bytes, uint32_t operation) {
  const uint64_t size = strtoull(bytes, NULL, 10);
  if (fake.memory != NULL) fake.memory(operation, 3, size, size, cupti_time(), 0); /* its address too */
}

/* One record of each kind, with fixed values. */
static void run_everything(void) {
  const FakeKernel kernel = {"_Z4axpyfPfS_", 1000, 1500, 11, 1, 7, 3, 40, {132, 2, 1}, {256, 1, 1}, 1024, 2048};
  const FakeMove move = {4096, 2000, 2100, 12, 1, 8, 0}, fill = {512, 3000, 3010, 13, 1, 7, 4};
  fake.device(1, "NVIDIA H100 80GB HBM3", UINT64_C(85000000000), 132);
  fake.call(1, 211, 900, 950, 4242, 11);
  fake.call(0, 307, 910, 940, 4242, 11); /* the runtime calls the driver */
  fake.call(0, 307, 960, 970, 4242, 14);
  fake.external(4, UINT64_C(0x123456789A), 11);
  fake.kernel(&kernel);
  fake.copy(8, &move);
  fake.fill(&fill);
  fake.memory(1, 3, UINT64_C(0x7F0000000000), 1 << 20, 500, 15);
  fake.memory(1, 2, UINT64_C(0x1000), 64, 550, 16); /* pinned memory of the host */
  fake.memory(2, 3, UINT64_C(0x7F0000000000), 1 << 20, 5000, 17);
}

static void* end_range(void* id) {
  nvtxRangeEnd((nvtxRangeId_t)(uintptr_t)id);
  return NULL;
}

static void end_on_other_thread(const char* name) {
  const nvtxRangeId_t id = nvtxRangeStartA(name);
  pthread_t thread;
  pthread_create(&thread, NULL, end_range, (void*)(uintptr_t)id);
  pthread_join(thread, NULL);
}

static void* push_and_pop(void* unused) {
  int i;
  (void)unused;
  for (i = 0; i < 2500; ++i) {
    nvtxRangePushA("busy");
    nvtxRangePop();
  }
  return NULL;
}

/* Threads with ranges, a thread with kernels, and children that end in every way. */
static void hammer(void) {
  pthread_t threads[4];
  int i;
  nvtxMarkA("NVTX initialises itself without a lock");
  for (i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, push_and_pop, NULL);
  for (i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      push_and_pop(NULL);
      if (i % 2 == 0) _exit(0);
      exit(0);
    }
    run_kernel("hammered");
    waitpid(child, NULL, 0);
  }
  for (i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

/* Threads that are cancelled in the middle of a range, which others must survive. */
static void* push_until_cancelled(void* unused) {
  for (;;) {
    push_and_pop(unused);
    pthread_testcancel();
  }
  return NULL;
}
static void cancel_threads(void) {
  const struct timespec while_pushing = {0, 2000000};
  int i;
  for (i = 0; i < 8; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, push_until_cancelled, NULL);
    nanosleep(&while_pushing, NULL);
    pthread_cancel(thread);
    nvtxRangePushA("between");
    nvtxRangePop();
    pthread_join(thread, NULL);
  }
}

static volatile sig_atomic_t alarms;
static void on_alarm(int number) {
  (void)number;
  alarms = alarms + 1;
  nvtxRangePushA("in a handler");
  nvtxRangePop();
}

static void interrupt_ranges(void) {
  const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  signal(SIGALRM, on_alarm);
  setitimer(ITIMER_REAL, &often, NULL);
  while (alarms < 30) push_and_pop(NULL);
  setitimer(ITIMER_REAL, &never, NULL);
}

/* A daemon closes all descriptors; then its own files get their numbers. */
static void reuse_descriptors(const char* path) {
  int file, i;
  for (i = 3; i < 1024; ++i) close(i);
  file = open(path, O_WRONLY | O_CREAT, 0644);
  unlink(path);
  for (i = 3; i < 1024; ++i) dup2(file, i);
}

static void require_empty_file(void) {
  struct stat file;
  if (fstat(3, &file) != 0 || file.st_size != 0) fail("the program's file was written");
}

static void require_errno(void) {
  nvtxRangePushA("NVTX opens the library");
  nvtxRangePop();
  errno = 77;
  nvtxRangePushA("keeps errno");
  nvtxRangePop();
  if (errno != 77) fail("errno changed");
}

static void set_file_limit(const char* bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = strtoul(bytes, NULL, 10);
  setrlimit(RLIMIT_FSIZE, &limit);
}

static void run_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    nvtxRangePushA("child");
    nvtxRangePop();
    run_kernel("of the child");
    exit(0);
  }
  waitpid(child, NULL, 0);
}

/* A child that no handler of fork() knows. */
static void run_cloned_child(void) {
  const pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    push_and_pop(NULL);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void many(int count) {
  int i;
  for (i = 0; i < count; ++i) run_kernel("many");
}

/* Until the trace of this process has so many bytes. */
static void wait_for_bytes(const char* bytes) {
  const char* pattern = getenv("SWEEPD_INJECT_FILE");
  const struct timespec while_writing = {0, 10000000};
  struct stat file;
  char path[1024];
  int tries;
  snprintf(path, sizeof path, "%.*s%d", (int)(strlen(pattern) - strlen("%p")), pattern, (int)getpid());
  for (tries = 0; tries < 6000; ++tries) {
    if (stat(path, &file) == 0 && file.st_size >= atol(bytes)) return;
    nanosleep(&while_writing, NULL);
  }
  fail("the trace is not written");
}

static void call_profiler(uint32_t cbid) {
  const uint64_t begin = cupti_time();
  fake.call(1, cbid, begin, cupti_time(), 1, 20);
}

static void act(const char* action) {
  const char* value = strchr(action, '=');
  const size_t length = value != NULL ? (size_t)(value - action) : strlen(action);
#define IS(name) (length == sizeof name - 1 && strncmp(action, name, length) == 0)
  value = value != NULL ? value + 1 : "";
  if (IS("load")) {
    if (dlopen(value, RTLD_NOW) == NULL) fail(dlerror());
  } else if (IS("cuda")) {
    initialise_cuda();
  } else if (IS("everything")) {
    run_everything();
  } else if (IS("kernel")) {
    run_kernel(value);
  } else if (IS("launch")) {
    launch(value);
  } else if (IS("allocate")) {
    allocate(value, 1);
  } else if (IS("free")) {
    allocate(value, 2);
  } else if (IS("name-cupti")) {
    run_kernel(cupti_name);
  } else if (IS("many")) {
    many(atoi(value));
  } else if (IS("untimed")) {
    const FakeKernel kernel = {"untimed", 0, 0, 9, 0, 0, 0, 0, {1, 1, 1}, {1, 1, 1}, 0, 0};
    fake.kernel(&kernel);
  } else if (IS("drop")) {
    fake.drop((unsigned)atoi(value));
  } else if (IS("profiler-start")) {
    call_profiler(171);
  } else if (IS("profiler-stop")) {
    call_profiler(172);
  } else if (IS("other-client")) {
    fake.other_client();
  } else if (IS("foreign-buffer")) {
    fake.foreign_buffer();
  } else if (IS("push")) {
    nvtxRangePushA(value);
  } else if (IS("pop")) {
    nvtxRangePop();
  } else if (IS("every-range")) {
    push_every_way();
  } else if (IS("other-thread")) {
    end_on_other_thread(value);
  } else if (IS("hammer")) {
    hammer();
  } else if (IS("cancel")) {
    cancel_threads();
  } else if (IS("signals")) {
    interrupt_ranges();
  } else if (IS("fork")) {
    run_child();
  } else if (IS("clone")) {
    run_cloned_child();
  } else if (IS("exec")) {
    execl("/proc/self/exe", "traced", "push=after", "pop", (char*)NULL);
  } else if (IS("reuse")) {
    reuse_descriptors(value);
  } else if (IS("require-empty")) {
    require_empty_file();
  } else if (IS("limit")) {
    set_file_limit(value);
  } else if (IS("wait")) {
    wait_for_bytes(value);
  } else if (IS("errno")) {
    require_errno();
  } else if (IS("exit")) {
    exit(atoi(value));
  } else if (IS("_exit")) {
    _exit(atoi(value));
  } else if (IS("kill")) {
    raise(SIGKILL);
  } else {
    fail(action);
  }
#undef IS
}

int main(int argc, char** argv) {
  int i;
  for (i = 1; i < argc; ++i) act(argv[i]);
  return 0;
}
