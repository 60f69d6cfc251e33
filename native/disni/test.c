/*
 * Goal: each native method does what its name says over a real device, refuses handles that are not of a live object, and
 * leaves nothing behind.
 * Method: includes disni.c, with a JVM that is a table of three functions; two ends of a connection in this process. Built
 * with the address sanitizer, which looks for leaks at the end.
 *   disni-test [--allow-no-device]    without a device: what needs none runs, and the test fails unless told so
 */
#include "disni.c"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#define D(name) Java_com_ibm_disni_verbs_impl_NativeDispatcher__1##name
#define N(name) Java_io_hmfs_client_transport_rdma_disni_Natives_##name

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: failed: %s (thrown: %s)\n", __FILE__, __LINE__, #condition, thrown);                \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A call that must not throw. */
#define DOES(call)                                                                                                     \
    do {                                                                                                               \
        thrown[0] = 0;                                                                                                 \
        call;                                                                                                          \
        CHECK(thrown[0] == 0);                                                                                         \
    } while (0)

#define THROWS(call, text)                                                                                             \
    do {                                                                                                               \
        thrown[0] = 0;                                                                                                 \
        (void)(call);                                                                                                  \
        CHECK(strstr(thrown, text) != NULL);                                                                           \
    } while (0)

#define SIZE 4096
#define WAIT_MILLIS 20000

static char thrown[256]; /* the message of the last exception */
static char class_name[64];

static jclass JNICALL find_class(JNIEnv *env, const char *name) {
    (void)env;
    snprintf(class_name, sizeof class_name, "%s", name);
    return (jclass)class_name;
}

static jint JNICALL throw_new(JNIEnv *env, jclass class, const char *message) {
    (void)env;
    CHECK((void *)class == class_name && strcmp(class_name, "java/io/IOException") == 0);
    snprintf(thrown, sizeof thrown, "%s", message);
    return 0;
}

static void *JNICALL direct_address(JNIEnv *env, jobject buffer) {
    (void)env;
    return buffer; /* a buffer is its address here */
}

static struct JNINativeInterface_ functions = {
    .FindClass = find_class, .ThrowNew = throw_new, .GetDirectBufferAddress = direct_address};
static JNIEnv table = &functions;
static JNIEnv *env = &table;

static jlong address_of(void *memory) {
    return (jlong)(uintptr_t)memory;
}

#define BAD "Bad file descriptor"

