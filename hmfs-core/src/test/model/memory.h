#pragma once
// Explicit-state model checker of the single-server protocol as hmfs-core runs it. Functions bear the names of the Java methods.
// Memory: 8-byte words in cache lines, a volatile view, and for each line the stores that are not durable yet; a write-back marks
// the stores of a line for its thread, a fence makes what its thread has marked durable, and a power loss keeps any first part of
// each line's stores. Threads are functions that stop at each Y; every order of their steps is explored.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>
using namespace std;
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

enum { NK = 4, ND = 3, NS = 6, MAXLOG = 72, MAXCFG = 240, NOP = 16, NT = 4, JUDGE = 3, NREC = 11, NW_ENT = 6 };
enum { NAME, STATUS, DEATH, BIRTH, SIB, LINK, PAR, ATTR, INO, NF };
enum { FREE, CREATING, NORMAL, DELETING, DELETED, MOVING, REPLACED };
enum { CLOSED = 0xFF, ROOT = 15 };
// words: slots, contents (head, mtime, access, id: 0 = free), index words by (key, slot), index words of contents, records by operation
enum { W_SLOT = 0, W_DIR = NF * (NS + 1), W_IDX = W_DIR + 4 * ND, W_CIDX = W_IDX + (NK + 1) * (NS + 1), W_REC = W_CIDX + ND, NW = W_REC + 4 * NREC };
static int F(int s, int f) { return W_SLOT + s * NF + f; }
static int HEAD(int d) { return W_DIR + 4 * d; }
static int MT(int d) { return HEAD(d) + 1; }
static int ACC(int d) { return HEAD(d) + 2; }
static int CST(int d) { return HEAD(d) + 3; }
static int IX(int k, int s) { return W_IDX + k * (NS + 1) + s; }
static int CIX(int d) { return W_CIDX + d; }
enum { NONE, WRITTEN, EXECUTED, MADE = 8, GONE = 16 }; // number and evidence in one word, stored last
static int NUMBER(int op) { return W_REC + 4 * op; }
static int OBJECT(int op) { return NUMBER(op) + 1; }
static int TIME(int op) { return NUMBER(op) + 2; }
static int ID(int op) { return NUMBER(op) + 3; }
static int lineOf(int w) {
    if (w < W_DIR) { int f = w % NF; return w / NF * 2 + (f == NAME || f == ATTR); }
    if (w < W_IDX) return 2 * (NS + 1) + (w - W_DIR) / 4;
    if (w < W_REC) return 2 * (NS + 1) + ND + (w - W_IDX);
    return 2 * (NS + 1) + ND + (W_REC - W_IDX) + (w - W_REC) / 4;
}
static const char *STN[] = {"FREE", "CREATING", "NORMAL", "DELETING", "DELETED", "MOVING", "REPLACED"};
static const char *FN[] = {"name", "status", "death", "birth", "sibling", "link", "parent", "attr", "id"};

