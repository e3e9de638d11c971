// SPDX-License-Identifier: BSD-3-Clause
#include "tests/opencl_layer/opencl_layer_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RULES = 16, MAX_VALUES = 16, MAX_FAILED_EVENTS = 256 };
/* Beside the index of a function, what a rule may count. */
enum { ANY_CALL = -1, ANY_COMMAND = -2, ANY_EVENT = -3, ANY_SOURCE = -4, DEVICE_LOST = -5 };

typedef struct rule {
    int counts;
    long at, seen;
    bool later; /* the calls after it, too */
    cl_int error;
} rule;

typedef struct device_value {
    const char *word;
    cl_device_info name;
    size_t size;
} device_value;

static const device_value device_values[] = {
    {"fp64", CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(cl_device_fp_config)},
    {"fp16", CL_DEVICE_HALF_FP_CONFIG, sizeof(cl_device_fp_config)},
    {"type", CL_DEVICE_TYPE, sizeof(cl_device_type)},
    {"unified", CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof(cl_bool)},
    {"available", CL_DEVICE_AVAILABLE, sizeof(cl_bool)},
    {"memory", CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong)},
    {"allocation", CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong)},
    {"local", CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong)},
    {"group", CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)},
    {"units", CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint)},
};
enum { DEVICE_VALUES = sizeof device_values / sizeof *device_values };

typedef struct error_name {
    const char *name;
    cl_int error;
} error_name;

#define ERROR(NAME)                                                                                \
    {                                                                                              \
#NAME, NAME                                                                                \
    }
static const error_name errors[] = {
    ERROR(CL_DEVICE_NOT_FOUND),
    ERROR(CL_DEVICE_NOT_AVAILABLE),
    ERROR(CL_COMPILER_NOT_AVAILABLE),
    ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    ERROR(CL_OUT_OF_RESOURCES),
    ERROR(CL_OUT_OF_HOST_MEMORY),
    ERROR(CL_PROFILING_INFO_NOT_AVAILABLE),
    ERROR(CL_BUILD_PROGRAM_FAILURE),
    ERROR(CL_MAP_FAILURE),
    ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    ERROR(CL_INVALID_COMMAND_QUEUE),
    ERROR(CL_INVALID_BINARY),
    ERROR(CL_INVALID_KERNEL_NAME),
    ERROR(CL_INVALID_WORK_GROUP_SIZE),
    ERROR(CL_PLATFORM_NOT_FOUND_KHR),
};

static const char *const kind_names[LAYER_KINDS] = {"contexts", "queues", "programs",   "kernels",
                                                    "buffers",  "events", "sub-devices"};

typedef struct failed_event {
    cl_event event;
    cl_int error;
} failed_event;

/* What faults are set. */
typedef struct faults {
    rule rule[MAX_RULES];
    int rules;
    bool given[DEVICE_VALUES];
    unsigned long long value[DEVICE_VALUES];
    bool no_devices, lost;
} faults;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static faults now;
static failed_event failed[MAX_FAILED_EVENTS];
static int failed_events;
static long made[LAYER_KINDS], outstanding[LAYER_KINDS], calls[LAYER_MAX_CALLS], calls_but_releases;
static unsigned long long bytes_in_use;

/* ---- faults as text */

static bool read_error(const char *text, cl_int *out)
{
    char *end;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(errors[i].name, text) == 0) {
            *out = errors[i].error;
            return true;
        }
    *out = (cl_int)strtol(text, &end, 10);
    return end != text && *end == 0 && *out < 0;
}

static bool read_counted(const char *name, size_t length, int *out)
{
    static const struct {
        const char *name;
        int counts;
    } special[] = {{"any", ANY_CALL},
                   {"enqueue", ANY_COMMAND},
                   {"event", ANY_EVENT},
                   {"source", ANY_SOURCE},
                   {"lost", DEVICE_LOST}};
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (strlen(special[i].name) == length && memcmp(special[i].name, name, length) == 0) {
            *out = special[i].counts;
            return true;
        }
    for (*out = 0; layer_call_names[*out]; ++*out)
        if (strlen(layer_call_names[*out]) == length
            && memcmp(layer_call_names[*out], name, length) == 0)
            return true;
    return false;
}