/* All methods that take a handle, with one that is none. */
static void refused(jlong bad) {
    static int64_t room[64];
    jlong at = address_of(room);
    THROWS(D(createId)(env, NULL, bad, RDMA_PS_TCP), BAD);
    THROWS(D(createQP)(env, NULL, bad, bad, bad, bad, IBV_QPT_RC, 1, 1, 0), BAD);
    THROWS(D(bindAddr)(env, NULL, bad, at), BAD);
    THROWS(D(listen)(env, NULL, bad, 1), BAD);
    THROWS(D(resolveAddr)(env, NULL, bad, 0, at, 1), BAD);
    THROWS(D(resolveRoute)(env, NULL, bad, 1), BAD);
    CHECK(D(getCmEvent)(env, NULL, bad, at, at + 8, 0) == -EBADF);
    THROWS(D(connect)(env, NULL, bad, 1, 1, 0, 0), BAD);
    THROWS(D(accept)(env, NULL, bad, 1, 1), BAD);
    CHECK(D(disconnect)(env, NULL, bad) == -EBADF);
    CHECK(D(destroyEventChannel)(env, NULL, bad) == -EBADF);
    CHECK(D(destroyCmId)(env, NULL, bad) == -EBADF);
    CHECK(D(destroyQP)(env, NULL, bad) == -EBADF);
    CHECK(D(getSrcAddr)(env, NULL, bad, at) == -EBADF);
    CHECK(D(getDstAddr)(env, NULL, bad, at) == -EBADF);
    CHECK(D(destroyEp)(env, NULL, bad) == -EBADF);
    THROWS(D(allocPd)(env, NULL, bad), BAD);
    THROWS(D(createCompChannel)(env, NULL, bad), BAD);
    THROWS(D(createCQ)(env, NULL, bad, bad, 1, 0), BAD);
    THROWS(D(modifyQP)(env, NULL, bad, 0), BAD);
    THROWS(D(regMr)(env, NULL, bad, at, 8, 1, at, at, at), BAD);
    CHECK(D(queryOdpSupport)(env, NULL, bad) == -1);
    THROWS(D(expPrefetchMr)(env, NULL, bad, at, 8), BAD);
    THROWS(D(deregMr)(env, NULL, bad), BAD);
    THROWS(D(postSend)(env, NULL, bad, at), BAD);
    THROWS(D(postRecv)(env, NULL, bad, at), BAD);
    THROWS(D(getCqEvent)(env, NULL, bad, 0), BAD);
    THROWS(D(pollCQ)(env, NULL, bad, 1, at), BAD);
    THROWS(D(reqNotifyCQ)(env, NULL, bad, 0), BAD);
    CHECK(D(ackCqEvent)(env, NULL, bad, 1) == -EBADF);
    CHECK(D(destroyCompChannel)(env, NULL, bad) == -EBADF);
    CHECK(D(deallocPd)(env, NULL, bad) == -EBADF);
    CHECK(D(destroyCQ)(env, NULL, bad) == -EBADF);
    THROWS(D(getContext)(env, NULL, bad), BAD);
    THROWS(D(getQpNum)(env, NULL, bad), BAD);
    THROWS(D(getContextFd)(env, NULL, bad), BAD);
    THROWS(D(getContextNumCompVectors)(env, NULL, bad), BAD);
    THROWS(D(getPdHandle)(env, NULL, bad), BAD);
    THROWS(N(nextEvent)(env, NULL, bad, at), BAD);
    THROWS(N(nextCompletionEvent)(env, NULL, bad), BAD);
    CHECK(N(reject)(env, NULL, bad) == -EBADF);
    CHECK(N(acknowledgeTimeout)(env, NULL, bad, 17) == -EBADF);
    CHECK(N(migrate)(env, NULL, bad, bad) == -EBADF);
    THROWS(N(inlineMost)(env, NULL, bad), BAD);
    THROWS(N(entriesMost)(env, NULL, bad), BAD);
    CHECK(N(closeWaiter)(env, NULL, bad) == -EBADF);
    THROWS(N(watch)(env, NULL, bad, bad), BAD);
    THROWS(N(await)(env, NULL, bad, 0, at), BAD);
    DOES(N(signal)(env, NULL, bad));
}

static void handles_that_are_none_are_refused(void) {
    jlong numbers[] = {0, 1, -1, INT64_MAX, INT64_MIN, (jlong)ID << 56, (jlong)CHANNEL << 56 | 1ll << 32,
                       (jlong)QP << 56 | 1ll << 32 | (CHUNK * CHUNKS - 1), (jlong)MR << 56 | 0xffffffff};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        refused(numbers[i]);
    }
}

/* More handles than a part of the table holds; those that are given back are used again, and the old ones are refused. */
static void handles_are_told_apart(void) {
    enum { COUNT = 3 * CHUNK };
    static jlong handles[COUNT];
    for (int round = 0; round < 3; round++) {
        enum kind kind = round == 0 ? MR : QP; /* the second round of a kind has other handles than the first */
        for (int i = 0; i < COUNT; i++) {
            jlong old = handles[i];
            handles[i] = put(kind, &handles[i], NULL);
            CHECK(handles[i] > 0 && handles[i] != old);
            CHECK(object(kind, old) == NULL);
        }
        for (int i = 0; i < COUNT; i++) {
            CHECK(object(kind, handles[i]) == &handles[i]);
            CHECK(object(kind == MR ? QP : MR, handles[i]) == NULL);
        }
        CHECK(N(live)(env, NULL) == COUNT);
        for (int i = COUNT - 1; i >= 0; i--) { /* so that the next round gets the slots in the same order */
            struct slot *slot = take(kind, handles[i]);
            CHECK(slot != NULL && take(kind, handles[i]) == NULL);
            if (i % 2) { /* an object that could not be destroyed */
                CHECK(destroyed(slot, handles[i], EBUSY) == -EBUSY);
                CHECK(object(kind, handles[i]) == &handles[i]);
                slot = take(kind, handles[i]);
            }
            CHECK(destroyed(slot, handles[i], 0) == 0);
            CHECK(object(kind, handles[i]) == NULL);
        }
    }
    CHECK(slots == COUNT && N(live)(env, NULL) == 0);
}