// ---- flags: each is a step; what it is by default is what the code does ----
static map<string, int> OPT;
static int opt(const char *n, int def) { auto i = OPT.find(n); return i == OPT.end() ? def : i->second; }
#define FLAGS(X) \
    X(early, 1)    /* create fills its slot: 0 under the lock, 1 before it (FREE), 2 CREATING before it */ \
    X(rmempty, 1)  /* rmdir of an empty list: 0 sweeps, 1 does not, 2 nor persists CLOSED */ \
    X(recwb, 0)    /* 1: recovery persists all it stores and clears index words, as first designed */ \
    X(cswap, 1)    /* finishCreate is a swap; 0 a plain store */ \
    X(verdict, 1)  /* [recover.verdict] */ \
    X(readfirst, 1)/* recoverDelete: 0 reads the mtime after it is durable, 1 before */ \
    X(tdead, 1)    /* writeBackReplaced: also a T that is DELETED already */ \
    X(delfin, 1)   /* [recover.delete.finish] persists DELETING */ \
    X(delundo, 1)  /* [recover.delete.undo]: 1 UNDONE durable, then NORMAL; 0 NORMAL, then durable; 2 NORMAL, not durable */ \
    X(reopenlock, 1) /* reopenIfStale looks at the access object under its lock */ \
    X(nearn, 1)    /* a neighbour must be NORMAL; 0 any state */ \
    X(settle, 1)   /* settleSource; 0 left out */ \
    X(settlewb, 1) /* settleSource writes the origin back */ \
    X(pback, 1)    /* the check that the successor points back */ \
    X(fillf, 1)    /* [rename.1] fence */ \
    X(linkstate, 1)/* [rename.2] link before MOVING */ \
    X(leavewb, 1)  /* [rename.2] and [rename.3] write-back */ \
    X(undof, 1)    /* [rename.8] fence */ \
    X(undowb, 1)   /* [rename.8] write-back */ \
    X(recundof, 1) /* [recover.rename.undo] fence */ \
    X(recundowb, 1)/* [recover.rename.undo] write-backs */ \
    X(nnormal, 1)  /* [rename.5] write-back of N */ \
    X(odel, 1)     /* [rename.5] write-back of O */ \
    X(tdel, 1)     /* [rename.5] write-back of T */ \
    X(setf, 1)     /* [rename.5] fence */ \
    X(deathb, 1)   /* DELETED goes with the successor's birth as the time of death; 0 with the time that was there */ \
    X(linkb, 1)    /* a list follows a link if that birth is the successor's; 0 wherever it leads; 2 to none of an earlier start */ \
    X(finN, 1)     /* finishRename persists N */ \
    X(finO, 1)     /* finishRename writes O back */ \
    X(finT, 1)     /* finishRename writes T back */ \
    X(undocheck, 1)/* undoRename frees N only if it is CREATING */ \
    X(sweepdel, 1) /* [sweep.2] write-back of DELETED */ \
    X(sweepf, 1)   /* [sweep.2] fence */ \
    X(sweepdir, 1) /* [sweep.2] write-back of the directory's line */ \
    X(freedel, 1)  /* freeIfUnlinked persists DELETED */ \
    X(unlinked, 1) /* [unlinked.1] */ \
    X(closeT, 1)   /* [rename.0] */ \
    X(reopenT, 1)  /* [rename.11] */ \
    X(contentT, 1) /* the content of what was replaced goes: 1 after DELETED, 0 never, 2 before the rename */ \
    X(pointc, 1)   /* [rename.5] the content is told of its new access object: 1 written back, 2 not, 0 not told */ \
    X(backref, 1)  /* a sweep repairs the back reference */ \
    X(scanref, 1)  /* freeIfUnlinked repairs it, too */ \
    X(joinf, 1)    /* [join.2] */ \
    X(joinlast, 1) /* [join.4] before NORMAL */ \
    X(joinasc, 1)  /* [join.1] births ascend */ \
    X(joinwb, 1)   /* [join.1] write-back */ \
    X(joinfull, 1) /* [join.3] the swap compares head and mtime; 0 the head alone */ \
    X(raisewb, 1)  /* raise writes back also when it was high enough */ \
    X(idxlast, 1)  /* [delete.4] index word after DELETED */ \
    X(num, 0)      /* 1: creates, deletes, rmdirs and renames have numbers, and a start judges their records */ \
    X(recd, 1)     /* [once.1] the record goes out with the operation's first fence; 0 after the commit */ \
    X(recf, 1)     /* [once.3] fence */ \
    X(unrec, 1)    /* [once.5]: 1 durable, 2 not, 0 not cleared */ \
    X(jwb, 1)      /* [once.6] write-back of what is looked at */ \
    X(jset, 1)     /* [once.6] what is DELETING is settled */ \
    X(jf, 1)       /* [once.6] fence */ \
    X(jdone, 1)    /* [once.7] write-back and fence */ \
    X(jagain, 1)   /* [once.11] write-back of what an earlier start has cleared */ \
    X(jfirst, 1)   /* the records are judged before anything else; 0 beside it */ \
    X(notempty, 1) X(mkcont, 1) X(stat2, 1) X(stat3, 1) X(renidx, 1) X(scanlock, 1)