/* NAME@K, NAME@K=ERROR, NAME@K+=ERROR */
static bool read_rule(faults *f, const char *word, const char *at)
{
    char *end;
    rule r = {.error = CL_DEVICE_NOT_AVAILABLE};
    if (f->rules == MAX_RULES || !read_counted(word, (size_t)(at - word), &r.counts))
        return false;
    r.at = strtol(at + 1, &end, 10);
    r.later = *end == '+';
    end += r.later;
    const bool without_error = r.counts == ANY_SOURCE || r.counts == DEVICE_LOST;
    if (r.at < 1 || (without_error ? *end != 0 : *end != '=' || !read_error(end + 1, &r.error)))
        return false;
    f->rule[f->rules++] = r;
    return true;
}

static bool read_value(faults *f, const char *word, const char *equals)
{
    char *end;
    for (int i = 0; i < DEVICE_VALUES; i++)
        if (strlen(device_values[i].word) == (size_t)(equals - word)
            && memcmp(device_values[i].word, word, (size_t)(equals - word)) == 0) {
            f->given[i] = true;
            f->value[i] = strtoull(equals + 1, &end, 10);
            return end != equals + 1 && *end == 0;
        }
    return false;
}

static bool read_word(faults *f, const char *word)
{
    const char *at = strchr(word, '@'), *equals = strchr(word, '=');
    if (strcmp(word, "no-devices") == 0)
        return f->no_devices = true;
    if (at)
        return read_rule(f, word, at);
    return equals && read_value(f, word, equals);
}

static bool read_faults(faults *f, const char *text)
{
    while (*text) {
        char word[128];
        const size_t length = strcspn(text, " ");
        if (length >= sizeof word)
            return false;
        memcpy(word, text, length);
        word[length] = 0;
        if (length > 0 && !read_word(f, word))
            return false;
        text += length + (text[length] == ' ');
    }
    return true;
}

static bool set_faults(const char *text)
{
    faults next = {0};
    if (!read_faults(&next, text))
        return false;
    pthread_mutex_lock(&lock);
    now = next;
    memset(calls, 0, sizeof calls);
    calls_but_releases = 0;
    pthread_mutex_unlock(&lock);
    return true;
}

/* ---- calls */

static bool is_counted(const rule *r, int call, layer_class class)
{
    switch (r->counts) {
    case ANY_CALL: return class != LAYER_RELEASES;
    case ANY_COMMAND:
    case DEVICE_LOST: return class == LAYER_ENQUEUES;
    default: return r->counts == call;
    }
}

/* Counts; does the rule apply this time? */
static bool applies(rule *r)
{
    r->seen++;
    return r->seen == r->at || (r->later && r->seen > r->at);
}

cl_int layer_begin_call(int call, layer_class class)
{
    cl_int error = CL_SUCCESS;
    pthread_mutex_lock(&lock);
    calls[call]++;
    calls_but_releases += class != LAYER_RELEASES;
    for (int i = 0; i < now.rules; i++) {
        rule *r = &now.rule[i];
        if (!is_counted(r, call, class) || !applies(r))
            continue;
        error = r->error;
        now.lost = now.lost || r->counts == DEVICE_LOST;
    }
    if (now.lost && (class == LAYER_ENQUEUES || class == LAYER_WAITS || class == LAYER_MAKES))
        error = CL_DEVICE_NOT_AVAILABLE;
    pthread_mutex_unlock(&lock);
    return error;
}

/* Does a rule that counts neither calls nor commands apply? */
static cl_int begin_special(int counts)
{
    cl_int error = CL_SUCCESS;
    for (int i = 0; i < now.rules; i++)
        if (now.rule[i].counts == counts && applies(&now.rule[i]))
            error = now.rule[i].error;
    return error;
}

bool layer_spoils_source(void)
{
    pthread_mutex_lock(&lock);
    const bool spoils = begin_special(ANY_SOURCE) != CL_SUCCESS;
    pthread_mutex_unlock(&lock);
    return spoils;
}

bool layer_hides_devices(void)
{
    pthread_mutex_lock(&lock);
    const bool hides = now.no_devices;
    pthread_mutex_unlock(&lock);
    return hides;
}

bool layer_device_value(cl_device_info name, unsigned long long *value, size_t *size)
{
    bool given = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < DEVICE_VALUES; i++)
        if (device_values[i].name == name) {
            *size = device_values[i].size;
            *value = now.lost && name == CL_DEVICE_AVAILABLE ? CL_FALSE : now.value[i];
            given = now.given[i] || (now.lost && name == CL_DEVICE_AVAILABLE);
        }
    pthread_mutex_unlock(&lock);
    return given;
}