static void sizes_are_those_of_the_headers(void) {
    CHECK(D(getVersion)(env, NULL) == 32);
    CHECK(D(getSockAddrInSize)(env, NULL) == 28);
    CHECK(D(getIbvRecvWRSize)(env, NULL) == sizeof(struct ibv_recv_wr));
    CHECK(D(getIbvSendWRSize)(env, NULL) == sizeof(struct ibv_send_wr));
    CHECK(D(getIbvSgeSize)(env, NULL) == 16);
    CHECK(D(getIbvWCSize)(env, NULL) == 48);
    struct ibv_send_wr request;
    CHECK((char *)&request + D(getRemoteAddressOffset)(env, NULL) == (char *)&request.wr.rdma.remote_addr);
    CHECK((char *)&request + D(getRKeyOffset)(env, NULL) == (char *)&request.wr.rdma.rkey);
    CHECK(N(address)(env, NULL, NULL) == 0 && N(address)(env, NULL, (jobject)&request) == address_of(&request));
    CHECK(Java_com_ibm_disni_util_MemoryUtils_getAddress(env, NULL, (jobject)&request) == address_of(&request));
    CHECK(D(ackCmEvent)(env, NULL, 1) == 0);
}

static void *signal_later(void *waiter) {
    usleep(50000);
    N(signal)(env, NULL, *(jlong *)waiter);
    return NULL;
}

static void a_signal_ends_a_wait(void) {
    jlong waiter, ready[READY_MAX];
    DOES(waiter = N(openWaiter)(env, NULL));
    refused(waiter ^ 1ll << 32); /* another generation */
    THROWS(N(watch)(env, NULL, waiter, waiter), BAD);
    THROWS(N(await)(env, NULL, waiter, 0, 0), "Bad address");
    DOES(N(signal)(env, NULL, waiter)); /* before the wait */
    DOES(CHECK(N(await)(env, NULL, waiter, 60000000000, address_of(ready)) == 0));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, signal_later, &waiter) == 0);
    DOES(CHECK(N(await)(env, NULL, waiter, 60000000000, address_of(ready)) == 0));
    pthread_join(thread, NULL);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    DOES(CHECK(N(await)(env, NULL, waiter, 30000000, address_of(ready)) == 0));
    clock_gettime(CLOCK_MONOTONIC, &after);
    CHECK((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 30000000);
    CHECK(N(closeWaiter)(env, NULL, waiter) == 0);
    CHECK(N(closeWaiter)(env, NULL, waiter) == -EBADF);
    THROWS(N(await)(env, NULL, waiter, 0, address_of(ready)), BAD);
}

/* ---- Over a device ---- */

/* One end, with all that a connection needs. */
struct end {
    jlong channel, id, context, pd, completions, cq, qp, mr;
    uint32_t lkey, rkey, number;
    unsigned char *memory;
};

static jlong listener_event, id_event;

/* The next event, which must be this one; its handles are in listener_event and id_event. */
static void expect(struct end *end, enum rdma_cm_event_type type) {
    jint event;
    DOES(event = D(getCmEvent)(env, NULL, end->channel, address_of(&listener_event), address_of(&id_event), WAIT_MILLIS));
    if (event != (jint)type) {
        fprintf(stderr, "event %d, expected %d\n", event, type);
        exit(1);
    }
    CHECK(D(ackCmEvent)(env, NULL, event) == 0);
}

