// Stats that clients read in the server's memory (docs/adr/0205): explores programs in every order of their threads' steps. README.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>
using namespace std;

using u8 = uint8_t;

// ---- what can be left out: each is a step or an order of the protocol, as it is by default ----
static map<string, int> FLAG = {
    {"takeback", 1}, // a change takes the record back; 2: after it has changed
    {"shown", 1},    // before that it shows that it is under way; 0: only then
    {"under", 1},    // who claims sees that no change is under way; 2: before the claim
    {"live", 1},     // and that the export was not withdrawn
    {"opening", 1},  // no record is made before the export is open
    {"held", 1},     // what was looked up is stored only if the claim still stands
    {"swap", 1},     // a record gets valid by compare-and-swap
    {"owner", 1},    // what is taken back while it is filled stays its filler's
    {"newtag", 1},   // each claim has a tag of its own
    {"tags", 1},     // a reader compares the tags of all words
    {"number", 1},   // a reader compares the number of the export
    {"sweep", 1},    // a withdrawal takes back the records
    {"last", 1},     // and only then lets others find that there is nothing to withdraw
    {"first", 1},    // an export can be found before the way is walked again; 0: after
    {"way", 1},      // an export is opened only if no change of the way is under way
    {"again", 1},    // and the way is still as it was
};

// ---- state: one directory, reached by P or by Q; one file in it; one table with one slot of three words ----
enum Slot : u8 { EMPTY, CLAIMED, TAKEN_BACK, VALID };
enum Life : u8 { NONE, OPENING, LIVE, WITHDRAWN };
enum Op : u8 { CHANGE, SECRET, CLOSE, RENAME, STAT, EXPORT_P, EXPORT_Q, READ_P, READ_Q };
static const char *NAMES[] = {"change", "secret", "close", "rename", "stat", "exportP", "exportQ", "readP", "readQ"};

struct Word { u8 tag, number, value; };
struct Thread {
    u8 op, pc;           // of its program
    u8 a, b, tag, value; // of the step
    u8 seen;             // a reader: words that were read
    u8 state;            // word 0 as it was read
    Word word[3];
    u8 truth;            // what a stat of the path would have answered then, 255: nothing
};
struct State {
    u8 slotState, slotTag;
    Word word[2];
    u8 value, secretFrom; // of the file; values from this one on were never every user's to know
    u8 open;              // whether every user may pass the directory
    u8 atQ;               // where it is
    u8 under, underWay;   // changes under way: of the file's directory, of the way to it
    u8 lock;              // of the exports, 1 + the thread that has it
    u8 numbers;           // of exports so far
    u8 known;             // the number of the export that can be found; 0: none
    u8 life[6], exportAtQ[6];
    u8 toldP, toldQ;      // numbers that clients were told
    Thread thread[4];
};

static vector<vector<Op>> PROGRAM;
static string VIOLATION;
static int on(const char *flag) { return FLAG[flag]; }
static void violate(const string &what) { if (VIOLATION.empty()) VIOLATION = what; }

static void takeBack(State &s) {
    if (s.slotState == CLAIMED) s.slotState = on("owner") ? TAKEN_BACK : EMPTY;
    else if (s.slotState == VALID) s.slotState = EMPTY;
}
static void giveUp(State &s, Thread &t) { s.slotState = EMPTY; s.slotTag = t.tag; }
static bool held(State &s, Thread &t) { return s.slotState == CLAIMED && s.slotTag == t.tag; }
static bool passes(State &s, bool byQ) { return s.open && byQ == (bool) s.atQ; }

enum Outcome { GOES_ON, DONE, WAITS };

/** Withdraws the export a, of which it has the lock. Returns whether that is done. */
static bool withdraw(State &s, Thread &t, u8 pc) {
    switch (t.pc - pc) {
        case 0: s.life[t.a] = WITHDRAWN; if (!on("last")) s.known = 0; break;
        case 1: if (on("sweep")) takeBack(s); break;
        default: if (s.known == t.a) s.known = 0; return true;
    }
    t.pc++;
    return false;
}

