#pragma once
// What the operations share: locks, slots, look-ups, lists, recovery. Functions bear the names of the Java methods.
#include "memory.h"

// ---- threads are functions that can stop: all that outlives a Y stands in Th ----
#define BEGIN(i) u16 &PC = t.pc[i]; switch (PC) { case 0:;
#define Y_(n) do { PC = n + 1; return 0; case n + 1:; } while (0)
#define Y Y_(__COUNTER__)
#define CALL_(n, f) do { PC = n + 1; case n + 1:; if (!(f)) return 0; } while (0)
#define CALL(f) CALL_(__COUNTER__, f)
#define RET do { PC = 0; return 1; } while (0)
#define END } PC = 0; return 1;

static void unlockAll(State &S, Th &t) { for (int k = 0; k <= NK; k++) if (t.held >> k & 1) S.lock[k] = 0; t.held = 0; }
static int lockAll(State &S, Th &t, int mask) {
    BEGIN(P_LOCK)
    for (t.li = 0; t.li <= NK; t.li++) if (mask >> t.li & 1) {
        while (S.lock[t.li]) Y;
        S.lock[t.li] = me(S, t) + 1;
        t.held |= 1 << t.li;
    }
    t.li = 0;
    END
}
static int lockBit(const State &S, int s) { return 1 << keyOf(S, s); }
static void addRetired(State &S, int s) {
    if ((S.freeM | S.retiredM) >> s & 1) { viol(S, "I5: slot s" + num(s) + " freed twice"); return; }
    int m = 0;
    for (int i = 0; i < S.nth; i++) if (S.th[i].active) m |= 1 << i;
    S.retiredM |= 1 << s;
    S.retired[s] = m;
}
static void opEnd(State &S, int i) {
    for (int s = 1; s <= NS; s++) if (S.retiredM >> s & 1) {
        S.retired[s] &= ~(1 << i);
        if (!S.retired[s]) { S.retiredM &= ~(1 << s); S.freeM |= 1 << s; }
    }
}
static int allocate(State &S) {
    for (int s = 1; s <= NS; s++) if (S.freeM >> s & 1) { S.freeM &= ~(1 << s); S.known |= 1 << s; return s; }
    return 0;
}
static void retire(State &S, int s) { // Engine.retire: not written back
    W(S, {{F(s, DEATH), S.clock++}, {F(s, STATUS), FREE}}, "retire");
    S.known |= 1 << s;
    addRetired(S, s);
}
static void advance(State &S, int time) { if (S.clock <= time) S.clock = time + 1; }
static bool isStale(const State &S, int s) {
    int x = st(S, s);
    if (x == CREATING) return R(S, F(s, BIRTH)) < S.start;
    return (x == DELETING || x == MOVING || x == REPLACED) && R(S, F(s, DEATH)) < S.start;
}
static bool findContent(const State &S, int d) { return R(S, CIX(d)) && R(S, CST(d)); }
static void dropContent(State &S, int d, int id) { // one step more than the code's two
    if (R(S, CST(d)) == id && id) { W(S, {{CST(d), 0}}, "dropContent"); W(S, {{CIX(d), 0}}); }
}
/** Engine.findLocked: the live object, or 0; the negative of what must be recovered first. */
static int findLocked(State &S, int k) {
    int found = 0;
    for (int s = 1; s <= NS; s++) if (R(S, IX(k, s)) && keyOf(S, s) == k) {
        int x = st(S, s);
        if (x == NORMAL) { if (link(S, s)) return -s; found = s; }
        else if (x != FREE && x != DELETED) {
            if (!isStale(S, s)) { viol(S, string("object in state ") + STN[x] + " under a held lock"); return 0; }
            return -s;
        }
    }
    return found;
}
/** Engine.buryFor: O and T of a rename. */
static void buryFor(State &S, int s, int successor) {
    W(S, {{F(s, STATUS), DELETED}, {F(s, DEATH), G.deathb ? R(S, F(successor, BIRTH)) : R(S, F(s, DEATH))}}, "cas16 bury");
}
static void setFate(State &S, int s, int state, int death) { W(S, {{F(s, STATUS), state}, {F(s, DEATH), death}}, "cas16"); }
static void finishCreate(State &S, int s) {
    if (st(S, s) == CREATING && !link(S, s) && isStale(S, s)) W(S, {{F(s, STATUS), NORMAL}}, "finishCreate");
}
static int isLinked(State &S, Th &t, int s) { // LinkSearch.isLinked, ChildList.contains
    BEGIN(P_LINKED)
    t.qs = s; t.qd = R(S, F(s, PAR)); t.qin = 0; t.qtold = 0;
    if (!findContent(S, t.qd) || R(S, F(t.qs, BIRTH)) > R(S, MT(t.qd))) { t.qs = t.qd = 0; RET; }
    Y;
    if (R(S, HEAD(t.qd)) != t.qs) {
        for (t.qx = 1; t.qx <= NS && !t.qtold; t.qx++) {
            if (t.qx == t.qs || (G.nearn ? st(S, t.qx) != NORMAL : st(S, t.qx) == FREE) || R(S, F(t.qx, PAR)) != t.qd || R(S, F(t.qx, BIRTH)) <= R(S, F(t.qs, BIRTH))) continue;
            t.qcur = t.qx;
            while (!t.qtold) {
                t.qcur = R(S, F(t.qcur, SIB));
                if (t.qcur == t.qs) t.qtold = 1;
                else if (!t.qcur || R(S, F(t.qcur, BIRTH)) < R(S, F(t.qs, BIRTH))) t.qtold = 2;
                else Y;
            }
        }
        t.qin = t.qtold == 1;
        t.qx = t.qcur = 0;
        if (t.qtold) { t.qtold = t.qs = t.qd = 0; RET; }
    }
    if (G.verdict) PERSIST(S, t, HEAD(t.qd));
    Y;
    t.qcur = R(S, HEAD(t.qd));
    t.qsteps = 0;
    while (t.qcur && t.qcur != CLOSED && t.qcur != t.qs && R(S, F(t.qcur, BIRTH)) >= R(S, F(t.qs, BIRTH))) {
        if (G.cswap) finishCreate(S, t.qcur);
        else if (st(S, t.qcur) == CREATING && !link(S, t.qcur) && isStale(S, t.qcur)) { Y; W(S, {{F(t.qcur, STATUS), NORMAL}}, "store"); }
        Y;
        t.qcur = R(S, F(t.qcur, SIB));
        t.qsteps++;
    }
    t.qin = t.qcur == t.qs;
    if (t.qin) for (t.qsteps++; t.qsteps > 0 && t.qcur; t.qsteps--) {
        finishCreate(S, t.qcur);
        t.qcur = R(S, F(t.qcur, SIB));
        if (t.qcur) Y;
    }
    t.qs = t.qd = t.qcur = t.qsteps = 0;
    END
}
static void forget(State &S, int s) { W(S, {{IX(keyOf(S, s), s), 0}}, "index.remove"); retire(S, s); }
static int raise_(State &S, Th &t, int d, int time) { // ChildList.raise: not fenced
    BEGIN(P_RAISE)
    t.ad = d; t.at = time;
    for (;;) {
        Y;
        t.am = R(S, MT(t.ad)); t.ah = R(S, HEAD(t.ad));
        if (t.am >= t.at) { if (!G.raisewb) { t.ad = t.at = t.ah = t.am = 0; RET; } break; }
        Y;
        if (R(S, MT(t.ad)) == t.am && R(S, HEAD(t.ad)) == t.ah) { W(S, {{HEAD(t.ad), t.ah}, {MT(t.ad), t.at}}, "raise"); break; }
    }
    WB(S, t, HEAD(t.ad));
    t.ad = t.at = t.ah = t.am = 0;
    END
}
static bool needsRecovery(const State &S, int s) { return st(S, s) == NORMAL ? link(S, s) != 0 : isStale(S, s); }
static int originOf(const State &S, int s, int status, int successor) { return status == MOVING ? s : successor ? link(S, successor) : 0; }
static int recover(State &S, Th &t, int s) { // Recovery.recover; holds no key lock
    BEGIN(P_REC)
    t.rs = s; t.rst = st(S, s); t.rln = link(S, s);
    if (!needsRecovery(S, s)) goto out;
    if (VERB) printf("  T%d recover s%d %s %s birth %d death %d link %d\n", CURT, s, KN[keyOf(S, s)], STN[st(S, s)], R(S, F(s, BIRTH)), R(S, F(s, DEATH)), link(S, s));
    if (t.rst == CREATING && !t.rln) {
        CALL(isLinked(S, t, t.rs));
        if (t.qin) {
            Y;
            if (G.cswap) finishCreate(S, t.rs); else if (st(S, t.rs) != FREE) W(S, {{F(t.rs, STATUS), NORMAL}}, "store");
            if (G.recwb) { Y; PERSIST(S, t, F(t.rs, STATUS)); }
            goto out;
        }
        CALL(lockAll(S, t, lockBit(S, t.rs)));
        if (st(S, t.rs) == CREATING) { forget(S, t.rs); if (G.recwb) PERSIST(S, t, F(t.rs, STATUS)); }
        goto out;
    }
    t.rN = t.rst == MOVING || t.rst == REPLACED ? t.rln : t.rln ? t.rs : 0;
    t.rO = originOf(S, t.rs, t.rst, t.rN);
    t.rmoved = lockBit(S, t.rs) | (t.rN ? lockBit(S, t.rN) : 0) | (t.rO ? lockBit(S, t.rO) : 0);
    Y;
    CALL(lockAll(S, t, t.rmoved));
    t.rmoved = 0;
    if (st(S, t.rs) != t.rst || link(S, t.rs) != t.rln || originOf(S, t.rs, t.rst, t.rN) != t.rO || !needsRecovery(S, t.rs)) goto out;
    if (!t.rN) { // recoverDelete
        t.rc = R(S, F(t.rs, PAR));
        if (findContent(S, t.rc)) {
            if (G.readfirst) { t.rN2 = R(S, MT(t.rc)); Y; }
            if (G.verdict) PERSIST(S, t, HEAD(t.rc));
            Y;
            if (!G.readfirst) t.rN2 = R(S, MT(t.rc));
            if (R(S, F(t.rs, DEATH)) == 0 || R(S, F(t.rs, DEATH)) > t.rN2) { // [recover.delete.undo]
                if (G.delundo == 1) { setFate(S, t.rs, DELETING, 0); Y; PERSIST(S, t, F(t.rs, STATUS)); Y; W(S, {{F(t.rs, STATUS), NORMAL}}); if (G.recwb) PERSIST(S, t, F(t.rs, STATUS)); }
                else { setFate(S, t.rs, NORMAL, 0); if (!G.delundo) { Y; PERSIST(S, t, F(t.rs, STATUS)); } }
                goto out;
            }
        }
        if (G.delfin) PERSIST(S, t, F(t.rs, STATUS));
        Y;
        W(S, {{F(t.rs, STATUS), DELETED}});
        if (G.recwb) { PERSIST(S, t, F(t.rs, STATUS)); Y; W(S, {{IX(keyOf(S, t.rs), t.rs), 0}}, "index.remove"); }
        goto out;
    }
    // recoverRename
    t.rN2 = st(S, t.rN);
    if (G.pback && (t.rst == MOVING ? link(S, t.rN) != t.rs : t.rst == REPLACED && keyOf(S, t.rN) != keyOf(S, t.rs))) {
        setFate(S, t.rs, NORMAL, 0); // not ours
        if (G.recwb) { Y; PERSIST(S, t, F(t.rs, STATUS)); }
        goto out;
    }
    t.rmoved = t.rO && st(S, t.rO) == MOVING && link(S, t.rO) == t.rN ? t.rO : 0;
    if (t.rst == REPLACED) t.rT = t.rs;
    else for (int x = 1; x <= NS; x++) // findReplaced
        if (x != t.rN && R(S, IX(keyOf(S, t.rN), x)) && st(S, x) == REPLACED && link(S, x) == t.rN) { t.rT = x; break; }
    if (t.rN2 == NORMAL) t.qin = 1; else CALL(isLinked(S, t, t.rN));
    if (t.qin) {
        if (G.settle && t.rO && link(S, t.rO) == t.rN) { // settleSource
            if (G.settlewb) WB(S, t, F(t.rO, STATUS));
            if (findContent(S, R(S, F(t.rO, PAR))) && (st(S, t.rO) == MOVING || st(S, t.rO) == DELETED)) CALL(raise_(S, t, R(S, F(t.rO, PAR)), R(S, F(t.rN, BIRTH))));
        }
        // finishRename
        if (st(S, t.rN) == CREATING) { Y; W(S, {{F(t.rN, STATUS), NORMAL}}); }
        if (isDirectory(S, t.rN) && G.pointc) {
            int d = contentOf(keyOf(S, t.rN), R(S, F(t.rN, INO)));
            if (findContent(S, d)) { W(S, {{ACC(d), t.rN}}); WB(S, t, ACC(d)); }
        }
        if (t.rT) { Y; buryFor(S, t.rT, t.rN); if (G.finT) WB(S, t, F(t.rT, STATUS)); }
        if (t.rmoved) { Y; buryFor(S, t.rmoved, t.rN); if (G.finO) WB(S, t, F(t.rmoved, STATUS)); }
        if (G.tdead)
            for (int x = 1; x <= NS; x++) // writeBackReplaced
                if (x != t.rN && R(S, IX(keyOf(S, t.rN), x)) && st(S, x) == DELETED && link(S, x) == t.rN) WB(S, t, F(x, STATUS));
        if (G.finN) WB(S, t, F(t.rN, STATUS));
        Y;
        FENCE(S, t);
        if (G.recwb) { Y; if (t.rmoved) W(S, {{IX(keyOf(S, t.rmoved), t.rmoved), 0}}); if (t.rT) W(S, {{IX(keyOf(S, t.rT), t.rT), 0}}); }
        Y;
        W(S, {{F(t.rN, LINK), 0}});
    } else {
        // [recover.rename.undo]
        if (t.rmoved) { Y; setFate(S, t.rmoved, NORMAL, 0); Y; W(S, {{F(t.rmoved, LINK), 0}}); if (G.recundowb) WB(S, t, F(t.rmoved, STATUS)); }
        if (t.rT) { Y; setFate(S, t.rT, NORMAL, 0); Y; W(S, {{F(t.rT, LINK), 0}}); if (G.recundowb) WB(S, t, F(t.rT, STATUS)); }
        Y;
        if (G.recundof) FENCE(S, t);
        if (t.rN2 == CREATING || !G.undocheck) {
            Y;
            W(S, {{F(t.rN, LINK), 0}});
            forget(S, t.rN);
            if (G.recwb) PERSIST(S, t, F(t.rN, STATUS));
        }
    }
out:
    t.rs = t.rst = t.rln = t.rN = t.rO = t.rT = t.rN2 = t.rmoved = t.rc = t.qin = 0;
    unlockAll(S, t);
    END
}
/** Recovery.openContent and awaitClosed: t.oopen says whether there is a directory. Holds no lock. */
static int openContent(State &S, Th &t, int d) {
    BEGIN(P_OPEN)
    t.od = d;
    for (;;) {
        t.oopen = findContent(S, t.od);
        if (!t.oopen) break;
        if (R(S, HEAD(t.od)) != CLOSED) {
            // Nobody knows the id of a directory whose access object nobody has seen: in the model it is known, hence this.
            if (!hasAccess(t.od)) break;
            t.oacc = R(S, ACC(t.od));
            if (st(S, t.oacc) == CREATING && isStale(S, t.oacc)) { CALL(recover(S, t, t.oacc)); continue; }
            t.oopen = ownsContent(S, t.oacc, t.od) && st(S, t.oacc) != FREE && st(S, t.oacc) != CREATING;
            break;
        }
        if (R(S, MT(t.od)) >= S.start) { Y; continue; }
        t.oacc = R(S, ACC(t.od)); // settleClosed
        if (t.oacc && isStale(S, t.oacc)) { CALL(recover(S, t, t.oacc)); continue; }
        if (G.reopenlock) CALL(lockAll(S, t, lockBit(S, t.oacc))); else Y;
        if (ownsContent(S, t.oacc, t.od) && st(S, t.oacc) == NORMAL) {
            Y;
            if (R(S, HEAD(t.od)) == CLOSED && (R(S, MT(t.od)) < S.start || !G.reopenlock)) { W(S, {{HEAD(t.od), 0}}, "reopen"); if (G.recwb) PERSIST(S, t, HEAD(t.od)); }
        } else if (!ownsContent(S, t.oacc, t.od) || st(S, t.oacc) == FREE) dropContent(S, t.od, R(S, CST(t.od)));
        else if (st(S, t.oacc) == DELETED) {
            if (link(S, t.oacc) && ownsContent(S, link(S, t.oacc), t.od)) W(S, {{ACC(t.od), link(S, t.oacc)}});
            else dropContent(S, t.od, R(S, CST(t.od)));
        }
        unlockAll(S, t);
        t.oacc = 0;
        Y;
    }
    t.od = t.oacc = 0;
    END
}
/** OutcomeRecorder.write, made durable by the caller. */
static void record(State &S, Th &t, int evidence, int s, int time, bool writeBack) {
    if (!numbered(t.op)) return;
    W(S, {{NUMBER(t.op), NONE}}, "[once.1]");
    W(S, {{OBJECT(t.op), s}, {TIME(t.op), time}, {ID(t.op), R(S, F(s, INO))}}, "[once.1]");
    W(S, {{NUMBER(t.op), evidence | WRITTEN}}, "[once.1]");
    if (writeBack) WB(S, t, NUMBER(t.op));
}
static void forgetRecord(State &S, Th &t) { // OutcomeRecorder.forget
    if (!numbered(t.op) || !G.unrec) return;
    W(S, {{NUMBER(t.op), NONE}}, "[once.5]");
    if (G.unrec == 1) PERSIST(S, t, NUMBER(t.op));
}
static int link_(State &S, Th &t, int s, int d, int time) { // ChildList.link: t.lok
    BEGIN(P_LINK)
    t.ls = s; t.ld = d; t.lt = time;
    for (;;) {
        Y;
        t.lm = R(S, MT(t.ld)); t.lh = R(S, HEAD(t.ld));
        if (t.lh == CLOSED) { t.lok = 0; break; }
        { int birth = max<int>(t.lt, t.lm + 1); advance(S, birth); W(S, {{F(t.ls, SIB), t.lh}, {F(t.ls, BIRTH), birth}}); }
        WB(S, t, F(t.ls, STATUS));
        Y;
        FENCE(S, t); // [link.1]
        Y;
        if (R(S, MT(t.ld)) == t.lm && R(S, HEAD(t.ld)) == t.lh) {
            W(S, {{HEAD(t.ld), t.ls}, {MT(t.ld), R(S, F(t.ls, BIRTH))}}, "cas16 [link.2]");
            WB(S, t, HEAD(t.ld));
            Y;
            FENCE(S, t); // [link.3]
            t.lok = 1;
            break;
        }
        if (VERB) printf("  T%d cas16 failed\n", CURT);
    }
    t.ls = t.ld = t.lt = t.lh = t.lm = 0;
    END
}
static void repairBackReference(State &S, Th &t, int s) {
    if (!isDirectory(S, s) || !link(S, s)) return;
    int c = contentOf(keyOf(S, s), R(S, F(s, INO)));
    if (ownsContent(S, link(S, s), c) && findContent(S, c)) {
        if (R(S, ACC(c)) == s) W(S, {{ACC(c), link(S, s)}});
        WB(S, t, ACC(c));
    }
}
static int sweep(State &S, Th &t, int d) { // ChildList.sweep(ALL)
    BEGIN(P_SWEEP)
    t.wd = d;
    while (S.swl[t.wd]) Y;
    S.swl[t.wd] = me(S, t) + 1;
    Y;
    t.wcur = R(S, HEAD(t.wd)); t.wprev = 0;
    while (t.wcur && t.wcur != CLOSED) {
        t.wnext = R(S, F(t.wcur, SIB));
        if (st(S, t.wcur) != DELETED) { t.wprev = t.wcur; t.wcur = t.wnext; Y; continue; }
        Y;
        if (!t.wprev && R(S, HEAD(t.wd)) == t.wcur) W(S, {{HEAD(t.wd), t.wnext}, {MT(t.wd), R(S, MT(t.wd))}}, "cas16 unlink");
        else {
            if (!t.wprev) for (t.wprev = R(S, HEAD(t.wd)); R(S, F(t.wprev, SIB)) != t.wcur;) t.wprev = R(S, F(t.wprev, SIB));
            W(S, {{F(t.wprev, SIB), t.wnext}}, "unlink");
            WB(S, t, F(t.wprev, SIB));
        }
        if (G.backref) repairBackReference(S, t, t.wcur);
        if (G.sweepdel) WB(S, t, F(t.wcur, STATUS));
        t.wrem |= 1 << t.wcur;
        t.wcur = t.wnext;
    }
    if (t.wrem && G.sweepdir) WB(S, t, HEAD(t.wd));
    if (t.wrem) Y;
    if (G.sweepf) FENCE(S, t); // [sweep.2]
    for (t.wcur = 1; t.wcur <= NS; t.wcur++) if (t.wrem >> t.wcur & 1) { Y; retire(S, t.wcur); }
    S.swl[t.wd] = 0;
    t.wd = t.wcur = t.wprev = t.wnext = t.wrem = 0;
    END
}
static bool isThere(const State &S, int s) {
    int x = st(S, s);
    return x == NORMAL || x == DELETING || ((x == MOVING || x == REPLACED) && st(S, link(S, s)) == CREATING);
}
/** DirectoryCloser.close: t.zres R_OK, R_NOTEMPTY or 0 with t.zstale to recover first. */
static int close_(State &S, Th &t, int d) {
    BEGIN(P_CLOSE)
    t.zd = d; t.zres = t.zstale = 0;
    for (;;) {
        Y;
        if (!G.rmempty || R(S, HEAD(t.zd))) CALL(sweep(S, t, t.zd));
        Y;
        t.zm = R(S, MT(t.zd)); t.zh = R(S, HEAD(t.zd));
        if (t.zh && t.zh != CLOSED) {
            t.zocc = 0;
            for (int c = t.zh; c && !t.zocc && !t.zstale; c = R(S, F(c, SIB))) { if (isStale(S, c)) t.zstale = c; else t.zocc = isThere(S, c); }
            if (t.zocc) { if (G.notempty) PERSIST(S, t, HEAD(t.zd)); t.zres = R_NOTEMPTY; break; }
            if (t.zstale) break;
            Y;
            continue;
        }
        Y;
        if (R(S, MT(t.zd)) == t.zm && R(S, HEAD(t.zd)) == t.zh) {
            { int time = max<int>(S.clock++, t.zm + 1); advance(S, time); W(S, {{HEAD(t.zd), CLOSED}, {MT(t.zd), time}}, "cas16 [rmdir.1]"); }
            if (G.rmempty != 2) { Y; PERSIST(S, t, HEAD(t.zd)); }
            t.zres = R_OK;
            break;
        }
    }
    t.zd = t.zh = t.zm = t.zocc = 0;
    END
}
static int remove_(State &S, Th &t, int s, int k) { // DeleteOp.remove
    BEGIN(P_REMOVE)
    t.ma = s; t.mk = k;
    if (numbered(t.op)) {
        Y;
        record(S, t, GONE, t.ma, S.clock++, G.recd);
        Y;
        if (G.recf) FENCE(S, t); // [once.3]
    }
    t.mt = S.clock++;
    Y;
    setFate(S, t.ma, DELETING, t.mt);
    WB(S, t, F(t.ma, STATUS));
    CALL(raise_(S, t, KPAR[t.mk], t.mt));
    if (!G.recd && numbered(t.op)) WB(S, t, NUMBER(t.op));
    Y;
    FENCE(S, t); // [delete.3]
    Y;
    if (!G.idxlast) { W(S, {{IX(t.mk, t.ma), 0}}, "index.remove"); Y; }
    W(S, {{F(t.ma, STATUS), DELETED}});
    Y;
    W(S, {{IX(t.mk, t.ma), 0}}, "index.remove"); // [delete.4]
    t.ma = t.mk = t.mt = 0;
    END
}
static void fill(State &S, int s, int k, int time) {
    W(S, {{F(s, DEATH), time}, {F(s, SIB), 0}, {F(s, BIRTH), time}, {F(s, LINK), 0}, {F(s, PAR), KPAR[k]}}, "fill");
    W(S, {{F(s, NAME), KNAME[k]}, {F(s, ATTR), 0}}, "fill");
}
/** CreateOp.enter; false if there is no content slot for a directory. */
static bool enter(State &S, Th &t, int s, int k, int ino, bool mkdir) {
    W(S, {{F(s, INO), ino}, {F(s, STATUS), CREATING}}, "[create.1]");
    WB(S, t, F(s, NAME));
    if (mkdir) {
        int d = contentOf(k, ino);
        if (R(S, CST(d))) { retire(S, s); return false; }
        W(S, {{HEAD(d), 0}, {MT(d), S.clock++}, {ACC(d), s}, {CST(d), ino}}, "[mkdir.1]");
        W(S, {{CIX(d), 1}});
        if (G.mkcont) { WB(S, t, HEAD(d)); WB(S, t, CIX(d)); }
    }
    return true;
}
static void abandon(State &S, int s, int k, int ino, bool mkdir) {
    if (mkdir) dropContent(S, contentOf(k, ino), ino);
    W(S, {{IX(k, s), 0}}, "index.remove");
    retire(S, s);
}
static int create_(State &S, Th &t, int k, int ino, bool mkdir) { // CreateOp.run: t.cres
    BEGIN(P_CREATE)
    t.ck = k; t.cino = ino; t.cmk = mkdir; t.cs = 0;
    for (;;) {
        if (!t.cs && G.early) {
            t.cs = allocate(S);
            if (t.cs) { Y; fill(S, t.cs, t.ck, S.clock++); if (G.early == 2) W(S, {{F(t.cs, INO), t.cino}, {F(t.cs, STATUS), CREATING}}); }
        }
        CALL(openContent(S, t, KPAR[t.ck]));
        if (!t.oopen) { if (t.cs) S.freeM |= 1 << t.cs; t.cres = R_NOENT; break; }
        Y;
        CALL(lockAll(S, t, 1 << t.ck));
        t.ok = 0;
        {
            int found = findLocked(S, t.ck);
            if (S.viol) RET;
            if (found > 0) { if (t.cs) S.freeM |= 1 << t.cs; t.cres = R_EXIST; break; }
            if (found < 0) { unlockAll(S, t); t.stale = -found; }
        }
        if (t.stale) { CALL(recover(S, t, t.stale)); t.stale = 0; continue; }
        if (!t.cs && !G.early) { t.cs = allocate(S); if (t.cs) { Y; fill(S, t.cs, t.ck, S.clock++); } }
        if (!t.cs) { t.cres = R_NOSPC; break; }
        Y;
        if (!enter(S, t, t.cs, t.ck, t.cino, t.cmk)) { t.cres = R_NOSPC; break; }
        Y;
        W(S, {{IX(t.ck, t.cs), 1}}, "[create.2]");
        WB(S, t, IX(t.ck, t.cs));
        Y;
        record(S, t, MADE, t.cs, R(S, F(t.cs, DEATH)), G.recd);
        CALL(link_(S, t, t.cs, KPAR[t.ck], R(S, F(t.cs, BIRTH))));
        if (t.lok) {
            if (!G.recd && numbered(t.op)) { Y; PERSIST(S, t, NUMBER(t.op)); }
            Y;
            W(S, {{F(t.cs, STATUS), NORMAL}}, "[create.4]");
            t.cres = R_OK;
            break;
        }
        Y;
        forgetRecord(S, t);
        Y;
        abandon(S, t.cs, t.ck, t.cino, t.cmk);
        t.cs = 0;
        unlockAll(S, t);
        CALL(openContent(S, t, KPAR[t.ck]));
        if (!t.oopen) { t.cres = R_NOENT; break; }
    }
    if (t.held) { Y; unlockAll(S, t); }
    t.ck = t.cino = t.cmk = t.cs = t.oopen = t.lok = 0;
    END
}
/** OutcomeVerdicts.isThere: what was there before this time is there still. */
static bool isStillThere(const State &S, int x) {
    int s = R(S, OBJECT(x)), state = st(S, s);
    return state != FREE && state != DELETED && R(S, F(s, INO)) == R(S, ID(x)) && R(S, F(s, BIRTH)) < R(S, TIME(x));
}
enum { ASK = 2 };
/** OutcomeVerdicts.isMade, as far as it can be told without a look at the list. */
static int isMade(const State &S, int x) {
    int s = R(S, OBJECT(x)), time = R(S, TIME(x)), death = R(S, F(s, DEATH)), birth = R(S, F(s, BIRTH));
    switch (st(S, s)) {
    case FREE: return death > time;
    case CREATING: return death == time ? (int)ASK : birth > time;
    default: return max(death, birth) >= time;
    }
}
static int judge(State &S, Th &t) { // OutcomeVerdicts.run
    BEGIN(P_JUDGE)
    for (t.xi = 0; t.xi < NREC; t.xi++) if ((R(S, NUMBER(t.xi)) & 7) == NONE && R(S, TIME(t.xi)) && G.jagain) WB(S, t, NUMBER(t.xi)); // [once.11]
    for (t.xi = 0; t.xi < NREC; t.xi++) if ((R(S, NUMBER(t.xi)) & 7) == WRITTEN) {
        Y;
        t.xopen |= 1 << t.xi;
        if (R(S, NUMBER(t.xi)) & MADE) {
            t.qin = isMade(S, t.xi);
            if (t.qin == ASK) CALL(isLinked(S, t, R(S, OBJECT(t.xi))));
            if (t.qin) t.xdone |= 1 << t.xi;
            t.qin = 0;
        } else {
            if (G.jset && st(S, R(S, OBJECT(t.xi))) == DELETING) CALL(recover(S, t, R(S, OBJECT(t.xi))));
            if (!isStillThere(S, t.xi)) t.xdone |= 1 << t.xi;
        }
        Y;
        if (G.jwb) WB(S, t, F(R(S, OBJECT(t.xi)), STATUS));
    }
    Y;
    if (G.jf) FENCE(S, t); // [once.6]
    for (t.xi = 0; t.xi < NREC; t.xi++) if (t.xopen >> t.xi & 1) {
        Y;
        W(S, {{NUMBER(t.xi), t.xdone >> t.xi & 1 ? (R(S, NUMBER(t.xi)) & ~7) | EXECUTED : NONE}}, "verdict");
        if (G.jdone) WB(S, t, NUMBER(t.xi));
    }
    Y;
    if (G.jdone) FENCE(S, t); // [once.7]
    END
}
static int wordsOf(const State &S, int k) { int m = 0; for (int s = 1; s <= NS; s++) if (R(S, IX(k, s))) m |= 1 << s; return m; }
static int stat_(State &S, Th &t, int k) { // StatOp: t.res
    BEGIN(P_STAT)
    t.sk = k;
again:
    Y;
    t.smask = wordsOf(S, t.sk);
    t.screat = 0;
    for (t.scur = 1; t.scur <= NS; t.scur++) if (t.smask >> t.scur & 1) {
        Y;
        t.sst = st(S, t.scur);
        if (t.sst == FREE || keyOf(S, t.scur) != t.sk) continue;
        if (isStale(S, t.scur)) {
            CALL(recover(S, t, t.scur));
            t.sst = st(S, t.scur);
            if (t.sst != NORMAL) goto again;
        }
        if (t.sst == DELETED) continue;
        if (t.sst == CREATING) { if (t.screat) goto again; t.screat = t.scur; continue; }
        if (t.sst == MOVING || t.sst == REPLACED) {
            t.snxt = link(S, t.scur);
            Y;
            if (st(S, t.snxt) != CREATING) { if (st(S, t.scur) != t.sst || t.sst == REPLACED) goto again; continue; }
        }
        t.snxt = R(S, F(t.scur, BIRTH));
        Y;
        t.sattr = R(S, F(t.scur, ATTR)) & 3;
        if (dirty(S, F(t.scur, ATTR))) PERSIST(S, t, F(t.scur, ATTR));
        t.sino = R(S, F(t.scur, INO));
        Y;
        if (st(S, t.scur) != t.sst || R(S, F(t.scur, BIRTH)) != t.snxt) goto again;
        t.res = 0x40 | t.sino << 2 | t.sattr;
        goto out;
    }
    if (G.stat3 && t.screat) { Y; if (st(S, t.screat) != CREATING) goto again; }
    Y;
    if (G.stat2 && wordsOf(S, t.sk) != t.smask) goto again;
    t.res = R_NOENT;
out:
    t.sk = t.smask = t.scur = t.sst = t.screat = t.snxt = t.sino = t.sattr = 0;
    END
}
static int childAbove(const State &S, int s) {
    int nearest = 0;
    for (int x = 1; x <= NS; x++)
        if (st(S, x) == NORMAL && R(S, F(x, PAR)) == R(S, F(s, PAR)) && R(S, F(x, BIRTH)) > R(S, F(s, BIRTH)) && (!nearest || R(S, F(x, BIRTH)) < R(S, F(nearest, BIRTH)))) nearest = x;
    return nearest;
}
static int freeIfUnlinked(State &S, Th &t, int s) {
    BEGIN(P_FREEIF)
    t.fs = s; t.fd = R(S, F(s, PAR));
    if (G.scanlock) {
        for (;;) {
            while (S.swl[t.fd]) Y;
            S.swl[t.fd] = me(S, t) + 1;
            Y;
            if (!S.lock[keyOf(S, t.fs)]) break;
            S.swl[t.fd] = 0;
            Y;
        }
        CALL(lockAll(S, t, lockBit(S, t.fs)));
    }
    if (st(S, t.fs) == DELETED && R(S, F(t.fs, PAR)) == t.fd) {
        t.flost = 1;
        if (findContent(S, t.fd)) { // isUnlinked
            int above = childAbove(S, t.fs), previous = above, cur = above ? R(S, F(above, SIB)) : R(S, HEAD(t.fd));
            for (; cur && cur != CLOSED && R(S, F(cur, BIRTH)) >= R(S, F(t.fs, BIRTH)); cur = R(S, F(cur, SIB))) { if (cur == t.fs) t.flost = 0; previous = cur; }
            if (t.flost && G.unlinked) { if (previous) WB(S, t, F(previous, SIB)); PERSIST(S, t, HEAD(t.fd)); }
        }
        if (t.flost && G.scanref) repairBackReference(S, t, t.fs);
        if (t.flost) { if (G.freedel) { Y; PERSIST(S, t, F(t.fs, STATUS)); } Y; retire(S, t.fs); }
    }
    unlockAll(S, t);
    if (G.scanlock) S.swl[t.fd] = 0;
    t.fs = t.fd = t.flost = 0;
    END
}
static u8 FRESH[4];
static bool fresh(const State &S, int s) { for (int e = S.epoch + 1; e < 4; e++) if (FRESH[e] >> s & 1) return true; return false; }