static void open_end(struct end *end) {
    DOES(end->context = D(getContext)(env, NULL, end->id));
    CHECK(end->context > 0 && end->context == D(getContext)(env, NULL, end->id));
    DOES(CHECK(D(getContextFd)(env, NULL, end->context) > 0));
    DOES(CHECK(D(getContextNumCompVectors)(env, NULL, end->context) > 0));
    DOES(CHECK(N(entriesMost)(env, NULL, end->context) > 64));
    CHECK(D(queryOdpSupport)(env, NULL, end->context) >= 0);
    DOES(end->pd = D(allocPd)(env, NULL, end->context));
    DOES(D(getPdHandle)(env, NULL, end->pd));
    DOES(end->completions = D(createCompChannel)(env, NULL, end->context));
    THROWS(D(createCQ)(env, NULL, end->context, end->completions, -1, 0), "completion queue");
    DOES(end->cq = D(createCQ)(env, NULL, end->context, end->completions, 64, 0));
    THROWS(D(createQP)(env, NULL, end->id, end->pd, end->cq, end->cq, IBV_QPT_RC, -1, 8, 0), "Invalid argument");
    THROWS(D(createQP)(env, NULL, end->id, end->cq, end->cq, end->cq, IBV_QPT_RC, 8, 8, 0), BAD);
    DOES(end->qp = D(createQP)(env, NULL, end->id, end->pd, end->cq, end->cq, IBV_QPT_RC, 8, 8, 64));
    THROWS(D(createQP)(env, NULL, end->id, end->pd, end->cq, end->cq, IBV_QPT_RC, 8, 8, 64), "Invalid argument");
    DOES(CHECK(D(getQpNum)(env, NULL, end->qp) > 0));
    DOES(CHECK(N(inlineMost)(env, NULL, end->qp) >= 0));
    THROWS(D(modifyQP)(env, NULL, end->qp, 0), "not supported");
    end->memory = calloc(1, SIZE);
    jlong lkey = address_of(&end->lkey), rkey = address_of(&end->rkey), number = address_of(&end->number);
    jint access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    THROWS(D(regMr)(env, NULL, end->pd, 0, SIZE, access, lkey, rkey, number), "Invalid argument");
    THROWS(D(regMr)(env, NULL, end->pd, address_of(end->memory), 0, access, lkey, rkey, number), "Invalid argument");
    THROWS(D(regMr)(env, NULL, end->pd, address_of(end->memory), SIZE, access, 0, rkey, number), "Invalid argument");
    THROWS(D(regMr)(env, NULL, end->pd, 4096, SIZE, access, lkey, rkey, number), "memory region"); /* nothing there */
    DOES(end->mr = D(regMr)(env, NULL, end->pd, address_of(end->memory), SIZE, access, lkey, rkey, number));
    CHECK(end->rkey != 0);
    thrown[0] = 0;
    D(expPrefetchMr)(env, NULL, end->mr, address_of(end->memory), SIZE); /* most devices do not know it */
    CHECK(thrown[0] == 0 || strstr(thrown, "prefetch") != NULL);
}

static void close_end(struct end *end) {
    CHECK(D(deallocPd)(env, NULL, end->pd) < 0);                  /* in use */
    CHECK(D(destroyCQ)(env, NULL, end->cq) < 0 || end->qp == 0);  /* in use */
    CHECK(D(destroyCompChannel)(env, NULL, end->completions) < 0); /* in use */
    if (end->qp != 0) {
        CHECK(D(destroyQP)(env, NULL, end->id) == 0);
        CHECK(D(destroyQP)(env, NULL, end->id) == -EINVAL);
        refused(end->qp);
    }
    DOES(D(deregMr)(env, NULL, end->mr));
    refused(end->mr);
    CHECK(D(destroyCQ)(env, NULL, end->cq) == 0);
    refused(end->cq);
    CHECK(D(destroyCompChannel)(env, NULL, end->completions) == 0);
    refused(end->completions);
    CHECK(D(deallocPd)(env, NULL, end->pd) == 0);
    refused(end->pd);
    free(end->memory);
}

static struct ibv_sge piece(struct end *end, uint32_t length) {
    return (struct ibv_sge){.addr = (uintptr_t)end->memory, .length = length, .lkey = end->lkey};
}

/* Waits for a completion as a channel tells it, and takes it. */
static struct ibv_wc completion(struct end *end) {
    struct ibv_wc completions[4];
    for (int i = 0; i < WAIT_MILLIS; i++) {
        jint polled;
        DOES(polled = D(pollCQ)(env, NULL, end->cq, 4, address_of(completions)));
        if (polled != 0) {
            CHECK(polled == 1);
            return completions[0];
        }
        usleep(1000);
    }
    CHECK(!"a completion");
    return completions[0];
}

static void send_one(struct end *from, enum ibv_wr_opcode opcode, uint32_t length, struct end *to, int flags) {
    struct ibv_sge list = piece(from, length);
    struct ibv_send_wr request = {.wr_id = 7, .sg_list = &list, .num_sge = 1, .opcode = opcode, .send_flags = (unsigned)flags};
    request.wr.rdma.remote_addr = (uintptr_t)to->memory;
    request.wr.rdma.rkey = to->rkey;
    DOES(D(postSend)(env, NULL, from->qp, address_of(&request)));
}