struct Flags {
#define X(n, d) int n;
    FLAGS(X)
#undef X
} G;
static void readFlags() {
#define X(n, d) G.n = opt(#n, d);
    FLAGS(X)
#undef X
}

// ---- world, operations, state ----
static int KPAR[NK], KNAME[NK], TAB[ND][4], DIRS; // keys; TAB: (parent, name) -> key, NK if none
static char WORLD;
static const char *KN[NK + 1];
enum OpT { O_NONE, O_CREATE, O_DELETE, O_RENAME, O_STAT, O_LIST, O_SWEEP, O_CHMOD, O_MKDIR, O_RMDIR, O_SCAN, O_JOIN, O_BEGIN };
static const char *ON[] = {"none", "create", "delete", "rename", "stat", "list", "sweep", "chmod", "mkdir", "rmdir", "scan", "join", "begin"};
struct Op { u8 t, a, b, c; };
static Op OPS[64];
static int nops = 0;
static vector<vector<vector<int>>> PROG; // start, thread, operations
enum { R_OK = 1, R_NOENT = 2, R_EXIST = 3, R_NOTEMPTY = 4, R_NOSPC = 5, R_BAD = 6 };
struct Ent { u8 line, n, wb, w[NW_ENT], v[NW_ENT]; };
struct Cfg {
    u8 e[NK], r[NOP];
    bool operator<(const Cfg &o) const { return memcmp(this, &o, sizeof(Cfg)) < 0; }
    bool operator==(const Cfg &o) const { return memcmp(this, &o, sizeof(Cfg)) == 0; }
};
enum { P_OP, P_CREATE, P_OPEN, P_REC, P_LINKED, P_LINK, P_LOCK, P_SWEEP, P_CLOSE, P_REMOVE, P_FREEIF, P_STAT, P_RAISE, P_JUDGE, NP };
struct Th {
    u16 pc[NP];
    u8 pi, op, active, held, li, res, mask;
    u8 k, s, o, T, ts, content, vc, stale, ok;                   // operation
    u8 ck, cs, cmk, cres, cino;                                  // create
    u8 od, oopen, oacc;                                          // openContent
    u8 rs, rst, rln, rN, rO, rT, rN2, rmoved, rc;                // recover
    u8 qs, qd, qin, qcur, qx, qsteps, qtold;                     // isLinked
    u8 ls, ld, lt, lh, lm, lok;                                  // link
    u8 wd, wcur, wprev, wnext, wrem;                             // sweep
    u8 zd, zh, zm, zres, zstale, zocc;                                 // close
    u8 ma, mk, mt;                                               // remove
    u8 ad, at, ah, am;                                           // raise
    u8 fs, fd, flost;                                                   // freeIfUnlinked
    u8 sk, smask, scur, sst, screat, snxt, sino, sattr, sfound;  // stat
    u8 lcur, lstart, lseen, ldup, lst, llink, lshown, lbehind;            // list
    u8 xi; u16 xopen, xdone;                                     // judge
    u8 jn, js[3], jr[3], jset, jdone, jh[ND], jm[ND], jd, ji, jopen; // join
};
struct State {
    u8 vol[NW], per[NW], lock[NK + 1], swl[ND], freeM, retiredM, known, retired[NS + 1], clock, start, epoch, nth, dead, viol, judging, mark[ND]; // mark: ListCursor.start of a list that goes on in a later start
    u16 pend, answered, told, toldNot;                           // told: by a start that has judged, and for good
    Th th[NT];
    u8 nlog, ncfg;
    Ent log[MAXLOG];
    Cfg cfg[MAXCFG];
};
static bool VERB = false;
static int CURT = 0;
static string MSG;
static void viol(State &S, const string &m) {
    if (!S.viol) { S.viol = 1; MSG = m; }
    if (VERB) printf("      *** %s\n", m.c_str());
}
static string num(int n) { return to_string(n); }
static string wordName(int w) {
    if (w < W_DIR) return "s" + num(w / NF) + "." + FN[w % NF];
    if (w < W_IDX) { const char *n[] = {"head", "mtime", "access", "id"}; return "dir" + num((w - W_DIR) / 4) + "." + n[(w - W_DIR) % 4]; }
    if (w >= W_REC) { const char *n[] = {"number", "object", "time", "id"}; return "record" + num((w - W_REC) / 4) + "." + n[(w - W_REC) % 4]; }
    if (w < W_CIDX) return "index[" + string(KN[(w - W_IDX) / (NS + 1)]) + "->s" + num((w - W_IDX) % (NS + 1)) + "]";
    return "index[dir" + num(w - W_CIDX) + "]";
}
static string valueName(int w, int v) {
    if (w < W_DIR && w % NF == STATUS) return STN[v];
    if (w >= W_DIR && w < W_IDX && (w - W_DIR) % 4 == 0 && v == CLOSED) return "CLOSED";
    return num(v);
}
static int R(const State &S, int w) { return S.vol[w]; }
static int st(const State &S, int s) { return R(S, F(s, STATUS)); }
static int link(const State &S, int s) { return R(S, F(s, LINK)); }
static int keyOf(const State &S, int s) { return TAB[R(S, F(s, PAR))][R(S, F(s, NAME))]; }
static int me(const State &S, const Th &t) { return int(&t - S.th); }

