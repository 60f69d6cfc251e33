/*
 * The native half of DiSNI 2.0: all native methods of com.ibm.disni.verbs.impl.NativeDispatcher, version 32, over
 * librdmacm and libibverbs, and the few that DiSNI lacks (class Natives).
 *
 * A handle is the number of a slot in a table, with its kind and the slot's generation. A handle that is null, of another
 * kind, or of an object that was destroyed is found by one comparison and refused: an IOException from a method that
 * declares it, minus an errno from the others. Addresses of memory cannot be checked, except that null is refused.
 * Work requests and completions have the layout of verbs.h: DiSNI asks for the sizes and marshals the same fields.
 * An object is destroyed by one thread while no other thread uses it; everything else is safe for threads.
 * Nothing is allocated per message.
 */
#define _GNU_SOURCE /* ppoll */
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define VERSION 32

#define NATIVE(type, name) JNIEXPORT type JNICALL Java_com_ibm_disni_verbs_impl_NativeDispatcher__1##name
#define OURS(type, name) JNIEXPORT type JNICALL Java_io_hmfs_client_transport_rdma_disni_Natives_##name

#define SOCKADDR_SIZE ((jint)sizeof(struct sockaddr_in6))
#define SGE_MAX 4        /* per work request; DiSNI's call does not say how many it will use */
#define READY_MAX 16     /* descriptors that one wait tells of */
#define PRIVATE_MAX 256  /* a connection request's private data: its length is one byte */

_Static_assert(sizeof(struct ibv_sge) == 16, "DiSNI writes address, length, key");
_Static_assert(sizeof(struct ibv_wc) == 48, "DiSNI reads 48 bytes");
_Static_assert(offsetof(struct ibv_wc, dlid_path_bits) == 45, "DiSNI reads this last");
_Static_assert(offsetof(struct ibv_send_wr, imm_data) == 36, "DiSNI writes this last before the address");
_Static_assert(offsetof(struct ibv_recv_wr, num_sge) == 24, "DiSNI writes this last");

/* ---- Handles: | kind 4 bits | generation 24 bits | slot 32 bits |, positive ---- */

enum kind { CHANNEL = 1, ID, CONTEXT, PD, COMP_CHANNEL, CQ, QP, MR, WAITER };

struct slot {
    _Atomic uint64_t handle; /* 0: free, or being destroyed */
    void *object;
    struct slot *parent; /* of a CM id: its channel, which must outlive it */
    uint32_t generation;
    uint32_t next; /* the next free slot, plus 1 */
    uint32_t children;
};

#define CHUNK 1024u
#define CHUNKS 4096u

