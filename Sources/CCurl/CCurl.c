#include "CCurl.h"

CURLcode kith_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode kith_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode kith_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode kith_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode kith_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode kith_curl_set_functions(
    CURL *handle, kith_curl_function body, kith_curl_function header, kith_curl_function upload,
    kith_curl_progress progress, void *context) {
  const CURLcode results[] = {
      curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body),
      curl_easy_setopt(handle, CURLOPT_WRITEDATA, context),
      curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header),
      curl_easy_setopt(handle, CURLOPT_HEADERDATA, context),
      curl_easy_setopt(handle, CURLOPT_READFUNCTION, upload),
      curl_easy_setopt(handle, CURLOPT_READDATA, context),
      curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress),
      curl_easy_setopt(handle, CURLOPT_XFERINFODATA, context),
      curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L),
      curl_easy_setopt(handle, CURLOPT_PRIVATE, context),
  };
  for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
    if (results[i] != CURLE_OK) return results[i];
  }
  return CURLE_OK;
}

long kith_curl_number(CURL *handle, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t kith_curl_size(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

void *kith_curl_context(CURL *handle) {
  void *context = NULL;
  return curl_easy_getinfo(handle, CURLINFO_PRIVATE, &context) == CURLE_OK ? context : NULL;
}

CURLMcode kith_curl_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

CURL *kith_curl_multi_done(CURLM *multi, CURLcode *result) {
  int left = 0;
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