// ---- memory ----
static void W(State &S, initializer_list<pair<int, int>> a, const char *tag = "store") {
    bool changes = false;
    for (auto &x : a) changes |= S.vol[x.first] != x.second;
    if (VERB) {
        printf("  T%d %s ", CURT, tag);
        for (auto &x : a) printf("%s=%s ", wordName(x.first).c_str(), valueName(x.first, x.second).c_str());
        printf("\n");
    }
    if (!changes) return;
    if (S.nlog >= MAXLOG) { printf("log overflow\n"); exit(3); }
    Ent e;
    memset(&e, 0, sizeof e);
    e.line = lineOf(a.begin()->first);
    for (auto &x : a) { e.w[e.n] = x.first; e.v[e.n++] = x.second; S.vol[x.first] = x.second; }
    int i = S.nlog++;
    for (; i > 0 && S.log[i - 1].line > e.line; i--) S.log[i] = S.log[i - 1];
    S.log[i] = e;
}
static void WB(State &S, Th &t, int w) {
    if (VERB) printf("  T%d wb %s\n", CURT, wordName(w).c_str());
    for (int i = 0; i < S.nlog; i++) if (S.log[i].line == lineOf(w)) S.log[i].wb |= 1 << me(S, t);
}
static void FENCE(State &S, Th &t) {
    if (VERB) printf("  T%d fence\n", CURT);
    int bit = 1 << me(S, t), j = 0;
    for (int i = 0; i < S.nlog; i++) {
        Ent &e = S.log[i];
        if (e.wb & bit) for (int q = 0; q < e.n; q++) S.per[e.w[q]] = e.v[q];
        else S.log[j++] = e;
    }
    memset(&S.log[j], 0, (S.nlog - j) * sizeof(Ent));
    S.nlog = j;
}
static void PERSIST(State &S, Th &t, int w) { WB(S, t, w); FENCE(S, t); }
static bool dirty(const State &S, int w) {
    for (int i = 0; i < S.nlog; i++) if (S.log[i].line == lineOf(w)) return true;
    return false;
}