static struct slot *_Atomic chunks[CHUNKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, of `next`, and of `children` */
static uint32_t slots;
static uint32_t free_first; /* plus 1 */
static uint32_t live_count;

static struct slot *at_index(uint32_t index) {
    if (index >= CHUNK * CHUNKS) {
        return NULL;
    }
    struct slot *chunk = atomic_load_explicit(&chunks[index / CHUNK], memory_order_acquire);
    return chunk == NULL ? NULL : chunk + index % CHUNK;
}

/* The slot of a live object of this kind, or NULL. */
static struct slot *find(enum kind kind, jlong handle) {
    if ((uint64_t)handle >> 56 != (uint64_t)kind) {
        return NULL;
    }
    struct slot *slot = at_index((uint32_t)handle);
    return slot != NULL && atomic_load_explicit(&slot->handle, memory_order_acquire) == (uint64_t)handle ? slot : NULL;
}

static void *object(enum kind kind, jlong handle) {
    struct slot *slot = find(kind, handle);
    return slot == NULL ? NULL : slot->object;
}

/* A handle for an object; 0: there is no memory for one. */
static jlong put(enum kind kind, void *object, struct slot *parent) {
    pthread_mutex_lock(&lock);
    uint32_t index = free_first - 1;
    struct slot *slot = NULL;
    if (free_first != 0) {
        slot = at_index(index);
        free_first = slot->next;
    } else if (slots < CHUNK * CHUNKS) {
        index = slots;
        if (index % CHUNK == 0) {
            atomic_store_explicit(&chunks[index / CHUNK], calloc(CHUNK, sizeof(struct slot)), memory_order_release);
        }
        slot = at_index(index);
        slots += slot != NULL;
    }
    jlong handle = 0;
    if (slot != NULL) {
        slot->generation = (slot->generation + 1) & 0xffffff;
        slot->object = object;
        slot->parent = parent;
        slot->children = 0;
        if (parent != NULL) {
            parent->children++;
        }
        live_count++;
        handle = (jlong)((uint64_t)kind << 56 | (uint64_t)slot->generation << 32 | index);
        atomic_store_explicit(&slot->handle, (uint64_t)handle, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

/* Takes the object from other threads, so that one of them destroys it. NULL: there is none, or another thread has it. */
static struct slot *take(enum kind kind, jlong handle) {
    struct slot *slot = find(kind, handle);
    uint64_t expected = (uint64_t)handle;
    return slot != NULL && atomic_compare_exchange_strong(&slot->handle, &expected, 0) ? slot : NULL;
}

/* After take: the object is still there. */
static void give_back(struct slot *slot, jlong handle) {
    atomic_store_explicit(&slot->handle, (uint64_t)handle, memory_order_release);
}

/* After take: the object is gone. */
static void release(struct slot *slot, jlong handle) {
    pthread_mutex_lock(&lock);
    if (slot->parent != NULL) {
        slot->parent->children--;
    }
    slot->object = NULL;
    slot->parent = NULL;
    slot->next = free_first;
    free_first = (uint32_t)handle + 1;
    live_count--;
    pthread_mutex_unlock(&lock);
}

/* After take: 0 and released, or given back and minus an errno. */
static jint destroyed(struct slot *slot, jlong handle, int failure) {
    if (failure == 0) {
        release(slot, handle);
        return 0;
    }
    give_back(slot, handle);
    return -(failure > 0 ? failure : errno);
}

/* ---- Exceptions ---- */

static void throw_io(JNIEnv *env, const char *what, int error) {
    char message[160];
    char text[96];
    snprintf(message, sizeof message, "%s: %s", what, strerror_r(error, text, sizeof text));
    jclass class = (*env)->FindClass(env, "java/io/IOException");
    if (class != NULL) {
        (*env)->ThrowNew(env, class, message);
    }
}

/* Verbs return an errno, or -1 and set errno: throws either. */
static jint check(JNIEnv *env, const char *what, int result) {
    if (result != 0) {
        throw_io(env, what, result > 0 ? result : errno);
        return -1;
    }
    return 0;
}

/* The object of a handle, or NULL and an exception. */
static void *required(JNIEnv *env, const char *what, enum kind kind, jlong handle) {
    void *found = object(kind, handle);
    if (found == NULL) {
        throw_io(env, what, EBADF);
    }
    return found;
}

/* A handle for a new object, or -1 and an exception, after which the caller destroys the object. */
static jlong put_or_throw(JNIEnv *env, const char *what, enum kind kind, void *object, struct slot *parent) {
    jlong handle = put(kind, object, parent);
    if (handle == 0) {
        throw_io(env, what, ENOMEM);
        return -1;
    }
    return handle;
}

static void *pointer(jlong address) {
    return (void *)(uintptr_t)address;
}

/* ---- Connection manager ---- */

NATIVE(jlong, createEventChannel)(JNIEnv *env, jobject this) {
    (void)this;
    struct rdma_event_channel *channel = rdma_create_event_channel();
    if (channel == NULL) {
        throw_io(env, "event channel", errno);
        return -1;
    }
    jlong handle = put_or_throw(env, "event channel", CHANNEL, channel, NULL);
    if (handle < 0) {
        rdma_destroy_event_channel(channel);
    }
    return handle;
}

/* Minus EBUSY while ids of the channel are there: they would use it. */
NATIVE(jint, destroyEventChannel)(JNIEnv *env, jobject this, jlong handle) {
    (void)env, (void)this;
    struct slot *slot = take(CHANNEL, handle);
    if (slot == NULL) {
        return -EBADF;
    }
    pthread_mutex_lock(&lock);
    int busy = slot->children != 0;
    pthread_mutex_unlock(&lock);
    if (busy) {
        return destroyed(slot, handle, EBUSY);
    }
    rdma_destroy_event_channel(slot->object);
    return destroyed(slot, handle, 0);
}

NATIVE(jlong, createId)(JNIEnv *env, jobject this, jlong channel, jshort port_space) {
    (void)this;
    struct slot *parent = find(CHANNEL, channel);
    if (parent == NULL) {
        throw_io(env, "id", EBADF);
        return -1;
    }
    struct rdma_cm_id *id;
    if (check(env, "id", rdma_create_id(parent->object, &id, NULL, (enum rdma_port_space)(uint16_t)port_space))) {
        return -1;
    }
    jlong handle = put_or_throw(env, "id", ID, id, parent);
    if (handle < 0) {
        rdma_destroy_id(id);
        return -1;
    }
    id->context = pointer(handle); /* events tell the handle by it */
    return handle;
}

/* Destroys the queue pair of an id, and its handle. */
static void destroy_qp(struct rdma_cm_id *id) {
    jlong handle = (jlong)(uintptr_t)id->qp->qp_context;
    struct slot *slot = take(QP, handle);
    rdma_destroy_qp(id);
    if (slot != NULL) {
        release(slot, handle);
    }
}

NATIVE(jint, destroyQP)(JNIEnv *env, jobject this, jlong handle) {
    (void)env, (void)this;
    struct rdma_cm_id *id = object(ID, handle);
    if (id == NULL) {
        return -EBADF;
    }
    if (id->qp == NULL) {
        return -EINVAL;
    }
    destroy_qp(id);
    return 0;
}

/* With its queue pair, which nothing else could destroy afterwards. */
NATIVE(jint, destroyCmId)(JNIEnv *env, jobject this, jlong handle) {
    (void)env, (void)this;
    struct slot *slot = take(ID, handle);
    if (slot == NULL) {
        return -EBADF;
    }
    struct rdma_cm_id *id = slot->object;
    if (id->qp != NULL) {
        destroy_qp(id);
    }
    return destroyed(slot, handle, rdma_destroy_id(id));
}

NATIVE(jint, destroyEp)(JNIEnv *env, jobject this, jlong handle) {
    (void)env, (void)this;
    struct slot *slot = take(ID, handle);
    if (slot == NULL) {
        return -EBADF;
    }
    struct rdma_cm_id *id = slot->object;
    if (id->qp != NULL) {
        destroy_qp(id);
    }
    rdma_destroy_ep(id);
    return destroyed(slot, handle, 0);
}

/* Inline data is a wish: a device that refuses so much of it makes a pair without. */
NATIVE(jlong, createQP)
(JNIEnv *env, jobject this, jlong handle, jlong pd_handle, jlong send, jlong receive, jint type, jint sends, jint receives,
 jint inline_data) {
    (void)this;
    struct rdma_cm_id *id = required(env, "queue pair: id", ID, handle);
    struct ibv_pd *pd = id == NULL ? NULL : required(env, "queue pair: protection domain", PD, pd_handle);
    struct ibv_cq *send_cq = pd == NULL ? NULL : required(env, "queue pair: completion queue", CQ, send);
    struct ibv_cq *receive_cq = send_cq == NULL ? NULL : required(env, "queue pair: completion queue", CQ, receive);
    if (receive_cq == NULL) {
        return -1;
    }
    if (id->verbs == NULL || id->verbs != pd->context || id->qp != NULL || sends < 0 || receives < 0 || inline_data < 0) {
        throw_io(env, "queue pair", EINVAL);
        return -1;
    }
    struct ibv_qp_init_attr attributes;
    int result;
    do {
        memset(&attributes, 0, sizeof attributes);
        attributes.send_cq = send_cq;
        attributes.recv_cq = receive_cq;
        attributes.qp_type = (enum ibv_qp_type)type;
        attributes.cap.max_send_wr = (uint32_t)sends;
        attributes.cap.max_recv_wr = (uint32_t)receives;
        attributes.cap.max_send_sge = SGE_MAX;
        attributes.cap.max_recv_sge = SGE_MAX;
        attributes.cap.max_inline_data = (uint32_t)inline_data;
        result = rdma_create_qp(id, pd, &attributes);
    } while (result != 0 && inline_data > 0 && (inline_data = 0, 1));
    if (check(env, "queue pair", result)) {
        return -1;
    }
    jlong qp = put_or_throw(env, "queue pair", QP, id->qp, NULL);
    if (qp < 0) {
        rdma_destroy_qp(id);
        return -1;
    }
    id->qp->qp_context = pointer(qp);
    return qp;
}

static void *required_address(JNIEnv *env, const char *what, jlong address) {
    if (address == 0) {
        throw_io(env, what, EFAULT);
    }
    return pointer(address);
}

NATIVE(void, bindAddr)(JNIEnv *env, jobject this, jlong handle, jlong address) {
    (void)this;
    struct rdma_cm_id *id = required(env, "bind", ID, handle);
    if (id != NULL && required_address(env, "bind", address) != NULL) {
        check(env, "bind", rdma_bind_addr(id, pointer(address)));
    }
}

NATIVE(void, listen)(JNIEnv *env, jobject this, jlong handle, jint backlog) {
    (void)this;
    struct rdma_cm_id *id = required(env, "listen", ID, handle);
    if (id != NULL) {
        check(env, "listen", rdma_listen(id, backlog));
    }
}

NATIVE(void, resolveAddr)(JNIEnv *env, jobject this, jlong handle, jlong from, jlong to, jint millis) {
    (void)this;
    struct rdma_cm_id *id = required(env, "resolve address", ID, handle);
    if (id != NULL && required_address(env, "resolve address", to) != NULL) {
        check(env, "resolve address", rdma_resolve_addr(id, pointer(from), pointer(to), millis));
    }
}

NATIVE(void, resolveRoute)(JNIEnv *env, jobject this, jlong handle, jint millis) {
    (void)this;
    struct rdma_cm_id *id = required(env, "resolve route", ID, handle);
    if (id == NULL) {
        return;
    }
    if (id->verbs == NULL) { /* librdmacm would follow this pointer */
        throw_io(env, "resolve route", EINVAL);
        return;
    }
    check(env, "resolve route", rdma_resolve_route(id, millis));
}

/* As many reads at a time, both ways, as the device and the peer allow. */
static struct rdma_conn_param parameters(jint retries, jint rnr_retries) {
    struct rdma_conn_param parameters;
    memset(&parameters, 0, sizeof parameters);
    parameters.responder_resources = RDMA_MAX_RESP_RES;
    parameters.initiator_depth = RDMA_MAX_INIT_DEPTH;
    parameters.retry_count = (uint8_t)(retries & 7);
    parameters.rnr_retry_count = (uint8_t)(rnr_retries & 7);
    return parameters;
}

NATIVE(void, connect)
(JNIEnv *env, jobject this, jlong handle, jint retries, jint rnr_retries, jlong private_data, jbyte private_length) {
    (void)this;
    struct rdma_cm_id *id = required(env, "connect", ID, handle);
    if (id == NULL) {
        return;
    }
    if (id->verbs == NULL || id->qp == NULL) {
        throw_io(env, "connect", EINVAL);
        return;
    }
    struct rdma_conn_param wanted = parameters(retries, rnr_retries);
    wanted.private_data = pointer(private_data);
    wanted.private_data_len = private_data == 0 ? 0 : (uint8_t)private_length;
    check(env, "connect", rdma_connect(id, &wanted));
}

NATIVE(void, accept)(JNIEnv *env, jobject this, jlong handle, jint retries, jint rnr_retries) {
    (void)this;
    struct rdma_cm_id *id = required(env, "accept", ID, handle);
    if (id == NULL) {
        return;
    }
    if (id->verbs == NULL || id->qp == NULL) {
        throw_io(env, "accept", EINVAL);
        return;
    }
    struct rdma_conn_param wanted = parameters(retries, rnr_retries);
    check(env, "accept", rdma_accept(id, &wanted));
}

NATIVE(jint, disconnect)(JNIEnv *env, jobject this, jlong handle) {
    (void)env, (void)this;
    struct rdma_cm_id *id = object(ID, handle);
    if (id == NULL) {
        return -EBADF;
    }
    if (id->verbs == NULL) {
        return -EINVAL;
    }
    return rdma_disconnect(id) == 0 ? 0 : -errno;
}

/* An event as it was read, and acknowledged at once: an id cannot be destroyed while an event of it is not. */
struct event {
    int32_t type;
    int32_t status;
    int64_t id;
    int64_t listener; /* of a request for a connection; else 0 */
    int32_t private_length;
    uint8_t private_data[PRIVATE_MAX];
};

_Static_assert(offsetof(struct event, private_length) == 24 && offsetof(struct event, private_data) == 28, "Natives");

/* 0, or an errno: EAGAIN if there is none. A request for which there is no handle is refused and not told. */
static int next_event(struct slot *channel, struct event *into) {
    for (;;) {
        struct rdma_cm_event *event;
        if (rdma_get_cm_event(channel->object, &event) != 0) {
            return errno;
        }
        struct rdma_cm_id *id = event->id;
        int requested = event->event == RDMA_CM_EVENT_CONNECT_REQUEST;
        into->type = (int32_t)event->event;
        into->status = event->status;
        into->listener = event->listen_id == NULL ? 0 : (int64_t)(uintptr_t)event->listen_id->context;
        into->private_length = 0;
        if (requested && event->param.conn.private_data != NULL) {
            into->private_length = event->param.conn.private_data_len;
            memcpy(into->private_data, event->param.conn.private_data, event->param.conn.private_data_len);
        }
        rdma_ack_cm_event(event);
        if (requested) {
            id->context = pointer(put(ID, id, channel));
            if (id->context == NULL) {
                rdma_reject(id, NULL, 0);
                rdma_destroy_id(id);
                continue;
            }
        }
        into->id = (int64_t)(uintptr_t)id->context;
        return 0;
    }
}

/* Waits until a descriptor can be read: 1, 0 after the time, minus an errno. */
static int readable(int descriptor, jint millis) {
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    int ready;
    do {
        ready = poll(&one, 1, millis);
    } while (ready < 0 && errno == EINTR);
    return ready < 0 ? -errno : ready;
}

NATIVE(jint, getCmEvent)(JNIEnv *env, jobject this, jlong handle, jlong listener, jlong id, jint millis) {
    (void)env, (void)this;
    struct slot *channel = find(CHANNEL, handle);
    if (channel == NULL || listener == 0 || id == 0) {
        return channel == NULL ? -EBADF : -EFAULT;
    }
    int ready = readable(((struct rdma_event_channel *)channel->object)->fd, millis);
    if (ready <= 0) {
        return ready == 0 ? -ETIMEDOUT : ready;
    }
    struct event event;
    int failure = next_event(channel, &event);
    if (failure != 0) {
        return -failure;
    }
    *(int64_t *)pointer(listener) = event.listener;
    *(int64_t *)pointer(id) = event.id;
    return event.type;
}

/* _getCmEvent has done it: the kind of an event, which is all that this call tells, does not say which event. */
NATIVE(jint, ackCmEvent)(JNIEnv *env, jobject this, jint event) {
    (void)env, (void)this, (void)event;
    return 0;
}

static jint copy_address(const struct sockaddr *from, jlong into) {
    if (into == 0) {
        return -EFAULT;
    }
    size_t size = from->sa_family == AF_INET    ? sizeof(struct sockaddr_in)
                  : from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                : 0;
    if (size == 0) {
        return -EAFNOSUPPORT;
    }
    memcpy(pointer(into), from, size);
    return 0;
}

NATIVE(jint, getSrcAddr)(JNIEnv *env, jobject this, jlong handle, jlong into) {
    (void)env, (void)this;
    struct rdma_cm_id *id = object(ID, handle);
    return id == NULL ? -EBADF : copy_address(rdma_get_local_addr(id), into);
}

NATIVE(jint, getDstAddr)(JNIEnv *env, jobject this, jlong handle, jlong into) {
    (void)env, (void)this;
    struct rdma_cm_id *id = object(ID, handle);
    return id == NULL ? -EBADF : copy_address(rdma_get_peer_addr(id), into);
}

/* ---- Devices: a context belongs to librdmacm for as long as the process lives, and has one handle ---- */

static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    struct ibv_context *context;
    jlong handle;
} contexts[64];

static jlong context_handle(struct ibv_context *context) {
    jlong handle = -1;
    pthread_mutex_lock(&contexts_lock);
    for (size_t i = 0; handle < 0 && i < sizeof contexts / sizeof *contexts; i++) {
        if (contexts[i].context == context) {
            handle = contexts[i].handle;
        } else if (contexts[i].context == NULL) {
            jlong made = put(CONTEXT, context, NULL);
            if (made != 0) {
                contexts[i].context = context;
                contexts[i].handle = handle = made;
            }
            break;
        }
    }
    pthread_mutex_unlock(&contexts_lock);
    return handle;
}

/* -1 for an id that has no device yet, so that DiSNI asks again later. */
NATIVE(jlong, getContext)(JNIEnv *env, jobject this, jlong handle) {
    (void)this;
    struct rdma_cm_id *id = required(env, "context", ID, handle);
    return id == NULL || id->verbs == NULL ? -1 : context_handle(id->verbs);
}

NATIVE(jint, getContextFd)(JNIEnv *env, jobject this, jlong handle) {
    (void)this;
    struct ibv_context *context = required(env, "context", CONTEXT, handle);
    return context == NULL ? -1 : context->cmd_fd;
}

NATIVE(jint, getContextNumCompVectors)(JNIEnv *env, jobject this, jlong handle) {
    (void)this;
    struct ibv_context *context = required(env, "context", CONTEXT, handle);
    return context == NULL ? -1 : context->num_comp_vectors;
}

NATIVE(jint, queryOdpSupport)(JNIEnv *env, jobject this, jlong handle) {
    (void)env, (void)this;
    struct ibv_context *context = object(CONTEXT, handle);
    struct ibv_device_attr_ex attributes;
    if (context == NULL || ibv_query_device_ex(context, NULL, &attributes) != 0) {
        return -1;
    }
    return attributes.odp_caps.general_caps & IBV_ODP_SUPPORT ? (jint)attributes.odp_caps.per_transport_caps.rc_odp_caps : 0;
}

NATIVE(jlong, allocPd)(JNIEnv *env, jobject this, jlong handle) {
    (void)this;
    struct ibv_context *context = required(env, "protection domain", CONTEXT, handle);
    if (context == NULL) {
        return -1;
    }
    struct ibv_pd *pd = ibv_alloc_pd(context);
    if (pd == NULL) {
        throw_io(env, "protection domain", errno);
        return -1;
    }
    jlong made = put_or_throw(env, "protection domain", PD, pd, NULL);
    if (made < 0) {
        ibv_dealloc_pd(pd);
    }
    return made;
}

NATIVE(jint, getPdHandle)(JNIEnv *env, jobject this, jlong handle) {
    (void)this;
    struct ibv_pd *pd = required(env, "protection domain", PD, handle);
    return pd == NULL ? -1 : (jint)pd->handle;
}

NATIVE(jint, deallocPd)(JNIEnv *env, jobject this, jlong handle) {
    (void)env, (void)this;
    struct slot *slot = take(PD, handle);
    return slot == NULL ? -EBADF : destroyed(slot, handle, ibv_dealloc_pd(slot->object));
}

/* ---- Memory ---- */

NATIVE(jlong, regMr)
(JNIEnv *env, jobject this, jlong handle, jlong address, jint length, jint access, jlong lkey, jlong rkey, jlong number) {
    (void)this;
    struct ibv_pd *pd = required(env, "memory region", PD, handle);
    if (pd == NULL) {
        return -1;
    }
    if (address == 0 || length <= 0 || lkey == 0 || rkey == 0 || number == 0) {
        throw_io(env, "memory region", EINVAL);
        return -1;
    }
    struct ibv_mr *mr = ibv_reg_mr(pd, pointer(address), (size_t)length, (unsigned int)access);
    if (mr == NULL) {
        throw_io(env, "memory region", errno);
        return -1;
    }
    jlong made = put_or_throw(env, "memory region", MR, mr, NULL);
    if (made < 0) {
        ibv_dereg_mr(mr);
        return -1;
    }
    *(uint32_t *)pointer(lkey) = mr->lkey;
    *(uint32_t *)pointer(rkey) = mr->rkey;
    *(uint32_t *)pointer(number) = mr->handle;
    return made;
}

NATIVE(void, deregMr)(JNIEnv *env, jobject this, jlong handle) {
    (void)this;
    struct slot *slot = take(MR, handle);
    if (slot == NULL) {
        throw_io(env, "memory region", EBADF);
        return;
    }
    jint failure = destroyed(slot, handle, ibv_dereg_mr(slot->object));
    check(env, "memory region", -failure);
}

NATIVE(jint, expPrefetchMr)(JNIEnv *env, jobject this, jlong handle, jlong address, jint length) {
    (void)this;
    struct ibv_mr *mr = required(env, "prefetch", MR, handle);
    if (mr == NULL) {
        return -1;
    }
    struct ibv_sge range = {.addr = (uint64_t)address, .length = (uint32_t)length, .lkey = mr->lkey};
    return check(env, "prefetch", ibv_advise_mr(mr->pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, 0, &range, 1));
}

/* ---- Completions ---- */

NATIVE(jlong, createCompChannel)(JNIEnv *env, jobject this, jlong handle) {
    (void)this;
    struct ibv_context *context = required(env, "completion channel", CONTEXT, handle);
    if (context == NULL) {
        return -1;
    }
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    if (channel == NULL) {
        throw_io(env, "completion channel", errno);
        return -1;
    }
    jlong made = put_or_throw(env, "completion channel", COMP_CHANNEL, channel, NULL);
    if (made < 0) {
        ibv_destroy_comp_channel(channel);
    }
    return made;
}

NATIVE(jint, destroyCompChannel)(JNIEnv *env, jobject this, jlong handle) {
    (void)env, (void)this;
    struct slot *slot = take(COMP_CHANNEL, handle);
    return slot == NULL ? -EBADF : destroyed(slot, handle, ibv_destroy_comp_channel(slot->object));
}

NATIVE(jlong, createCQ)(JNIEnv *env, jobject this, jlong handle, jlong channel_handle, jint entries, jint vector) {
    (void)this;
    struct ibv_context *context = required(env, "completion queue", CONTEXT, handle);
    struct ibv_comp_channel *channel =
        context == NULL ? NULL : required(env, "completion queue: channel", COMP_CHANNEL, channel_handle);
    if (channel == NULL) {
        return -1;
    }
    if (channel->context != context) {
        throw_io(env, "completion queue", EINVAL);
        return -1;
    }
    struct ibv_cq *cq = ibv_create_cq(context, entries, NULL, channel, vector);
    if (cq == NULL) {
        throw_io(env, "completion queue", errno);
        return -1;
    }
    jlong made = put_or_throw(env, "completion queue", CQ, cq, NULL);
    if (made < 0) {
        ibv_destroy_cq(cq);
        return -1;
    }
    cq->cq_context = pointer(made); /* events tell the handle by it */
    return made;
}

/* Blocks while an event of the queue was read and not acknowledged. */
NATIVE(jint, destroyCQ)(JNIEnv *env, jobject this, jlong handle) {
    (void)env, (void)this;
    struct slot *slot = take(CQ, handle);
    return slot == NULL ? -EBADF : destroyed(slot, handle, ibv_destroy_cq(slot->object));
}

NATIVE(jint, getCqEvent)(JNIEnv *env, jobject this, jlong handle, jint millis) {
    (void)this;
    struct ibv_comp_channel *channel = required(env, "completion event", COMP_CHANNEL, handle);
    if (channel == NULL) {
        return -1;
    }
    int ready = readable(channel->fd, millis);
    if (ready <= 0) {
        return ready == 0 ? -ETIMEDOUT : ready;
    }
    struct ibv_cq *cq;
    void *context;
    return ibv_get_cq_event(channel, &cq, &context) == 0 ? 0 : -errno;
}

NATIVE(jint, ackCqEvent)(JNIEnv *env, jobject this, jlong handle, jint events) {
    (void)env, (void)this;
    struct ibv_cq *cq = object(CQ, handle);
    if (cq == NULL || events < 0) {
        return cq == NULL ? -EBADF : -EINVAL;
    }
    ibv_ack_cq_events(cq, (unsigned int)events);
    return 0;
}

NATIVE(jint, reqNotifyCQ)(JNIEnv *env, jobject this, jlong handle, jint solicited_only) {
    (void)this;
    struct ibv_cq *cq = required(env, "completion event", CQ, handle);
    return cq == NULL ? -1 : check(env, "completion event", ibv_req_notify_cq(cq, solicited_only));
}

NATIVE(jint, pollCQ)(JNIEnv *env, jobject this, jlong handle, jint most, jlong into) {
    (void)this;
    struct ibv_cq *cq = required(env, "poll", CQ, handle);
    if (cq == NULL || required_address(env, "poll", into) == NULL) {
        return -1;
    }
    int polled = ibv_poll_cq(cq, most, pointer(into));
    if (polled < 0) {
        throw_io(env, "poll", errno);
    }
    return polled;
}

/* ---- Queue pairs ---- */

NATIVE(void, postSend)(JNIEnv *env, jobject this, jlong handle, jlong requests) {
    (void)this;
    struct ibv_qp *qp = required(env, "send", QP, handle);
    if (qp != NULL && required_address(env, "send", requests) != NULL) {
        struct ibv_send_wr *bad;
        check(env, "send", ibv_post_send(qp, pointer(requests), &bad));
    }
}

NATIVE(void, postRecv)(JNIEnv *env, jobject this, jlong handle, jlong requests) {
    (void)this;
    struct ibv_qp *qp = required(env, "receive", QP, handle);
    if (qp != NULL && required_address(env, "receive", requests) != NULL) {
        struct ibv_recv_wr *bad;
        check(env, "receive", ibv_post_recv(qp, pointer(requests), &bad));
    }
}

/* DiSNI 2.0 passes no attributes, and has no layout for them. */
NATIVE(jint, modifyQP)(JNIEnv *env, jobject this, jlong handle, jlong attributes) {
    (void)this, (void)attributes;
    if (required(env, "modify queue pair", QP, handle) != NULL) {
        throw_io(env, "modify queue pair", EOPNOTSUPP);
    }
    return -1;
}

NATIVE(jint, getQpNum)(JNIEnv *env, jobject this, jlong handle) {
    (void)this;
    struct ibv_qp *qp = required(env, "queue pair", QP, handle);
    return qp == NULL ? -1 : (jint)qp->qp_num;
}

/* ---- Layouts ---- */

NATIVE(jint, getSockAddrInSize)(JNIEnv *env, jobject this) {
    (void)env, (void)this;
    return SOCKADDR_SIZE;
}

NATIVE(jint, getIbvRecvWRSize)(JNIEnv *env, jobject this) {
    (void)env, (void)this;
    return sizeof(struct ibv_recv_wr);
}

NATIVE(jint, getIbvSendWRSize)(JNIEnv *env, jobject this) {
    (void)env, (void)this;
    return sizeof(struct ibv_send_wr);
}

NATIVE(jint, getIbvSgeSize)(JNIEnv *env, jobject this) {
    (void)env, (void)this;
    return sizeof(struct ibv_sge);
}

NATIVE(jint, getIbvWCSize)(JNIEnv *env, jobject this) {
    (void)env, (void)this;
    return sizeof(struct ibv_wc);
}

NATIVE(jint, getRemoteAddressOffset)(JNIEnv *env, jobject this) {
    (void)env, (void)this;
    return offsetof(struct ibv_send_wr, wr.rdma.remote_addr);
}

NATIVE(jint, getRKeyOffset)(JNIEnv *env, jobject this) {
    (void)env, (void)this;
    return offsetof(struct ibv_send_wr, wr.rdma.rkey);
}

NATIVE(jint, getVersion)(JNIEnv *env, jobject this) {
    (void)env, (void)this;
    return VERSION;
}

/* ---- What DiSNI lacks ---- */

static jlong buffer_address(JNIEnv *env, jobject buffer) {
    return buffer == NULL ? 0 : (jlong)(uintptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

JNIEXPORT jlong JNICALL Java_com_ibm_disni_util_MemoryUtils_getAddress(JNIEnv *env, jclass class, jobject buffer) {
    (void)class;
    return buffer_address(env, buffer);
}

OURS(jlong, address)(JNIEnv *env, jclass class, jobject buffer) {
    (void)class;
    return buffer_address(env, buffer);
}

/* How many devices there are, or minus an errno. */
OURS(jint, devices)(JNIEnv *env, jclass class) {
    (void)env, (void)class;
    int count = 0;
    struct ibv_device **devices = ibv_get_device_list(&count);
    if (devices == NULL) {
        return errno == ENOSYS ? 0 : -errno; /* ENOSYS: the kernel's modules are not loaded */
    }
    ibv_free_device_list(devices);
    return count;
}

/* Objects that are there, for tests: contexts stay for ever. */
OURS(jint, live)(JNIEnv *env, jclass class) {
    (void)env, (void)class;
    pthread_mutex_lock(&lock);
    jint live = (jint)live_count;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&contexts_lock);
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts && contexts[i].context != NULL; i++) {
        live--;
    }
    pthread_mutex_unlock(&contexts_lock);
    return live;
}

OURS(jint, nextEvent)(JNIEnv *env, jclass class, jlong handle, jlong into) {
    (void)class;
    struct slot *channel = find(CHANNEL, handle);
    if (channel == NULL || into == 0) {
        throw_io(env, "event channel", channel == NULL ? EBADF : EFAULT);
        return -1;
    }
    int failure = next_event(channel, pointer(into));
    if (failure == EAGAIN) {
        return -1;
    }
    return check(env, "event channel", failure) ? -1 : ((struct event *)pointer(into))->type;
}

/* The queue of the next completion event, which is acknowledged; 0 if there is none. */
OURS(jlong, nextCompletionEvent)(JNIEnv *env, jclass class, jlong handle) {
    (void)class;
    struct ibv_comp_channel *channel = required(env, "completion channel", COMP_CHANNEL, handle);
    struct ibv_cq *cq;
    void *context;
    if (channel == NULL) {
        return 0;
    }
    if (ibv_get_cq_event(channel, &cq, &context) != 0) {
        if (errno != EAGAIN) {
            throw_io(env, "completion channel", errno);
        }
        return 0;
    }
    ibv_ack_cq_events(cq, 1);
    return (jlong)(uintptr_t)context;
}

OURS(jint, reject)(JNIEnv *env, jclass class, jlong handle) {
    (void)env, (void)class;
    struct rdma_cm_id *id = object(ID, handle);
    return id == NULL ? -EBADF : rdma_reject(id, NULL, 0) == 0 ? 0 : -errno;
}

/* Its events come by another channel from now on; by the thread that reads the one that it has. 0 or minus an errno. */
OURS(jint, migrate)(JNIEnv *env, jclass class, jlong handle, jlong channel) {
    (void)env, (void)class;
    struct slot *slot = find(ID, handle);
    struct slot *to = find(CHANNEL, channel);
    if (slot == NULL || to == NULL) {
        return -EBADF;
    }
    if (rdma_migrate_id(slot->object, to->object) != 0) {
        return -errno;
    }
    pthread_mutex_lock(&lock);
    slot->parent->children--;
    slot->parent = to;
    to->children++;
    pthread_mutex_unlock(&lock);
    return 0;
}

/* How long a message may stay without acknowledgement before it is sent again: 4.096 µs times 2 to this. */
OURS(jint, acknowledgeTimeout)(JNIEnv *env, jclass class, jlong handle, jint exponent) {
    (void)env, (void)class;
    struct rdma_cm_id *id = object(ID, handle);
    uint8_t value = (uint8_t)exponent;
    if (id == NULL) {
        return -EBADF;
    }
    return rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &value, sizeof value) == 0 ? 0 : -errno;
}

/* How much inline data the device gave. */
OURS(jint, inlineMost)(JNIEnv *env, jclass class, jlong handle) {
    (void)class;
    struct ibv_qp *qp = required(env, "queue pair", QP, handle);
    struct ibv_qp_attr attributes;
    struct ibv_qp_init_attr initial;
    if (qp == NULL || check(env, "queue pair", ibv_query_qp(qp, &attributes, IBV_QP_CAP, &initial))) {
        return -1;
    }
    return (jint)initial.cap.max_inline_data;
}

/* The most entries of a completion queue. */
OURS(jint, entriesMost)(JNIEnv *env, jclass class, jlong handle) {
    (void)class;
    struct ibv_context *context = required(env, "context", CONTEXT, handle);
    struct ibv_device_attr attributes;
    if (context == NULL || check(env, "context", ibv_query_device(context, &attributes))) {
        return -1;
    }
    return attributes.max_cqe;
}

/* ---- Waiting: an epoll instance with an eventfd in it. Descriptors can be added while a thread waits. ---- */

struct waiter {
    int epoll;
    int signal;
};

OURS(jlong, openWaiter)(JNIEnv *env, jclass class) {
    (void)class;
    struct waiter *waiter = malloc(sizeof *waiter);
    if (waiter == NULL) {
        throw_io(env, "waiter", ENOMEM);
        return -1;
    }
    waiter->epoll = epoll_create1(EPOLL_CLOEXEC);
    waiter->signal = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0};
    jlong handle = -1;
    if (waiter->epoll < 0 || waiter->signal < 0 || epoll_ctl(waiter->epoll, EPOLL_CTL_ADD, waiter->signal, &event) != 0) {
        throw_io(env, "waiter", errno);
    } else {
        handle = put_or_throw(env, "waiter", WAITER, waiter, NULL);
    }
    if (handle < 0) {
        if (waiter->epoll >= 0) {
            close(waiter->epoll);
        }
        if (waiter->signal >= 0) {
            close(waiter->signal);
        }
        free(waiter);
    }
    return handle;
}

OURS(jint, closeWaiter)(JNIEnv *env, jclass class, jlong handle) {
    (void)env, (void)class;
    struct slot *slot = take(WAITER, handle);
    if (slot == NULL) {
        return -EBADF;
    }
    struct waiter *waiter = slot->object;
    close(waiter->epoll);
    close(waiter->signal);
    free(waiter);
    return destroyed(slot, handle, 0);
}

/* An event channel or a completion channel is waited for from now on, until it is destroyed; reading it blocks no more. */
OURS(void, watch)(JNIEnv *env, jclass class, jlong handle, jlong watched) {
    (void)class;
    struct waiter *waiter = required(env, "waiter", WAITER, handle);
    if (waiter == NULL) {
        return;
    }
    struct rdma_event_channel *events = object(CHANNEL, watched);
    struct ibv_comp_channel *completions = object(COMP_CHANNEL, watched);
    if (events == NULL && completions == NULL) {
        throw_io(env, "waiter: channel", EBADF);
        return;
    }
    int descriptor = events != NULL ? events->fd : completions->fd;
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)watched};
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0 ||
        epoll_ctl(waiter->epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) {
        throw_io(env, "waiter: channel", errno);
    }
}

