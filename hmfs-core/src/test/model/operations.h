#pragma once
// The operations, each from its call to its answer.
#include "protocol.h"

static bool sameKey(const State &S, int s, int x) { return keyOf(S, s) == keyOf(S, x); }
/** ListOp.shownFor, behind a node whose rename is committed: what is shown in its place; 0 if nothing; the negative of what must be recovered first. */
static int shownBehind(const State &S, int s, int start, int d) {
    for (int node = s, hops = 0; hops < 20; hops++) {
        int x = st(S, node), n = link(S, node);
        if (node != s && isStale(S, node)) return -node;
        if (node != s && isThere(S, node)) return R(S, F(node, PAR)) == d ? node : 0;
        if (x != MOVING && x != REPLACED && x != DELETED) return 0;
        if (!n || (x == DELETED && (G.linkb == 2 ? R(S, F(node, DEATH)) < S.start : G.linkb && R(S, F(n, BIRTH)) != R(S, F(node, DEATH))))) return 0; // Engine.successorOf
        if (node == s && R(S, F(n, BIRTH)) <= start) return 0;
        if (!sameKey(S, node, n) && R(S, F(n, ATTR)) & 4) return 0; // took another's place
        node = n;
    }
    return 0;
}
static int runOp(State &S, Th &t) {
    const Op &p = OPS[t.op];
    BEGIN(P_OP)
    if (p.t == O_CREATE || p.t == O_MKDIR) { CALL(create_(S, t, OPS[t.op].a, (t.op + 1) & 15, OPS[t.op].t == O_MKDIR)); t.res = t.cres; RET; }
    if (p.t == O_JOIN) { // BatchOp.run; jset: objects that are made and not settled, jdone: creates that are answered
        for (t.ji = 0; t.ji < OPS[t.op].c; t.ji++) {
            CALL(openContent(S, t, KPAR[OPS[t.op + 1 + t.ji].a]));
            if (!t.oopen) { t.jr[t.ji] = R_NOENT; t.jdone |= 1 << t.ji; }
        }
        Y;
        t.mask = 0;
        for (int i = 0; i < p.c; i++) if (!(t.jdone >> i & 1)) t.mask |= 1 << OPS[t.op + 1 + i].a;
        CALL(lockAll(S, t, t.mask));
        t.mask = 0;
        for (t.ji = 0; t.ji < OPS[t.op].c; t.ji++) if (!(t.jdone >> t.ji & 1)) {
            int k = OPS[t.op + 1 + t.ji].a, found = findLocked(S, k);
            if (S.viol) RET;
            if (found > 0) { t.jr[t.ji] = R_EXIST; t.jdone |= 1 << t.ji; }
            if (found) continue;
            int s = t.js[t.ji] = allocate(S);
            if (!s) { t.jr[t.ji] = R_NOSPC; t.jdone |= 1 << t.ji; continue; }
            fill(S, s, k, S.clock++);
            enter(S, t, s, k, (t.op + 2 + t.ji) & 15, false);
            W(S, {{IX(k, s), 1}}, "[create.2]");
            WB(S, t, IX(k, s));
            t.jset |= 1 << t.ji;
        }
        t.jn = t.jset;
        while (t.jset) {
            for (t.jd = 0; t.jd < ND; t.jd++) { // place
                Y;
                t.jm[t.jd] = R(S, MT(t.jd)); t.jh[t.jd] = R(S, HEAD(t.jd));
                {
                    int birth = t.jm[t.jd], sibling = t.jh[t.jd];
                    for (int i = 0; i < 3; i++) if (t.jset >> i & 1 && KPAR[OPS[t.op + 1 + i].a] == t.jd) {
                        int s = t.js[i], k = OPS[t.op + 1 + i].a;
                        if (t.jh[t.jd] == CLOSED) { abandon(S, s, k, 0, false); t.jset &= ~(1 << i); t.jn &= ~(1 << i); t.js[i] = 0; continue; }
                        birth = max<int>(R(S, F(s, BIRTH)), G.joinasc || birth == t.jm[t.jd] ? birth + 1 : birth);
                        if (!G.joinasc) birth = max<int>(t.jm[t.jd] + 1, S.clock - 1);
                        advance(S, birth);
                        W(S, {{F(s, SIB), sibling}, {F(s, BIRTH), birth}}, "[join.1]");
                        if (G.joinwb) WB(S, t, F(s, STATUS));
                        sibling = s;
                    }
                }
            }
            Y;
            if (G.joinf) FENCE(S, t); // [join.2]
            for (t.jd = 0; t.jd < ND; t.jd++) {
                for (t.ji = 0; t.ji < 3 && !(t.jset >> t.ji & 1 && KPAR[OPS[t.op + 1 + t.ji].a] == t.jd); t.ji++);
                if (t.ji == 3) continue;
                Y;
                if ((G.joinfull ? R(S, MT(t.jd)) == t.jm[t.jd] : 1) && R(S, HEAD(t.jd)) == t.jh[t.jd]) {
                    int newest = 0;
                    for (int i = 0; i < 3; i++) if (t.jset >> i & 1 && KPAR[OPS[t.op + 1 + i].a] == t.jd) { newest = t.js[i]; t.jset &= ~(1 << i); }
                    W(S, {{HEAD(t.jd), newest}, {MT(t.jd), R(S, F(newest, BIRTH))}}, "cas16 [join.3]");
                    WB(S, t, HEAD(t.jd));
                }
            }
        }
        t.jd = 0;
        Y;
        if (G.joinlast) FENCE(S, t); // [join.4]
        for (t.ji = 0; t.ji < 3; t.ji++) if (t.jn >> t.ji & 1) { Y; W(S, {{F(t.js[t.ji], STATUS), NORMAL}}, "[create.4]"); t.jr[t.ji] = R_OK; t.jdone |= 1 << t.ji; }
        if (!G.joinlast) FENCE(S, t);
        Y;
        unlockAll(S, t);
        t.jn = t.jset = 0;
        memset(t.js, 0, sizeof t.js); memset(t.jh, 0, sizeof t.jh); memset(t.jm, 0, sizeof t.jm);
        for (t.ji = 0; t.ji < OPS[t.op].c; t.ji++) if (!(t.jdone >> t.ji & 1)) { // alone
            CALL(create_(S, t, OPS[t.op + 1 + t.ji].a, (t.op + 2 + t.ji) & 15, false));
            t.jr[t.ji] = t.cres;
        }
        RET;
    }
    if (p.t == O_DELETE || p.t == O_RMDIR || p.t == O_CHMOD) {
        t.k = p.a;
        for (;;) {
            CALL(openContent(S, t, KPAR[t.k]));
            if (!t.oopen) { t.res = R_NOENT; RET; }
            Y;
            CALL(lockAll(S, t, 1 << t.k));
            {
                int found = findLocked(S, t.k);
                if (S.viol) RET;
                if (!found) { t.res = R_NOENT; unlockAll(S, t); RET; }
                if (found > 0) t.o = found; else t.stale = -found;
            }
            if (t.stale) { unlockAll(S, t); CALL(recover(S, t, t.stale)); t.stale = 0; continue; }
            if (OPS[t.op].t == O_RMDIR) {
                t.content = contentOf(t.k, R(S, F(t.o, INO)));
                if (findContent(S, t.content)) {
                    CALL(close_(S, t, t.content));
                    if (t.zres == R_NOTEMPTY) { t.res = R_NOTEMPTY; unlockAll(S, t); RET; }
                    if (!t.zres) { unlockAll(S, t); CALL(recover(S, t, t.zstale)); t.zstale = 0; continue; }
                } else t.content = 0;
            }
            break;
        }
        if (OPS[t.op].t == O_CHMOD) {
            Y;
            W(S, {{F(t.o, ATTR), (R(S, F(t.o, ATTR)) & 4) | OPS[t.op].b}}, "cas16");
            Y;
            PERSIST(S, t, F(t.o, ATTR));
        } else {
            CALL(remove_(S, t, t.o, t.k));
            if (t.content) { Y; dropContent(S, t.content, R(S, F(t.o, INO))); }
        }
        Y;
        unlockAll(S, t);
        t.res = R_OK;
        RET;
    }
    if (p.t == O_RENAME) {
        for (;;) {
            t.o = t.T = t.vc = t.content = 0;
            CALL(openContent(S, t, KPAR[OPS[t.op].a]));
            if (!t.oopen) { t.res = R_NOENT; RET; }
            CALL(openContent(S, t, KPAR[OPS[t.op].b]));
            if (!t.oopen) { t.res = R_NOENT; RET; }
            Y;
            CALL(lockAll(S, t, 1 << OPS[t.op].a | 1 << OPS[t.op].b));
            {
                int found = findLocked(S, p.a), victim = found < 0 ? 0 : findLocked(S, p.b);
                if (S.viol) RET;
                if (found < 0) t.stale = -found; else t.o = found;
                if (victim < 0) t.stale = -victim; else t.T = victim;
            }
            if (t.stale) { unlockAll(S, t); CALL(recover(S, t, t.stale)); t.stale = 0; continue; }
            if (!t.o) { t.res = R_NOENT; unlockAll(S, t); RET; }
            t.content = isDirectory(S, t.o);
            if (t.T && t.content && G.closeT) { // closeVictim
                t.vc = contentOf(OPS[t.op].b, R(S, F(t.T, INO)));
                if (findContent(S, t.vc)) {
                    CALL(close_(S, t, t.vc));
                    if (t.zres == R_NOTEMPTY) { t.res = R_NOTEMPTY; unlockAll(S, t); RET; }
                    if (!t.zres) { unlockAll(S, t); CALL(recover(S, t, t.zstale)); t.zstale = 0; continue; }
                } else t.vc = 0;
                if (t.vc && G.contentT == 2) { Y; dropContent(S, t.vc, R(S, F(t.T, INO))); t.vc = 0; }
            }
            t.s = allocate(S);
            if (!t.s) {
                if (t.vc && G.reopenT) { Y; W(S, {{HEAD(t.vc), 0}}, "reopen [rename.11]"); }
                t.res = R_NOSPC;
                Y;
                unlockAll(S, t);
                RET;
            }
            t.ts = S.clock++;
            Y;
            fill(S, t.s, OPS[t.op].b, t.ts); // RenameOp.fill
            W(S, {{F(t.s, INO), R(S, F(t.o, INO))}, {F(t.s, STATUS), CREATING}}, "fill");
            W(S, {{F(t.s, ATTR), (R(S, F(t.o, ATTR)) & 3) | (t.T ? 4 : 0)}}, "copy");
            Y;
            W(S, {{F(t.s, LINK), t.o}});
            WB(S, t, F(t.s, STATUS));
            WB(S, t, F(t.s, NAME));
            Y;
            if (G.renidx) { W(S, {{IX(OPS[t.op].b, t.s), 1}}, "index.insert"); WB(S, t, IX(OPS[t.op].b, t.s)); }
            Y;
            record(S, t, MADE, t.s, R(S, F(t.s, DEATH)), G.recd);
            Y;
            if (G.fillf) FENCE(S, t); // [rename.1]
            Y;
            if (!G.linkstate) { setFate(S, t.o, MOVING, t.ts); Y; }
            W(S, {{F(t.o, LINK), t.s}}, "[rename.2]");
            Y;
            setFate(S, t.o, MOVING, t.ts);
            if (G.leavewb) WB(S, t, F(t.o, STATUS));
            if (t.T) {
                Y;
                W(S, {{F(t.T, LINK), t.s}}, "[rename.3]");
                Y;
                setFate(S, t.T, REPLACED, t.ts);
                if (G.leavewb) WB(S, t, F(t.T, STATUS));
            }
            if (!G.renidx) { Y; W(S, {{IX(OPS[t.op].b, t.s), 1}}, "index.insert"); }
            CALL(link_(S, t, t.s, KPAR[OPS[t.op].b], t.ts)); // [rename.4]
            if (t.lok) break;
            if (t.T) viol(S, "closed with a child");
            Y;
            forgetRecord(S, t);
            Y;
            setFate(S, t.o, NORMAL, 0); // RenameOp.undo
            Y;
            W(S, {{F(t.o, LINK), 0}});
            if (G.undowb) WB(S, t, F(t.o, STATUS));
            Y;
            if (G.undof) FENCE(S, t); // [rename.8]
            Y;
            W(S, {{IX(OPS[t.op].b, t.s), 0}}, "index.remove");
            Y;
            retire(S, t.s);
            t.s = t.ts = 0;
            if (t.vc) W(S, {{HEAD(t.vc), 0}}, "reopen [rename.11]");
            unlockAll(S, t);
        }
        if (!G.recd && numbered(t.op)) { Y; PERSIST(S, t, NUMBER(t.op)); }
        Y;
        W(S, {{F(t.s, STATUS), NORMAL}}); // RenameOp.settle
        if (G.nnormal) WB(S, t, F(t.s, STATUS));
        if (t.content && G.pointc) {
            Y;
            t.content = contentOf(OPS[t.op].b, R(S, F(t.s, INO)));
            W(S, {{ACC(t.content), t.s}});
            if (G.pointc == 1) WB(S, t, ACC(t.content));
        }
        Y;
        buryFor(S, t.o, t.s);
        if (G.odel) WB(S, t, F(t.o, STATUS));
        if (t.T) { Y; buryFor(S, t.T, t.s); if (G.tdel) WB(S, t, F(t.T, STATUS)); }
        CALL(raise_(S, t, KPAR[OPS[t.op].a], R(S, F(t.s, BIRTH))));
        Y;
        if (G.setf) FENCE(S, t); // [rename.5]
        Y;
        W(S, {{IX(OPS[t.op].a, t.o), 0}}, "index.remove [rename.6]");
        if (t.T) { Y; W(S, {{IX(OPS[t.op].b, t.T), 0}}, "index.remove [rename.6]"); }
        Y;
        W(S, {{F(t.s, LINK), 0}}, "[rename.7]");
        if (t.vc && G.contentT == 1) { Y; dropContent(S, t.vc, R(S, F(t.T, INO))); }
        Y;
        unlockAll(S, t);
        t.res = R_OK;
        RET;
    }
    if (p.t == O_STAT) { // the parent's content decides only through the entries
        CALL(stat_(S, t, OPS[t.op].a));
        RET;
    }
    if (p.t == O_LIST) {
        CALL(openContent(S, t, OPS[t.op].a));
        if (!t.oopen) { t.res = R_NOENT; RET; }
        Y;
        t.lstart = R(S, MT(p.a)); t.lcur = R(S, HEAD(p.a));
        if (p.b && S.mark[p.a]) // resume
            for (t.lstart = S.mark[p.a]; t.lcur && t.lcur != CLOSED && R(S, F(t.lcur, BIRTH)) > t.lstart;) t.lcur = R(S, F(t.lcur, SIB));
        while (t.lcur && t.lcur != CLOSED) {
            Y;
            if (isStale(S, t.lcur)) { CALL(recover(S, t, t.lcur)); continue; }
            t.lst = st(S, t.lcur); t.llink = link(S, t.lcur); t.lshown = 0;
            if (t.lst == CREATING && t.llink) continue; // a rename's thread has a few steps to go
            if (t.lst == NORMAL || t.lst == DELETING) t.lshown = t.lcur;
            if (t.lst == MOVING || t.lst == REPLACED) { Y; t.lshown = st(S, t.llink) == CREATING ? t.lcur : 0; }
            {
                int behind = t.lshown || t.lst == CREATING || t.lst == FREE ? 0 : shownBehind(S, t.lcur, t.lstart, p.a);
                if (behind > 0) t.lshown = behind;
                t.lbehind = behind < 0 ? -behind : 0;
            }
            if (t.lbehind) { CALL(recover(S, t, t.lbehind)); t.lbehind = 0; continue; }
            if (t.lshown) {
                int s = st(S, t.lshown), b = 1 << keyOf(S, t.lshown);
                if (s == DELETED || s == FREE || st(S, t.lcur) != t.lst) continue;
                t.ldup |= t.lseen & b;
                t.lseen |= b;
            }
            Y;
            t.lcur = R(S, F(t.lcur, SIB));
        }
        t.res = 0x80 | t.lseen;
        RET;
    }
    if (p.t == O_BEGIN) {
        Y;
        S.mark[p.a] = R(S, MT(p.a));
        t.res = R_OK;
        RET;
    }
    if (p.t == O_SWEEP) {
        if (findContent(S, OPS[t.op].a)) CALL(sweep(S, t, OPS[t.op].a));
        t.res = R_OK;
        RET;
    }
    if (p.t == O_SCAN) { // BackgroundScan.run
        for (t.o = 1; t.o <= NS; t.o++) {
            if (fresh(S, t.o)) continue;
            Y;
            if (st(S, t.o) == FREE) {
                if (!((S.freeM | S.retiredM | S.known) >> t.o & 1) && R(S, F(t.o, DEATH)) < S.start) { S.freeM |= 1 << t.o; S.known |= 1 << t.o; if (VERB) printf("  T%d collectFree s%d\n", CURT, t.o); }
                continue;
            }
            if (needsRecovery(S, t.o)) CALL(recover(S, t, t.o));
            if (st(S, t.o) == DELETED) {
                if (findContent(S, R(S, F(t.o, PAR)))) CALL(sweep(S, t, R(S, F(t.o, PAR))));
                if (st(S, t.o) == DELETED && R(S, F(t.o, DEATH)) < S.start) CALL(freeIfUnlinked(S, t, t.o));
            }
        }
        for (t.content = 1; t.content < ND; t.content++) if (hasAccess(t.content) && R(S, CST(t.content))) { // checkContent
            t.o = R(S, ACC(t.content));
            if (isStale(S, t.o)) CALL(recover(S, t, t.o));
            CALL(lockAll(S, t, lockBit(S, t.o)));
            if (R(S, ACC(t.content)) == t.o && R(S, CST(t.content))) {
                if (ownsContent(S, t.o, t.content) && st(S, t.o) == NORMAL) {
                    if (R(S, HEAD(t.content)) == CLOSED && R(S, MT(t.content)) < S.start) W(S, {{HEAD(t.content), 0}}, "reopen");
                } else if (!ownsContent(S, t.o, t.content) || st(S, t.o) == FREE || (st(S, t.o) == DELETED && !(link(S, t.o) && ownsContent(S, link(S, t.o), t.content))))
                    dropContent(S, t.content, R(S, CST(t.content)));
            }
            unlockAll(S, t);
        }
        for (t.o = 1; t.o <= NS; t.o++) for (int k = 0; k < NK; k++) // sweepIndex
            if (R(S, IX(k, t.o)) && (keyOf(S, t.o) != k || st(S, t.o) == FREE || st(S, t.o) == DELETED)) W(S, {{IX(k, t.o), 0}}, "index.sweep");
        t.res = R_OK;
        RET;
    }
    END
}
