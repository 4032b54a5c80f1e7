#include "tests/inject/traced/traced_ranges.h"

#ifdef SWEEPD_NO_NVTX

void push_every_way(void) {}

#else

#include <nvtx3/nvToolsExt.h>
#include <stdint.h>
#include <string.h>

static nvtxDomainHandle_t domain(void) {
  static nvtxDomainHandle_t made;
  if (made == NULL) made = nvtxDomainCreateA("library");
  return made;
}

static nvtxEventAttributes_t attributes_of(int type, const void* message) {
  nvtxEventAttributes_t attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = type;
  attributes.message.ascii = (const char*)message;
  return attributes;
}

/* The same range in every way that NVTX has. */
void push_every_way(void) {
  const nvtxEventAttributes_t ascii = attributes_of(NVTX_MESSAGE_TYPE_ASCII, "ascii");
  const nvtxEventAttributes_t wide = attributes_of(NVTX_MESSAGE_TYPE_UNICODE, L"br\u00e9\u20ac");
  const nvtxEventAttributes_t registered =
      attributes_of(NVTX_MESSAGE_TYPE_REGISTERED, nvtxDomainRegisterStringA(domain(), "registered"));
  const nvtxEventAttributes_t registered_wide =
      attributes_of(NVTX_MESSAGE_TYPE_REGISTERED, nvtxDomainRegisterStringW(domain(), L"wide handle"));
  const nvtxEventAttributes_t none = attributes_of(NVTX_MESSAGE_UNKNOWN, NULL);
  nvtxRangeId_t first, second, third;
  nvtxRangePushA("plain");
  nvtxRangePushW(L"plain wide");
  nvtxRangePushEx(&ascii);
  nvtxRangePushEx(&wide);
  nvtxRangePushEx(&none);
  nvtxDomainRangePushEx(domain(), &registered);
  nvtxDomainRangePushEx(domain(), &registered_wide);
  first = nvtxRangeStartA("started");
  second = nvtxRangeStartW(L"started wide");
  third = nvtxDomainRangeStartEx(domain(), &registered);
  nvtxDomainRangePop(domain());
  nvtxDomainRangePop(domain());
  nvtxRangePop();
  nvtxRangePop();
  nvtxRangePop();
  nvtxRangePop();
  nvtxRangePop();
  nvtxRangePop(); /* one too many */
  nvtxRangeEnd(first);
  nvtxDomainRangeEnd(domain(), third);
  nvtxRangeEnd(second);
  nvtxRangeEnd(12345); /* never started */
  nvtxMarkA("a mark is no range");
}

#endif
