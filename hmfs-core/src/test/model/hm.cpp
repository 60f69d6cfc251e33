// Explores a program in every order of its threads' steps, with deaths and losses of power: README.md.
#include "operations.h"

// ---- exploring ----
static u64 hashState(const State &S) {
    u64 h = 0x9E3779B97F4A7C15ull;
    auto mix = [&](const void *p, size_t n) {
        const u8 *q = (const u8 *)p;
        for (size_t i = 0; i < n; i += 8) { u64 x = 0; memcpy(&x, q + i, min<size_t>(8, n - i)); h ^= x; h *= 0xff51afd7ed558ccdull; h ^= h >> 32; }
    };
    mix(&S, offsetof(State, log));
    mix(S.log, S.nlog * sizeof(Ent));
    mix(S.cfg, S.ncfg * sizeof(Cfg));
    h ^= h >> 33; h *= 0xff51afd7ed558ccdull; h ^= h >> 33;
    return h ? h : 1;
}
struct HashSet {
    vector<u64> t = vector<u64>(1 << 16);
    size_t n = 0;
    bool insert(u64 h) {
        if (n * 10 > t.size() * 6) { vector<u64> o; o.swap(t); t.assign(o.size() * 2, 0); n = 0; for (u64 x : o) if (x) insert(x); }
        size_t i = h & (t.size() - 1);
        while (t[i]) { if (t[i] == h) return false; i = (i + 1) & (t.size() - 1); }
        t[i] = h;
        n++;
        return true;
    }
};
static bool doneTh(State &S, int i) { return !S.th[i].active && S.th[i].pi >= PROG[S.epoch][i].size(); }
static void step(State &S, int i) {
    Th &t = S.th[i];
    CURT = i;
    if (i == JUDGE) {
        t.active = 1;
        if (!judge(S, t)) return;
        memset(&t, 0, sizeof t);
        S.judging = 0;
        tell(S);
        return;
    }
    if (!t.active) {
        t.op = PROG[S.epoch][i][t.pi];
        t.active = 1;
        S.pend |= 1u << t.op;
        if (OPS[t.op].t == O_JOIN) for (int j = 1; j <= OPS[t.op].c; j++) S.pend |= 1u << (t.op + j);
        if (OPS[t.op].t == O_BEGIN) for (int y = 0; y < NOP; y++) if (OPS[y].t == O_LIST && OPS[y].b && OPS[y].a == OPS[t.op].a) S.pend |= 1u << y;
        if (VERB) printf("  T%d invoke op%d %s\n", i, t.op, opName(t.op).c_str());
    }
    if (!runOp(S, t)) return;
    if (t.held) viol(S, "a lock is held at the end");
    u8 op = t.op, pi = t.pi + 1, res = t.ldup ? (u8)R_BAD : t.res, jr[3];
    memcpy(jr, t.jr, 3);
    memset(&t, 0, sizeof t);
    t.pi = pi;
    if (OPS[op].t == O_JOIN) for (int j = 0; j < OPS[op].c && !S.viol; j++) opReturn(S, op + 1 + j, jr[j]);
    if (res == R_OK && numbered(op)) S.answered |= 1 << op;
    opReturn(S, op, res);
    opEnd(S, i);
}
static void newStart(State &N) {
    for (int i = 0; i < N.nlog; i++) N.log[i].wb = 0;
    memset(N.lock, 0, sizeof N.lock); memset(N.swl, 0, sizeof N.swl); memset(N.retired, 0, sizeof N.retired); memset(N.th, 0, sizeof N.th);
    N.retiredM = N.known = 0;
    N.epoch++;
    N.start = N.clock++;
    N.judging = NUMBERED != 0;
    N.nth = N.epoch < PROG.size() ? PROG[N.epoch].size() : 0;
    N.freeM = FRESH[min<int>(N.epoch, 3)];
    for (int y = 0; y < NOP; y++) if (N.pend >> y & 1 && (OPS[y].t == O_STAT || (OPS[y].t == O_LIST && !OPS[y].b) || internal(y))) {
        N.pend &= ~(1u << y);
        for (int i = 0; i < N.ncfg; i++) N.cfg[i].r[y] = 0;
    }
    sort(N.cfg, N.cfg + N.ncfg);
    int n = unique(N.cfg, N.cfg + N.ncfg) - N.cfg;
    memset(N.cfg + n, 0, (N.ncfg - n) * sizeof(Cfg));
    N.ncfg = n;
    if (opt("fastscan", 0)) for (int s = 1; s <= NS; s++) if (st(N, s) == FREE && !fresh(N, s)) { N.freeM |= 1 << s; N.known |= 1 << s; }
}
static void lines(const State &S, vector<pair<int, int>> &g) {
    g.clear();
    for (int i = 0, j; i < S.nlog; i = j) { for (j = i; j < S.nlog && S.log[j].line == S.log[i].line; j++); g.push_back({i, j - i}); }
}
/** Power fails: of each line's stores a first part is there. */
static void crash(const State &S, u64 choice, State &N) {
    N = S;
    vector<pair<int, int>> g;
    lines(S, g);
    for (auto &x : g) {
        int kept = choice % (x.second + 1);
        choice /= x.second + 1;
        for (int i = 0; i < x.second; i++) {
            const Ent &e = S.log[x.first + i];
            for (int q = 0; q < e.n; q++) { if (i < kept) N.per[e.w[q]] = e.v[q]; if (VERB) printf("%s%s=%s %s", q ? "" : "      ", wordName(e.w[q]).c_str(), valueName(e.w[q], e.v[q]).c_str(), q == e.n - 1 ? i < kept ? "DURABLE\n" : "lost\n" : ""); }
        }
    }
    memset(N.log, 0, sizeof N.log);
    N.nlog = 0;
    memcpy(N.vol, N.per, NW);
    newStart(N);
}
static void checkLists(State &S) {
    for (int d = 0; d < DIRS; d++) {
        int c = R(S, HEAD(d)), last = 255, n = 0;
        if (c == CLOSED || !R(S, CST(d)) || !R(S, CIX(d))) continue;
        for (; c; c = R(S, F(c, SIB))) {
            string at = "s" + num(c) + " on the list of dir" + num(d);
            if (n++ > NS) { viol(S, "I4: cycle in dir" + num(d)); return; }
            if (st(S, c) == FREE) { viol(S, "I5: FREE " + at); return; }
            if (R(S, F(c, PAR)) != d) { viol(S, "I5: another directory's " + at); return; }
            if (S.freeM >> c & 1) { viol(S, "I5: free for allocation, " + at); return; }
            if (R(S, F(c, BIRTH)) >= last) { viol(S, "I4: births do not descend, " + at); return; }
            if (R(S, F(c, BIRTH)) > R(S, MT(d))) { viol(S, "I4: born above the mtime, " + at); return; }
            last = R(S, F(c, BIRTH));
        }
    }
}
static int OBS_S[NK], OBS_L[ND], OBS_W[ND], OBS_SC;
static bool look(State &S, int op) {
    Th &t = S.th[0];
    memset(&t, 0, sizeof t);
    S.nth = 1; t.active = 1; t.op = op; CURT = 9;
    for (int n = 0; n < 600; n++) {
        bool done = runOp(S, t);
        if (S.viol) return false;
        if (!done) continue;
        int r = t.ldup ? (int)R_BAD : t.res;
        memset(&t, 0, sizeof t);
        if (VERB) printf("  look: %s -> %s\n", opName(op).c_str(), resultName(r).c_str());
        if (!internal(op)) {
            S.pend |= 1u << (NOP - 1);
            OPS[NOP - 1] = OPS[op];
            bool v = VERB;
            VERB = false;
            opReturn(S, NOP - 1, r);
            VERB = v;
            if (S.viol && VERB) printf("      *** %s\n", MSG.c_str());
        }
        opEnd(S, 0);
        return !S.viol;
    }
    viol(S, "never ends: " + opName(op));
    return false;
}
/** What a start sees of a state: stats, lists, sweeps, scans, stats and lists again, then the shape. */
static void observe(const State &S, State &O) {
    O = S;
    memset(O.th, 0, sizeof O.th);
    auto judged = [&] { for (int n = 0; n < 900 && O.judging && !O.viol; n++) step(O, JUDGE); if (O.judging) viol(O, "never ends: the judging of records"); };
    if (G.jfirst) judged();
    auto stats = [&] { for (int k = 0; k < NK && !O.viol; k++) look(O, OBS_S[k]); };
    auto lists = [&] { for (int d = 0; d < DIRS && !O.viol; d++) look(O, OBS_L[d]); };
    if (opt("obs", 0)) { lists(); stats(); } else { stats(); lists(); }
    for (int d = 0; d < DIRS && !O.viol; d++) look(O, OBS_W[d]);
    for (int i = 0; i < 2 && !O.viol; i++) look(O, OBS_SC);
    stats(); lists();
    judged();
    if (!O.viol) checkLists(O);
    for (int k = 0; k < NK && !O.viol; k++) for (int s = 1; s <= NS; s++) if (R(O, IX(k, s))) {
        bool listed = false;
        for (int c = R(O, HEAD(KPAR[k])); c && c != CLOSED; c = R(O, F(c, SIB))) listed |= c == s;
        if (keyOf(O, s) != k || st(O, s) != NORMAL || !listed || link(O, s)) { viol(O, "I3: " + wordName(IX(k, s)) + " is not a live child: " + STN[st(O, s)]); return; }
    }
    for (int d = 0; d < DIRS && !O.viol; d++) if (findContent(O, d)) {
        int c = R(O, HEAD(d));
        if (c == CLOSED) { viol(O, "I3: dir" + num(d) + " stays closed"); return; }
        if (hasAccess(d) && !(ownsContent(O, R(O, ACC(d)), d) && st(O, R(O, ACC(d))) == NORMAL)) { viol(O, "I3: dir" + num(d) + " does not lead to its access object"); return; }
        for (; c; c = R(O, F(c, SIB))) if (st(O, c) != NORMAL || !R(O, IX(keyOf(O, c), c))) { viol(O, "I3: s" + num(c) + " is listed and not live or not in the index: " + STN[st(O, c)]); return; }
    } else if (R(O, CST(d))) { viol(O, "I5: content of dir" + num(d) + " stays for good"); return; }
    for (int s = 1; s <= NS && !O.viol; s++) if (!(O.freeM >> s & 1) && opt("pool", 15) >> (s - 1) & 1 && !fresh(O, s)) {
        bool listed = false;
        for (int d = 0; d < DIRS; d++) for (int c = R(O, HEAD(d)); findContent(O, d) && c && c != CLOSED; c = R(O, F(c, SIB))) listed |= c == s;
        if (!listed) { viol(O, "I5: slot s" + num(s) + " is lost (" + STN[st(O, s)] + ")"); return; }
    }
}