/** A change of the file: of its value. */
static Outcome change(State &s, Thread &t, bool secret) {
    switch (t.pc++) {
        case 0: case 1:
            if (t.pc == 1 + !on("shown")) s.under++;
            else if (on("takeback") == 1 && s.known) takeBack(s);
            return GOES_ON;
        case 2:
            s.value++;
            if (secret && !s.open && s.secretFrom > s.value) s.secretFrom = s.value;
            return GOES_ON;
        case 3: if (on("takeback") == 2 && s.known) takeBack(s); return GOES_ON;
        default: s.under--; return DONE;
    }
}

/** A change of the way: closes the directory, or moves it from P to Q. */
static Outcome changeWay(State &s, Thread &t, int self, bool closes) {
    switch (t.pc) {
        case 0: if (on("shown")) s.underWay++; t.pc++; return GOES_ON;
        case 1: t.a = s.known; t.pc = t.a ? 2 : 6; return GOES_ON; // looks without the lock
        case 2: if (s.lock) return WAITS; s.lock = 1 + self; t.pc = s.known == t.a ? 3 : 7; return GOES_ON;
        case 3: case 4: case 5: if (withdraw(s, t, 3)) t.pc = 7; return GOES_ON;
        case 7: s.lock = 0; t.pc = 6; return GOES_ON;
        case 6: if (!on("shown")) s.underWay++; t.pc = 9; return GOES_ON;
        case 9: if (closes) s.open = 0; else s.atQ = 1; t.pc = 8; return GOES_ON;
        default: s.underWay--; return DONE;
    }
}

/** A stat that the server answers, of a user that may always pass: makes a record. */
static Outcome stat(State &s, Thread &t) {
    auto live = [&] { return s.life[t.a] == LIVE || (!on("opening") && s.life[t.a] == OPENING); };
    switch (t.pc++) {
        case 0:
            t.a = s.known;
            if (!t.a || !live()) return DONE;
            t.b = on("under") == 2 && s.under;
            return t.b ? DONE : GOES_ON;
        case 1:
            if (s.slotState == CLAIMED || s.slotState == TAKEN_BACK) return DONE;
            if (on("newtag")) s.slotTag++;
            s.slotState = CLAIMED;
            t.tag = s.slotTag;
            return GOES_ON;
        case 2: if (on("live") && !live()) { giveUp(s, t); return DONE; } return GOES_ON;
        case 3: if (on("under") == 1 && s.under) { giveUp(s, t); return DONE; } return GOES_ON;
        case 4: t.value = s.value; return GOES_ON;
        case 5: if (on("held") && !held(s, t)) { giveUp(s, t); return DONE; } return GOES_ON;
        case 6: case 7:
            s.word[t.pc - 7] = {t.tag, t.a, t.value};
            if (t.value >= s.secretFrom) violate("a secret is stored where clients read");
            return GOES_ON;
        default:
            if (!on("swap") || held(s, t)) { s.slotState = VALID; s.slotTag = t.tag; } else giveUp(s, t);
            return DONE;
    }
}

/** Exports the directory by a path, and tells the client. */
static Outcome exported(State &s, Thread &t, int self, bool byQ) {
    auto add = [&] { t.a = s.known = ++s.numbers; s.life[t.a] = OPENING; s.exportAtQ[t.a] = byQ; };
    u8 &told = byQ ? s.toldQ : s.toldP;
    switch (t.pc) {
        case 0: if (s.lock) return WAITS; s.lock = 1 + self; t.pc++; return GOES_ON;
        case 1: t.pc = !passes(s, byQ) ? 20 : s.known ? 10 : 2; return GOES_ON;
        case 10:
            if (s.exportAtQ[s.known] != byQ) violate("an export is told to a client that asked by another path");
            told = s.known;
            t.pc = 20;
            return GOES_ON;
        case 2: if (on("first")) add(); t.pc++; return GOES_ON;
        case 3: t.b = on("way") && s.underWay; t.pc++; return GOES_ON;
        case 4: t.b |= on("again") && !passes(s, byQ); t.pc++; return GOES_ON;
        case 5: if (!on("first")) add(); t.pc++; return GOES_ON;
        case 6:
            if (!t.b && s.life[t.a] == OPENING) { s.life[t.a] = LIVE; told = t.a; t.pc = 20; }
            else t.pc = 7;
            return GOES_ON;
        case 7: case 8: case 9: if (withdraw(s, t, 7)) t.pc = 20; return GOES_ON;
        default: s.lock = 0; return DONE;
    }
}