// ---- linearizability ----
static int contentOf(int k, int ino) {
    if (WORLD == 'D') return ino == 12 ? 1 : ino == 13 ? 2 : -1;
    return WORLD == 'R' && k == 0 ? 1 : -1;
}
static bool isDirectory(const State &S, int s) { return contentOf(keyOf(S, s), R(S, F(s, INO))) >= 0; }
static bool ownsContent(const State &S, int s, int d) { // Engine.isAccessOf
    return R(S, F(s, INO)) == R(S, CST(d)) && contentOf(keyOf(S, s), R(S, F(s, INO))) == d;
}
static bool hasAccess(int d) { return (WORLD == 'R' && d == 1) || (WORLD == 'D' && d > 0); }
static bool dirThere(const Cfg &c, int d) {
    if (!hasAccess(d)) return true;
    for (int k = 0; k < NK; k++) if (c.e[k] && contentOf(k, c.e[k] >> 2) == d) return true;
    return false;
}
static bool empty(const Cfg &c, int d) {
    for (int k = 0; k < NK; k++) if (KPAR[k] == d && c.e[k]) return false;
    return true;
}
static int stepSpec(const Cfg &c, int x, Cfg &o) {
    const Op &p = OPS[x];
    o = c;
    switch (p.t) {
    case O_CREATE: case O_MKDIR:
        if (!dirThere(c, KPAR[p.a])) return R_NOENT;
        if (c.e[p.a]) return R_EXIST;
        o.e[p.a] = ((x + 1) & 15) << 2;
        return R_OK;
    case O_DELETE: if (!dirThere(c, KPAR[p.a]) || !c.e[p.a]) return R_NOENT; o.e[p.a] = 0; return R_OK;
    case O_RMDIR:
        if (!c.e[p.a]) return R_NOENT;
        if (!empty(c, contentOf(p.a, c.e[p.a] >> 2))) return R_NOTEMPTY;
        o.e[p.a] = 0;
        return R_OK;
    case O_RENAME: {
        if (!dirThere(c, KPAR[p.a]) || !dirThere(c, KPAR[p.b]) || !c.e[p.a]) return R_NOENT;
        int victim = c.e[p.b] ? contentOf(p.b, c.e[p.b] >> 2) : -1;
        if (victim >= 0 && !empty(c, victim)) return R_NOTEMPTY;
        o.e[p.b] = c.e[p.a];
        o.e[p.a] = 0;
        return R_OK;
    }
    case O_STAT: return c.e[p.a] ? 0x40 | (c.e[p.a] & 0x3f) : R_NOENT;
    case O_CHMOD: if (!c.e[p.a]) return R_NOENT; o.e[p.a] = (c.e[p.a] & ~3) | p.b; return R_OK;
    }
    return R_OK;
}
static string resultName(int r) {
    if (r >= 0x80) { string o = "{ "; for (int k = 0; k < NK; k++) if (r >> k & 1) o += string(KN[k]) + " "; return o + "}"; }
    if (r >= 0x40) return "exists(id" + num((r >> 2) & 15) + ",mode" + num(r & 3) + ")";
    const char *n[] = {"?", "OK", "NOENT", "EXISTS", "NOT_EMPTY", "NO_SPACE", "listed twice"};
    return n[r];
}
// A list is weak: each key is decided at a moment of its own. r: low nibble decided, high nibble present; 0xFF no directory.
static vector<Cfg> LOUT, LSEEN;
static int keysOf(int d) { int m = 0; for (int k = 0; k < NK; k++) if (KPAR[k] == d) m |= 1 << k; return m; }
static bool internal(int x) { int t = OPS[x].t; return t == O_SWEEP || t == O_SCAN || t == O_JOIN || t == O_BEGIN; }
static bool matches(const Cfg &c, int x, int res) {
    int r = c.r[x];
    if (!r) return false;
    if (OPS[x].t != O_LIST) return r == res;
    if (res == R_NOENT) return r == 0xFF && hasAccess(OPS[x].a);
    return res >= 0x80 && (r & 15) == keysOf(OPS[x].a) && (r >> 4) == (res & 15);
}
static void linDfs(State &S, const Cfg &c, int x, int res) {
    for (auto &q : LSEEN) if (q == c) return;
    LSEEN.push_back(c);
    if (matches(c, x, res) || (res == R_NOSPC && c.r[x] == 0)) { Cfg o = c; o.r[x] = 0; LOUT.push_back(o); return; }
    for (int y = 0; y < NOP; y++) if (S.pend >> y & 1 && !internal(y)) {
        const Op &p = OPS[y];
        Cfg o = c;
        if (p.t == O_LIST) {
            int r = c.r[y];
            if (!dirThere(c, p.a)) { if (r == 0) { o.r[y] = 0xFF; linDfs(S, o, x, res); } continue; }
            if (r == 0xFF && hasAccess(p.a)) continue;
            for (int k = 0; k < NK; k++) if ((keysOf(p.a) >> k & 1) && !(r >> k & 1)) {
                int present = c.e[k] != 0;
                if (y == x && res >= 0x80 && present != ((res >> k) & 1)) continue;
                o = c;
                o.r[y] = r | 1 << k | (present ? 16 << k : 0);
                linDfs(S, o, x, res);
            }
            continue;
        }
        if (c.r[y]) continue;
        int r = stepSpec(c, y, o);
        if (y == x && r != res) continue;
        o.r[y] = r;
        linDfs(S, o, x, res);
    }
}
static string opName(int x) {
    const Op &p = OPS[x];
    string s = string(ON[p.t]) + "(";
    if (p.t == O_LIST || p.t == O_SWEEP || p.t == O_BEGIN) return s + num(p.a) + ")";
    if (p.t == O_SCAN || p.t == O_JOIN) return s + ")";
    s += KN[p.a];
    if (p.t == O_RENAME) s += string(",") + KN[p.b];
    return s + ")";
}
static void opReturn(State &S, int x, int res) {
    if (VERB) printf("  T%d ACK op%d %s -> %s\n", CURT, x, opName(x).c_str(), resultName(res).c_str());
    if (internal(x)) { S.pend &= ~(1u << x); return; }
    vector<Cfg> out;
    for (int i = 0; i < S.ncfg; i++) { LOUT.clear(); LSEEN.clear(); Cfg c = S.cfg[i]; linDfs(S, c, x, res); out.insert(out.end(), LOUT.begin(), LOUT.end()); }
    S.pend &= ~(1u << x);
    sort(out.begin(), out.end());
    out.erase(unique(out.begin(), out.end()), out.end());
    if (out.empty()) { viol(S, "I1: " + opName(x) + " = " + resultName(res) + " has no linearization"); return; }
    if (out.size() > MAXCFG) { printf("cfg overflow %zu\n", out.size()); exit(3); }
    memset(S.cfg, 0, S.ncfg * sizeof(Cfg));
    S.ncfg = out.size();
    for (size_t i = 0; i < out.size(); i++) S.cfg[i] = out[i];
}
// ---- numbered changes ----
static u16 NUMBERED; // operations of the program
static bool numbered(int x) { return x < NREC && NUMBERED >> x & 1; }
/** What a start has judged: it must be so, and stays so. */
static void tell(State &S) {
    for (int x = 0; x < NREC; x++) if (numbered(x)) {
        bool executed = (R(S, NUMBER(x)) & 7) == EXECUTED, pending = S.pend >> x & 1;
        if (VERB && (executed || pending)) printf("  record of op%d %s: %s\n", x, opName(x).c_str(), executed ? "executed" : "not executed");
        if (!executed && (S.answered | S.told) >> x & 1) { viol(S, "once: " + opName(x) + " was answered, or told, and its record is gone"); return; }
        if (executed && !pending && !((S.answered | S.told) >> x & 1)) { viol(S, "once: " + opName(x) + " is told executed, and was not"); return; }
        if (!pending) continue;
        if (executed) { S.told |= 1 << x; opReturn(S, x, R_OK); if (S.viol) return; continue; }
        int n = 0;
        for (int i = 0; i < S.ncfg; i++) if (S.cfg[i].r[x] != R_OK) { S.cfg[n] = S.cfg[i]; S.cfg[n++].r[x] = 0; }
        memset(S.cfg + n, 0, (S.ncfg - n) * sizeof(Cfg));
        sort(S.cfg, S.cfg + n);
        S.ncfg = unique(S.cfg, S.cfg + n) - S.cfg;
        memset(S.cfg + S.ncfg, 0, (n - S.ncfg) * sizeof(Cfg));
        S.pend &= ~(1u << x);
        S.toldNot |= 1 << x;
        if (!n) { viol(S, "once: " + opName(x) + " is told not executed, and was"); return; }
    }
}