// ---- programs: "thread;operations|thread / after the end" ----
static int addOp(Op o) { OPS[nops] = o; return nops++; }
static vector<string> split(const string &s, char c) {
    vector<string> r(1);
    for (char ch : s) { if (ch == c) r.push_back(""); else if (ch != ' ') r.back() += ch; }
    return r;
}
static int keyByName(const string &s) {
    for (int k = 0; k < NK; k++) if (s == KN[k]) return k;
    printf("no key %s\n", s.c_str());
    exit(2);
}
static void world(char w, const char *const *names, initializer_list<pair<int, int>> keys, int dirs) {
    WORLD = w;
    DIRS = dirs;
    for (auto &row : TAB) for (int &x : row) x = NK;
    int k = 0;
    for (auto &x : keys) { KN[k] = names[k]; KPAR[k] = x.first; KNAME[k] = x.second; TAB[x.first][x.second] = k; k++; }
    KN[NK] = "?";
}
int main(int argc, char **argv) {
    if (argc < 3) { printf("usage: hm A|R|D|J PROGRAM [flag=value]...\n"); return 2; }
    for (int i = 3; i < argc; i++) { string a = argv[i]; size_t e = a.find('='); OPT[a.substr(0, e)] = atoi(a.c_str() + e + 1); }
    readFlags();
    static const char *A[] = {"a", "b", "c", "e"}, *Rn[] = {"d", "x", "y", "o"}, *D[] = {"p", "q", "x", "y"};
    switch (argv[1][0]) {
    case 'A': world('A', A, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, 2); break;
    case 'R': world('R', Rn, {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 2); break; // d is the directory 1
    case 'D': world('D', D, {{0, 0}, {0, 1}, {1, 0}, {2, 0}}, 3); break; // p and q are the directories 1 and 2
    default: world('J', A, {{0, 0}, {0, 1}, {0, 2}, {1, 0}}, 2);
    }
    static State S0, S, N, C, O;
    S0.clock = 2;
    Cfg c0;
    memset(&c0, 0, sizeof c0);
    for (int d = 0; d < DIRS; d++) if (!hasAccess(d)) { S0.vol[CST(d)] = ROOT; S0.vol[CIX(d)] = 1; }
    int slot = 1;
    for (int k = 0; k < NK; k++) if (opt("init", 0) >> k & 1) {
        int s = slot++, d = KPAR[k], b = S0.clock++, c = contentOf(k, 12 + k);
        u8 *v = S0.vol;
        v[F(s, NAME)] = KNAME[k]; v[F(s, STATUS)] = NORMAL; v[F(s, BIRTH)] = b; v[F(s, SIB)] = v[HEAD(d)]; v[F(s, PAR)] = d; v[F(s, INO)] = 12 + k;
        v[IX(k, s)] = 1; v[HEAD(d)] = s; v[MT(d)] = b;
        c0.e[k] = (12 + k) << 2;
        if (c > 0) { v[CST(c)] = 12 + k; v[CIX(c)] = 1; v[ACC(c)] = s; v[MT(c)] = b; }
    }
    for (int s = slot; s <= NS; s++) if (opt("pool", 15) >> (s - 1) & 1) S0.freeM |= 1 << s;
    memcpy(S0.per, S0.vol, NW);
    S0.start = S0.clock++;
    S0.ncfg = 1;
    S0.cfg[0] = c0;
    FRESH[1] = opt("f1", 48) << 1;
    FRESH[2] = opt("f2", 0) << 1;
    for (auto &es : split(argv[2], '/')) {
        PROG.push_back({});
        for (auto &ts : split(es, '|')) {
            PROG.back().push_back({});
            if (ts != "") for (auto &os : split(ts, ';')) {
                auto w = split(os, ',');
                Op o{0, 0, 0, 0};
                for (int q = 1; q <= O_BEGIN; q++) if (w[0] == ON[q]) o.t = q;
                if (!o.t || (o.t != O_SCAN && w.size() < 2)) { printf("bad operation %s\n", os.c_str()); return 2; }
                if (o.t == O_LIST || o.t == O_SWEEP || o.t == O_BEGIN) { o.a = atoi(w[1].c_str()); o.b = o.t == O_LIST && w.size() > 2; }
                else if (o.t == O_JOIN) o.c = w.size() - 1;
                else if (o.t != O_SCAN) o.a = keyByName(w[1]);
                if (o.t == O_RENAME) o.b = keyByName(w[2]);
                if (o.t == O_CHMOD) o.b = atoi(w[2].c_str());
                PROG.back().back().push_back(addOp(o));
                if (G.num && (o.t == O_CREATE || o.t == O_MKDIR || o.t == O_DELETE || o.t == O_RMDIR || o.t == O_RENAME)) NUMBERED |= 1 << (nops - 1);
                if (o.t == O_JOIN) for (size_t j = 1; j < w.size(); j++) addOp(Op{O_CREATE, (u8)keyByName(w[j]), 0, 0});
            }
        }
    }
    if (nops > 11) { printf("too many operations\n"); return 2; }
    nops = NOP;
    for (int k = 0; k < NK; k++) OBS_S[k] = addOp(Op{O_STAT, (u8)k, 0, 0});
    for (int d = 0; d < DIRS; d++) { OBS_L[d] = addOp(Op{O_LIST, (u8)d, 0, 0}); OBS_W[d] = addOp(Op{O_SWEEP, (u8)d, 0, 0}); }
    OBS_SC = addOp(Op{O_SCAN, 0, 0, 0});
    S0.nth = PROG[0].size();

    struct Node { u32 par; u64 act; };
    const u64 IMAGE = 1ull << 62, DIE = 1ull << 61, END_ = 1ull << 60;
    vector<Node> nodes{{~0u, 0}};
    HashSet seen, looked;
    vector<u8> cur, nxt;
    vector<u32> curId{0}, nxtId;
    // A saved state: its fixed part with the two counts in it, then logs and configurations as far as they are used.
    auto put = [&](const State &X, vector<u8> &b) {
        size_t n = offsetof(State, log), o = b.size(), l = X.nlog * sizeof(Ent), c = X.ncfg * sizeof(Cfg);
        b.resize(o + n + l + c);
        memcpy(&b[o], &X, n); memcpy(&b[o + n], X.log, l); memcpy(&b[o + n + l], X.cfg, c);
    };
    auto get = [&](const u8 *p, State &X) {
        size_t n = offsetof(State, log);
        memset(&X, 0, sizeof X);
        memcpy(&X, p, n);
        memcpy(X.log, p + n, X.nlog * sizeof(Ent));
        memcpy(X.cfg, p + n + X.nlog * sizeof(Ent), X.ncfg * sizeof(Cfg));
        return n + X.nlog * sizeof(Ent) + X.ncfg * sizeof(Cfg);
    };
    put(S0, cur);
    seen.insert(hashState(S0));
    size_t images = 0, limit = (size_t)opt("limit", 20000) * 1000, most = opt("images", 200000), sampled = 0;
    bool found = false, trunc = false, badLook = false;
    u32 badPar = 0;
    u64 badAct = 0;
    string badMsg;
    auto bad = [&](u32 par, u64 act, bool inLook) { found = true; badPar = par; badAct = act; badMsg = MSG; badLook = inLook; };
    auto push = [&](State &X, u32 par, u64 act) {
        if (X.viol) bad(par, act, false);
        else if (seen.insert(hashState(X))) { nodes.push_back({par, act}); nxtId.push_back(nodes.size() - 1); put(X, nxt); }
    };
    auto lookAt = [&](State &X, u32 par, u64 act) {
        if (found || !looked.insert(hashState(X))) return;
        images++;
        O = X;
        checkLists(O);
        if (!O.viol) observe(X, O);
        if (O.viol) bad(par, act, true);
    };
    bool dies = opt("die", 1), power = opt("crash", 1);
    while (!cur.empty() && !found && !trunc) {
        size_t off = 0;
        for (size_t qi = 0; qi < curId.size() && !found; qi++) {
            off += get(&cur[off], S);
            u32 id = curId[qi];
            bool all = !S.judging, progress = false;
            u64 h0 = hashState(S);
            if (S.judging) {
                N = S;
                step(N, JUDGE);
                progress |= N.viol || hashState(N) != h0;
                push(N, id, JUDGE);
            }
            for (int i = 0; i < S.nth && !found && !(S.judging && G.jfirst); i++) if (!doneTh(S, i)) {
                all = false;
                N = S;
                step(N, i);
                progress |= N.viol || hashState(N) != h0;
                push(N, id, i);
            }
            if (found) break;
            if (all) lookAt(S, id, END_);
            else if (!progress) { MSG = "nobody gets on"; bad(id, END_ + 1, false); }
            if (power && !found) {
                vector<pair<int, int>> g;
                lines(S, g);
                u64 total = 1;
                for (auto &x : g) total *= x.second + 1;
                u64 n = min<u64>(total, most);
                sampled += total > n;
                for (u64 j = 0; j < n && !found; j++) {
                    u64 choice = n == total ? j : j == 0 ? 0 : j == 1 ? total - 1 : (h0 * (2 * j + 1) ^ (h0 >> 31) * j) % total;
                    crash(S, choice, C);
                    lookAt(C, id, IMAGE | choice);
                    if (!found && S.epoch + 1 < (int)PROG.size()) push(C, id, IMAGE | choice);
                }
            }
            if (dies && !found && S.epoch + 1 < (int)PROG.size()) { N = S; newStart(N); push(N, id, DIE); }
            if (nodes.size() > limit) { trunc = true; break; }
        }
        cur.swap(nxt); curId.swap(nxtId);
        nxt.clear(); nxtId.clear();
    }
    vector<u64> acts{badAct};
    for (u32 x = badPar; found && nodes[x].par != ~0u; x = nodes[x].par) acts.push_back(nodes[x].act);
    reverse(acts.begin(), acts.end());
    printf("%s %s: states=%zu depth=%zu images=%zu sampled=%zu %s\n", argv[1], argv[2], nodes.size(), found ? acts.size() : 0, images, sampled, found ? ("VIOLATION: " + badMsg).c_str() : trunc ? "CUT" : "ok");
    if (found && opt("trace", 0)) {
        S = S0;
        VERB = true;
        for (u64 a : acts) {
            if (a == END_) printf("-- all have ended\n");
            else if (a == END_ + 1) printf("-- stuck\n");
            else if (a & IMAGE) { printf("-- POWER FAILS\n"); crash(S, a & ~IMAGE, N); S = N; printf("   start=%d\n", S.start); }
            else if (a & DIE) { printf("-- THE PROCESS DIES\n"); newStart(S); printf("   start=%d\n", S.start); }
            else step(S, a);
        }
        if (badLook) { checkLists(S); if (!S.viol) observe(S, O); }
    }
    return found ? 1 : 0;
}