/** A client's READ, by what it was told: its words come in any order, {@code choice} is the next. */
static Outcome read(State &s, Thread &t, bool byQ, int choice) {
    u8 number = byQ ? s.toldQ : s.toldP;
    if (t.pc == 0) {
        if (!number) return DONE;
        t.a = number;
        t.pc = 1;
        return GOES_ON;
    }
    t.seen |= 1 << choice;
    if (choice == 0) {
        t.state = s.slotState;
        t.word[0].tag = s.slotTag;
        t.truth = passes(s, byQ) ? s.value : 255;
    } else t.word[choice] = s.word[choice - 1];
    if (t.seen != 7) return GOES_ON;
    const Word &one = t.word[1], &two = t.word[2];
    bool whole = !on("tags") || (one.tag == t.word[0].tag && two.tag == t.word[0].tag);
    bool its = !on("number") || (one.number == t.a && two.number == t.a);
    if (t.state == VALID && whole && its) {
        if (one.value != two.value || one.number != two.number) violate("a torn record is taken");
        else if (one.value != t.truth) violate("a record is taken that was not true when its first word was read");
    }
    return DONE;
}

static Outcome step(State &s, int i, int choice) {
    Thread &t = s.thread[i];
    Op op = PROGRAM[i][t.op];
    Outcome outcome = GOES_ON;
    switch (op) {
        case CHANGE: outcome = change(s, t, false); break;
        case SECRET: outcome = change(s, t, true); break;
        case CLOSE: case RENAME: outcome = changeWay(s, t, i, op == CLOSE); break;
        case STAT: outcome = stat(s, t); break;
        case EXPORT_P: case EXPORT_Q: outcome = exported(s, t, i, op == EXPORT_Q); break;
        case READ_P: case READ_Q: outcome = read(s, t, op == READ_Q, choice); break;
    }
    if (outcome == DONE) {
        u8 next = t.op + 1;
        memset(&t, 0, sizeof t);
        t.op = next;
    }
    return outcome;
}

// ---- exploring ----
struct Seen { size_t operator()(const string &s) const { return hash<string>()(s); } };
static unordered_set<string, Seen> SEEN;
static vector<string> TRACE;
static bool TRACES;

static void explore(const State &from) {
    if (!VIOLATION.empty() || !SEEN.insert(string((const char *) &from, sizeof from)).second) return;
    for (size_t i = 0; i < PROGRAM.size() && VIOLATION.empty(); i++) {
        const Thread &t = from.thread[i];
        if (t.op == PROGRAM[i].size()) continue;
        Op op = PROGRAM[i][t.op];
        bool reads = (op == READ_P || op == READ_Q) && t.pc == 1;
        for (int choice = 0; choice < (reads ? 3 : 1) && VIOLATION.empty(); choice++) {
            if (reads && (t.seen >> choice & 1)) continue;
            State next = from;
            if (step(next, i, choice) == WAITS) continue;
            TRACE.push_back("  T" + to_string(i) + " " + NAMES[op] + " step " + to_string(t.pc) + (reads ? " word " + to_string(choice) : ""));
            explore(next);
            if (VIOLATION.empty()) TRACE.pop_back();
        }
    }
}

