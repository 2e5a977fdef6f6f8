// Streams of the program. A launch waits in its stream until the program waits for the stream; copies and callbacks
// are done by the call, after the work of their stream.
#pragma once
#include "cudart/state.h"

struct graph_capture;

struct cuda_stream {
    struct wf_stream *stream; // NULL: the legacy default stream
    unsigned flags;           // of cudaStreamCreateWithFlags
    int priority;
    uint64_t id;
    struct graph_capture *capture; // NULL: no capture
};

// Handles that are no pointers.
enum { STREAM_NULL, STREAM_LEGACY, STREAM_PER_THREAD };

// The stream behind a handle: a stream of the program, the legacy default stream, or the host thread's own. NULL: a
// dead or foreign handle.
struct cuda_stream *stream_of(struct cudart *r, struct cuda_stream *handle);
// Waits for the work of the stream; returns `lost`.
enum cuda_error stream_wait(struct cudart *r, struct cuda_stream *s);
// Frees all streams of the program.
void stream_reset(struct cudart *r);
// While on, handle 0 means the host thread's own stream: the interface's functions …_ptsz and …_ptds.
void stream_per_thread(bool on);
bool stream_is_per_thread(void);