static void receive_one(struct end *end, uint64_t id) {
    struct ibv_sge list = piece(end, SIZE);
    struct ibv_recv_wr request = {.wr_id = id, .sg_list = &list, .num_sge = 1};
    DOES(D(postRecv)(env, NULL, end->qp, address_of(&request)));
}

static void messages(struct end *client, struct end *server) {
    for (int i = 0; i < 32; i++) {
        receive_one(server, 100 + (uint64_t)i);
        DOES(CHECK(D(reqNotifyCQ)(env, NULL, server->cq, 0) == 0));
        memset(client->memory, i + 1, 64);
        send_one(client, IBV_WR_SEND, 64, server, i % 2 ? IBV_SEND_SIGNALED : IBV_SEND_SIGNALED | IBV_SEND_INLINE);
        struct ibv_wc sent = completion(client);
        CHECK(sent.status == IBV_WC_SUCCESS && sent.wr_id == 7);
        DOES(CHECK(D(getCqEvent)(env, NULL, server->completions, WAIT_MILLIS) == 0));
        CHECK(D(ackCqEvent)(env, NULL, server->cq, 1) == 0);
        struct ibv_wc received = completion(server);
        CHECK(received.status == IBV_WC_SUCCESS && received.wr_id == 100 + (uint64_t)i && received.byte_len == 64);
        CHECK(server->memory[0] == i + 1 && server->memory[63] == i + 1);
    }
    CHECK(D(ackCqEvent)(env, NULL, server->cq, -1) == -EINVAL);
    DOES(CHECK(D(getCqEvent)(env, NULL, server->completions, 0) == -ETIMEDOUT));
    THROWS(D(pollCQ)(env, NULL, server->cq, 4, 0), "Bad address");
    THROWS(D(postSend)(env, NULL, server->qp, 0), "Bad address");
    THROWS(D(postRecv)(env, NULL, server->qp, 0), "Bad address");
    memset(client->memory, 77, SIZE);
    send_one(client, IBV_WR_RDMA_WRITE, SIZE, server, IBV_SEND_SIGNALED);
    CHECK(completion(client).status == IBV_WC_SUCCESS && server->memory[SIZE - 1] == 77);
    memset(server->memory, 78, SIZE);
    send_one(client, IBV_WR_RDMA_READ, SIZE, server, IBV_SEND_SIGNALED);
    CHECK(completion(client).status == IBV_WC_SUCCESS && client->memory[SIZE - 1] == 78);
}

/* What DiSNI lacks: events without waiting, and one wait for several channels. */
static void waits(struct end *client, struct end *server) {
    jlong waiter, ready[READY_MAX];
    struct event event;
    DOES(waiter = N(openWaiter)(env, NULL));
    DOES(N(watch)(env, NULL, waiter, server->completions));
    DOES(N(watch)(env, NULL, waiter, server->channel));
    THROWS(N(watch)(env, NULL, waiter, server->channel), "File exists");
    DOES(CHECK(N(nextEvent)(env, NULL, server->channel, address_of(&event)) == -1));
    THROWS(N(nextEvent)(env, NULL, server->channel, 0), "Bad address");
    DOES(CHECK(N(nextCompletionEvent)(env, NULL, server->completions) == 0));
    DOES(CHECK(N(await)(env, NULL, waiter, 0, address_of(ready)) == 0));
    receive_one(server, 1);
    DOES(CHECK(D(reqNotifyCQ)(env, NULL, server->cq, 0) == 0));
    send_one(client, IBV_WR_SEND, 8, server, IBV_SEND_SIGNALED);
    DOES(CHECK(N(await)(env, NULL, waiter, WAIT_MILLIS * 1000000ll, address_of(ready)) == 1));
    CHECK(ready[0] == server->completions);
    DOES(CHECK(N(nextCompletionEvent)(env, NULL, server->completions) == server->cq));
    DOES(CHECK(N(nextCompletionEvent)(env, NULL, server->completions) == 0));
    CHECK(completion(server).wr_id == 1 && completion(client).status == IBV_WC_SUCCESS);
    CHECK(D(disconnect)(env, NULL, client->id) == 0);
    DOES(CHECK(N(await)(env, NULL, waiter, WAIT_MILLIS * 1000000ll, address_of(ready)) == 1 && ready[0] == server->channel));
    DOES(CHECK(N(nextEvent)(env, NULL, server->channel, address_of(&event)) == RDMA_CM_EVENT_DISCONNECTED));
    CHECK(event.id == server->id && event.type == RDMA_CM_EVENT_DISCONNECTED && event.private_length == 0);
    CHECK(N(closeWaiter)(env, NULL, waiter) == 0);
}