/** Explores one program; {@code isExported}: the directory is, as P, and a client was told. Returns the violation, or nothing. */
static string run(const string &text, bool isExported, size_t &states) {
    PROGRAM.assign(1, {});
    string word;
    for (char c : text + ";") {
        if (c != ';' && c != '|') { word += c; continue; }
        for (size_t n = 0; n < sizeof NAMES / sizeof *NAMES; n++) if (word == NAMES[n]) PROGRAM.back().push_back((Op) n);
        word.clear();
        if (c == '|') PROGRAM.push_back({});
    }
    State s;
    memset(&s, 0, sizeof s);
    s.open = 1;
    s.secretFrom = 200;
    if (isExported) { s.numbers = s.known = s.toldP = 1; s.life[1] = LIVE; }
    SEEN.clear();
    TRACE.clear();
    VIOLATION.clear();
    explore(s);
    states += SEEN.size();
    if (TRACES && !VIOLATION.empty()) for (auto &line : TRACE) puts(line.c_str());
    return VIOLATION;
}

static const vector<pair<const char *, bool>> SUITE = {
    {"change|stat|readP", true},
    {"change;change|stat;stat|readP", true},
    {"change|stat|stat;stat|readP", true},
    {"change|change|stat;stat|readP", true},
    {"change;change|stat|stat;stat|readP", true},
    {"close;secret|stat|readP", true},
    {"close;secret|stat;stat|readP", true},
    {"close;secret|stat|stat", true},
    {"close|rename|stat|readP", true},
    {"close|stat;rename|readP", true},
    {"exportP;readP|close;secret|stat", false},
    {"exportP|close;secret|stat;stat", false},
    {"exportP;readP|rename|stat;stat", false},
    {"exportP;readP|exportP|rename|stat", false},
    {"readP|rename;exportQ|stat;stat", true},
    {"readP;readQ|rename;exportQ|stat;stat", true},
    {"exportP;readP|rename;exportQ|stat", false},
    {"exportP;readP|rename|exportQ|stat", false},
    {"readP|stat;rename;exportQ;stat|change", true},
    {"exportQ;readQ|rename;change|stat;stat", true},
};

/** As it is, or with flags: how many programs of the suite violate something. */
static int suite(const string &flags) {
    size_t states = 0;
    int bad = 0;
    string first;
    for (auto &each : SUITE) {
        string violation = run(each.first, each.second, states);
        if (!violation.empty() && !bad++) first = string(each.first) + ": " + violation;
    }
    printf("remote %s: %zu programs, %zu states, %d violate%s%s\n", flags.c_str(), SUITE.size(), states, bad, bad ? "; " : "", first.c_str());
    return bad;
}

/** Usage: remote [trace=1] [flag=value…] runs the suite so; remote each: as it is, and with each step left out, which must violate something. */
int main(int count, char **arguments) {
    string flags;
    bool each = false;
    for (int i = 1; i < count; i++) {
        string argument = arguments[i];
        size_t at = argument.find('=');
        if (argument == "each") each = true;
        else if (at == string::npos || (!FLAG.count(argument.substr(0, at)) && argument.substr(0, at) != "trace")) {
            fprintf(stderr, "no such flag: %s\n", arguments[i]);
            return 2;
        } else if (argument.substr(0, at) == "trace") TRACES = true;
        else { FLAG[argument.substr(0, at)] = atoi(argument.c_str() + at + 1); flags += (flags.empty() ? "" : ",") + argument; }
    }
    bool failed = suite(flags.empty() ? "as it is" : flags) > 0;
    if (each) for (auto flag : map<string, int>(FLAG)) for (int value : {0, 2}) {
        if (value == 2 && flag.first != "takeback" && flag.first != "under") continue;
        FLAG[flag.first] = value;
        failed |= suite(flag.first + "=" + to_string(value)) == 0;
        FLAG[flag.first] = flag.second;
    }
    return failed;
}
