// libcurl's calls that Swift cannot make: its options and answers are read and set by variadic functions. Only importer:
// KithTransfer. Manual pages are those of libcurl 7.88.
#pragma once

#include <curl/curl.h>
#include <stddef.h>

// curl_easy_setopt(3), by the type of the option's value.
CURLcode kith_curl_set_number(CURL *handle, CURLoption option, long value);
CURLcode kith_curl_set_size(CURL *handle, CURLoption option, curl_off_t value);
CURLcode kith_curl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode kith_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode kith_curl_set_pointer(CURL *handle, CURLoption option, void *value);

// The functions that a transfer calls, and the one value that they are all given.
typedef size_t (*kith_curl_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*kith_curl_progress)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
CURLcode kith_curl_set_functions(
    CURL *handle, kith_curl_function body, kith_curl_function header, kith_curl_function upload,
    kith_curl_progress progress, void *context);

// curl_easy_getinfo(3).
long kith_curl_number(CURL *handle, CURLINFO info);
curl_off_t kith_curl_size(CURL *handle, CURLINFO info);
void *kith_curl_context(CURL *handle);

// curl_multi_setopt(3).
CURLMcode kith_curl_multi_set_number(CURLM *multi, CURLMoption option, long value);

// curl_multi_info_read(3): the next transfer that is done, and how it ended; NULL when there is none. CURLMsg has a
// union, which Swift sees under private names.
CURL *kith_curl_multi_done(CURLM *multi, CURLcode *result);