/* An address of the device: the first that can be bound to one. */
static struct sockaddr_in device_address(jlong channel) {
    struct ifaddrs *all;
    CHECK(getifaddrs(&all) == 0);
    for (struct ifaddrs *each = all; each != NULL; each = each->ifa_next) {
        if (each->ifa_addr == NULL || each->ifa_addr->sa_family != AF_INET || each->ifa_flags & IFF_LOOPBACK) {
            continue;
        }
        struct sockaddr_in address = *(struct sockaddr_in *)each->ifa_addr;
        jlong id;
        DOES(id = D(createId)(env, NULL, channel, RDMA_PS_TCP));
        thrown[0] = 0;
        D(bindAddr)(env, NULL, id, address_of(&address));
        int good = thrown[0] == 0 && D(getContext)(env, NULL, id) > 0;
        CHECK(D(destroyCmId)(env, NULL, id) == 0);
        refused(id);
        if (good) {
            freeifaddrs(all);
            return address;
        }
    }
    CHECK(!"an address of an RDMA device");
    return (struct sockaddr_in){0};
}

static void resolve(struct end *client, struct sockaddr_in *to) {
    DOES(client->id = D(createId)(env, NULL, client->channel, RDMA_PS_TCP));
    THROWS(D(resolveRoute)(env, NULL, client->id, 1000), "Invalid argument");
    THROWS(D(connect)(env, NULL, client->id, 7, 6, 0, 0), "Invalid argument");
    THROWS(D(accept)(env, NULL, client->id, 7, 6), "Invalid argument");
    CHECK(D(disconnect)(env, NULL, client->id) == -EINVAL);
    CHECK(D(destroyQP)(env, NULL, client->id) == -EINVAL);
    CHECK(D(getContext)(env, NULL, client->id) == -1);
    THROWS(D(resolveAddr)(env, NULL, client->id, 0, 0, 1000), "Bad address");
    DOES(D(resolveAddr)(env, NULL, client->id, 0, address_of(to), WAIT_MILLIS));
    expect(client, RDMA_CM_EVENT_ADDR_RESOLVED);
    CHECK(id_event == client->id && listener_event == 0);
    CHECK(N(acknowledgeTimeout)(env, NULL, client->id, 17) == 0);
    DOES(D(resolveRoute)(env, NULL, client->id, WAIT_MILLIS));
    expect(client, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

static void connections(void) {
    struct end client = {0}, server = {0};
    DOES(client.channel = D(createEventChannel)(env, NULL));
    DOES(server.channel = D(createEventChannel)(env, NULL));
    CHECK(D(getCmEvent)(env, NULL, client.channel, address_of(&listener_event), address_of(&id_event), 0) == -ETIMEDOUT);
    CHECK(D(getCmEvent)(env, NULL, client.channel, 0, address_of(&id_event), 0) == -EFAULT);
    refused(client.channel ^ 1ll << 32);
    struct sockaddr_in address = device_address(server.channel), bound = {0}, peer = {0};
    jlong listener;
    DOES(listener = D(createId)(env, NULL, server.channel, RDMA_PS_TCP));
    CHECK(D(destroyEventChannel)(env, NULL, server.channel) == -EBUSY);
    THROWS(D(bindAddr)(env, NULL, listener, 0), "Bad address");
    address.sin_port = 0;
    DOES(D(bindAddr)(env, NULL, listener, address_of(&address)));
    DOES(D(listen)(env, NULL, listener, 8));
    CHECK(D(getSrcAddr)(env, NULL, listener, address_of(&bound)) == 0 && bound.sin_port != 0);
    CHECK(D(getSrcAddr)(env, NULL, listener, 0) == -EFAULT);

    for (int round = 0; round < 3; round++) { /* accepted by DiSNI's calls, by ours, and rejected */
        memset(&peer, 0, sizeof peer);
        resolve(&client, &bound);
        open_end(&client);
        THROWS(D(connect)(env, NULL, client.id, 7, 6, address_of("private"), 120), "connect"); /* more than there is room for */
        DOES(D(connect)(env, NULL, client.id, 7, 6, address_of("private"), 8));
        struct event event = {0};
        if (round == 0) {
            expect(&server, RDMA_CM_EVENT_CONNECT_REQUEST);
            CHECK(listener_event == listener && id_event != listener && id_event > 0);
            server.id = id_event;
        } else {
            struct pollfd one = {.fd = ((struct rdma_event_channel *)object(CHANNEL, server.channel))->fd, .events = POLLIN};
            CHECK(poll(&one, 1, WAIT_MILLIS) == 1);
            DOES(CHECK(N(nextEvent)(env, NULL, server.channel, address_of(&event)) == RDMA_CM_EVENT_CONNECT_REQUEST));
            CHECK(event.listener == listener && event.id != listener && event.id > 0);
            CHECK(event.private_length >= 8 && strcmp((char *)event.private_data, "private") == 0);
            server.id = event.id;
        }
        CHECK(D(getDstAddr)(env, NULL, server.id, address_of(&peer)) == 0);
        CHECK(peer.sin_addr.s_addr == bound.sin_addr.s_addr && peer.sin_port != 0);
        jlong listening = server.channel;
        if (round == 1) { /* from here on its events come elsewhere */
            CHECK(N(migrate)(env, NULL, server.id, client.id) == -EBADF);
            DOES(server.channel = D(createEventChannel)(env, NULL));
            CHECK(N(migrate)(env, NULL, server.id, server.channel) == 0);
            CHECK(D(destroyEventChannel)(env, NULL, server.channel) == -EBUSY);
        }
        if (round == 2) {
            CHECK(N(reject)(env, NULL, server.id) == 0);
            CHECK(D(destroyEp)(env, NULL, server.id) == 0);
            refused(server.id);
            expect(&client, RDMA_CM_EVENT_REJECTED);
            close_end(&client);
            CHECK(D(destroyCmId)(env, NULL, client.id) == 0);
            break;
        }
        open_end(&server);
        DOES(D(accept)(env, NULL, server.id, 7, 6));
        expect(&client, RDMA_CM_EVENT_ESTABLISHED); /* reading it tells the server */
        expect(&server, RDMA_CM_EVENT_ESTABLISHED);
        CHECK(id_event == server.id);
        messages(&client, &server);
        if (round == 0) {
            CHECK(D(disconnect)(env, NULL, server.id) == 0);
            expect(&client, RDMA_CM_EVENT_DISCONNECTED);
            CHECK(D(disconnect)(env, NULL, client.id) == 0); /* answers */
            expect(&server, RDMA_CM_EVENT_DISCONNECTED);
        } else {
            waits(&client, &server);
        }
        close_end(&client);
        CHECK(D(destroyCmId)(env, NULL, client.id) == 0);
        if (round == 0) {
            close_end(&server);
            CHECK(D(destroyEp)(env, NULL, server.id) == 0);
        } else { /* with its queue pair */
            CHECK(D(destroyCmId)(env, NULL, server.id) == 0);
            refused(server.qp);
            server.qp = 0;
            CHECK(D(deallocPd)(env, NULL, server.pd) < 0);
            DOES(D(deregMr)(env, NULL, server.mr));
            CHECK(D(destroyCQ)(env, NULL, server.cq) == 0);
            CHECK(D(destroyCompChannel)(env, NULL, server.completions) == 0);
            CHECK(D(deallocPd)(env, NULL, server.pd) == 0);
            free(server.memory);
        }
        refused(server.id);
        refused(client.id);
        if (round == 1) {
            CHECK(D(destroyEventChannel)(env, NULL, server.channel) == 0);
            server.channel = listening;
        }
    }
    CHECK(D(destroyCmId)(env, NULL, listener) == 0);
    CHECK(D(destroyEventChannel)(env, NULL, server.channel) == 0);
    CHECK(D(destroyEventChannel)(env, NULL, client.channel) == 0);
    refused(client.channel);
    CHECK(N(live)(env, NULL) == 0);
}

int main(int count, char **arguments) {
    int allow_no_device = count > 1 && strcmp(arguments[1], "--allow-no-device") == 0;
    handles_that_are_none_are_refused();
    handles_are_told_apart();
    sizes_are_those_of_the_headers();
    a_signal_ends_a_wait();
    int devices = N(devices)(env, NULL);
    if (devices <= 0) {
        printf("disni: no RDMA device\n");
        return allow_no_device ? 0 : 1;
    }
    connections();
    printf("disni: good\n");
    return 0;
}