/* ---- events */

static cl_int error_of(cl_event event)
{
    for (int i = 0; i < failed_events; i++)
        if (failed[i].event == event)
            return failed[i].error;
    return CL_SUCCESS;
}

cl_int layer_event_error(cl_event event)
{
    pthread_mutex_lock(&lock);
    const cl_int error = error_of(event);
    pthread_mutex_unlock(&lock);
    return error;
}

cl_int layer_begin_event(cl_uint count, const cl_event *list, bool gives_event)
{
    pthread_mutex_lock(&lock);
    cl_int error = gives_event ? begin_special(ANY_EVENT) : CL_SUCCESS;
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++)
        if (error_of(list[i]) != CL_SUCCESS)
            error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    pthread_mutex_unlock(&lock);
    return error;
}

void layer_fail_event(cl_event event, cl_int error)
{
    pthread_mutex_lock(&lock);
    if (failed_events < MAX_FAILED_EVENTS)
        failed[failed_events++] = (failed_event){event, error};
    pthread_mutex_unlock(&lock);
}

void layer_forget_event(cl_event event)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < failed_events; i++)
        if (failed[i].event == event)
            failed[i--] = failed[--failed_events];
    pthread_mutex_unlock(&lock);
}

/* ---- counts */

void layer_count(layer_kind kind, long references)
{
    pthread_mutex_lock(&lock);
    outstanding[kind] += references;
    pthread_mutex_unlock(&lock);
}

void layer_count_made(layer_kind kind, long objects)
{
    pthread_mutex_lock(&lock);
    made[kind] += objects;
    outstanding[kind] += objects;
    pthread_mutex_unlock(&lock);
}

static bool fits_memory(unsigned long long bytes)
{
    for (int i = 0; i < DEVICE_VALUES; i++)
        if (device_values[i].name == CL_DEVICE_GLOBAL_MEM_SIZE && now.given[i])
            return bytes <= now.value[i];
    return true;
}

bool layer_take_bytes(size_t bytes)
{
    pthread_mutex_lock(&lock);
    const bool fits = fits_memory(bytes_in_use + bytes);
    bytes_in_use += fits ? bytes : 0;
    pthread_mutex_unlock(&lock);
    return fits;
}

void layer_return_bytes(size_t bytes)
{
    pthread_mutex_lock(&lock);
    bytes_in_use -= bytes;
    pthread_mutex_unlock(&lock);
}

static long count_of(const long *counts, const char *const *names, int count, const char *name)
{
    long found = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            found = counts[i];
    pthread_mutex_unlock(&lock);
    return found;
}

static long made_of(const char *kind)
{
    return count_of(made, kind_names, LAYER_KINDS, kind);
}

static long outstanding_of(const char *kind)
{
    return count_of(outstanding, kind_names, LAYER_KINDS, kind);
}

static long calls_of(const char *function)
{
    if (strcmp(function, "any") == 0)
        return calls_but_releases;
    return count_of(calls, layer_call_names, LAYER_MAX_CALLS, function);
}

static void print_counts(FILE *out)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < LAYER_KINDS; i++)
        fprintf(out, "%s made %ld outstanding %ld\n", kind_names[i], made[i], outstanding[i]);
    for (int i = 0; layer_call_names[i]; i++)
        if (calls[i])
            fprintf(out, "%s calls %ld\n", layer_call_names[i], calls[i]);
    pthread_mutex_unlock(&lock);
}

const opencl_layer *layer_control(void)
{
    static const opencl_layer control = {.set = set_faults,
                                         .made = made_of,
                                         .outstanding = outstanding_of,
                                         .calls = calls_of,
                                         .print = print_counts};
    return &control;
}

bool layer_start(void)
{
    const char *text = getenv("SLUICE_OPENCL_FAULTS");
    if (!text || set_faults(text))
        return true;
    fprintf(stderr, "SLUICE_OPENCL_FAULTS: '%s' is not understood\n", text);
    return false;
}

__attribute__((destructor)) static void report_counts(void)
{
    const char *name = getenv("SLUICE_OPENCL_REPORT");
    FILE *out = name ? fopen(name, "w") : NULL;
    if (!out)
        return;
    print_counts(out);
    fclose(out);
}