/* Waits and writes the handles of channels that can be read, at most READY_MAX; returns how many. Takes signals. */
OURS(jint, await)(JNIEnv *env, jclass class, jlong handle, jlong nanos, jlong into) {
    (void)class;
    struct waiter *waiter = required(env, "waiter", WAITER, handle);
    if (waiter == NULL || required_address(env, "waiter", into) == NULL) {
        return 0;
    }
    if (nanos > 0) { /* epoll_wait knows milliseconds only */
        struct pollfd one = {.fd = waiter->epoll, .events = POLLIN};
        struct timespec time = {.tv_sec = nanos / 1000000000, .tv_nsec = nanos % 1000000000};
        if (ppoll(&one, 1, &time, NULL) <= 0) {
            return 0;
        }
    }
    struct epoll_event events[READY_MAX];
    int ready = epoll_wait(waiter->epoll, events, READY_MAX, 0);
    jint told = 0;
    for (int i = 0; i < ready; i++) {
        if (events[i].data.u64 != 0) {
            ((uint64_t *)pointer(into))[told++] = events[i].data.u64;
        } else {
            uint64_t count;
            ssize_t taken = read(waiter->signal, &count, sizeof count);
            (void)taken; /* another wait has taken the signal */
        }
    }
    return told;
}

OURS(void, signal)(JNIEnv *env, jclass class, jlong handle) {
    (void)env, (void)class;
    struct waiter *waiter = object(WAITER, handle);
    if (waiter != NULL) {
        uint64_t one = 1;
        ssize_t written = write(waiter->signal, &one, sizeof one);
        (void)written; /* full: there are signals enough */
    }
}
