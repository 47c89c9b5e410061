/** Drawings of other families than PlantUML's, all our own: what each family does differently is said above its drawing. */
import { describe, expect, test } from '@jest/globals';
import type { Diagram } from '../../diagram/index.ts';
import { read, treeOf } from './what-is-read.ts';

interface Case {
  readonly family: string;
  readonly text: string;
  readonly participants: string;
  readonly arrows: readonly string[];
  readonly tree?: unknown;
  /** Where each message is received; missing: where it is sent, all of them. */
  readonly received?: readonly unknown[];
  /** Codes of what is said about it; nothing here is refused. */
  readonly said?: readonly string[];
}

/** As in other tests, with the head where it is no plain one. */
const arrowsOf = (diagram: Diagram): string[] =>
  diagram.messages.map(
    ({ from, to, text, line, head }) =>
      `${from ?? '*'} ${line === 'solid' ? '-' : '--'}${head === 'arrow' ? '>' : ` ${head} `}${to ?? '*'}${text === '' ? '' : `: ${text.replaceAll('\n', ' / ')}`}`,
  );

const CASES: readonly Case[] = [
  {
    family: 'a ladder, whose label rows are arrow rows of other gaps, under names without boxes',
    text: `
   Phone           Proxy            Desk
     |               |                |
     |  RING F1      |                |
     |-------------->|    RING F2     |
     |   (100) F3    |--------------->|
     |<--------------|   (180) F4     |
     |               |<-------------- |
     |               |                |
     |          talk for a while      |
     |<==============================>|
     |               |                |
`,
    participants: 'Phone|Proxy|Desk',
    arrows: [
      'Phone ->Proxy: RING F1',
      'Proxy ->Desk: RING F2',
      'Proxy ->Phone: (100) F3',
      'Desk ->Proxy: (180) F4',
      'Phone ->Desk: talk for a while',
      'Desk ->Phone: talk for a while',
    ],
    tree: [0, 1, 2, 3, ['par', ['', 4], ['', 5]]],
    said: ['ASC118'],
  },
  {
    family: 'tees at the tail, heavy bars, filled heads, shafts without heads, and a cross that loses the message',
    text: `
┌──────┐     ┌───────┐
│ Cart │     │ Store │
└──┬───┘     └───┬───┘
   │             │
   │ reserve     │
   ├────────────►│
   │             ┃
   │ kept        ┃
   │◄┈┈┈┈┈┈┈┈┈┈┈┈┨
   │             │
   │ poke        │
   ├─────────────│
   │             │
   │ drop        │
   ├────────────×│
   │             │
   │ note it     │
   ├──┐          │
   │  │          │
   │◄─┘          │
   │             │
`,
    participants: 'Cart|Store',
    arrows: [
      'Cart ->Store: reserve',
      'Store -->Cart: kept',
      'Cart - none Store: poke',
      'Cart - cross Store: drop',
      'Cart ->Cart: note it',
    ],
  },
  {
    family: 'frames with their title in the border',
    text: `
┌───┐        ┌───┐
│ A │        │ B │
└─┬─┘        └─┬─┘
  │            │
┌─[alt there is room]─┐
│ │            │      │
│ │ come       │      │
│ ├───────────►│      │
├┈[full]┈┈┈┈┈┈┈┈┈┈┈┈┈┈┤
│ │            │      │
│ │ wait       │      │
│ ├───────────►│      │
└─────────────────────┘
  │            │
`,
    participants: 'A|B',
    arrows: ['A ->B: come', 'A ->B: wait'],
    tree: [['alt', ['there is room', 0], ['full', 1]]],
  },
  {
    family: 'the same in ASCII, where corners and tees are all plus signs and dots are dashes',
    text: `
+---+        +---+
| A |        | B |
+-+-+        +-+-+
  |            |
+-[loop each minute]-+
| |            |     |
| | ping       |     |
| +----------->|     |
| |            |     |
| | pong       |     |
| |<...........+     |
+--------------------+
  |            |
`,
    participants: 'A|B',
    arrows: ['A ->B: ping', 'B -->A: pong'],
    tree: [['loop', ['each minute', 0, 1]]],
  },
  {
    family: 'heads on the lifeline, small titles, footers that repeat the names',
    text: `
 ┌───┐     ┌───┐
 │ A │     │ B │
 └─┬─┘     └─┬─┘
   │         │
┌opt [hot]───────┐
│  │  cool   │   │
│  │─────────▶   │
│  │         │   │
│  │   ok    │   │
│  ◀╌╌╌╌╌╌╌╌╌│   │
└────────────────┘
   │         │
 ┌─┴─┐     ┌─┴─┐
 │ A │     │ B │
 └───┘     └───┘
`,
    participants: 'A|B',
    arrows: ['A ->B: cool', 'B -->A: ok'],
    tree: [['opt', ['hot', 0, 1]]],
  },
  {
    family: 'hyphens for dashed shafts among drawn solid ones',
    text: `
┌─┐      ┌─┐
│A│      │B│
└┬┘      └┬┘
 │question│
 │───────>│
 │        │
 │ answer │
 │<-------│
┌┴┐      ┌┴┐
│A│      │B│
└─┘      └─┘
`,
    participants: 'A|B',
    arrows: ['A ->B: question', 'B -->A: answer'],
    said: ['ASC145'],
  },
  {
    family: 'labels inside the shafts, in a comment, with an arrow that passes over a visible lifeline',
    text: `
\t// Writer           Queue                Disk
\t// |                  |                    |
\t// |-- 1. append ---->|                    |
\t// |                  |-- 2. flush ------->|
\t// |                  |<- 3. flushed ------|
\t// |<-- 4. ok --------|                    |
\t// |-- 5. check ------|------------------->|
`,
    participants: 'Writer|Queue|Disk',
    arrows: [
      'Writer ->Queue: 1. append',
      'Queue ->Disk: 2. flush',
      'Disk ->Queue: 3. flushed',
      'Queue ->Writer: 4. ok',
      'Writer ->Disk: 5. check',
    ],
  },
  {
    family: 'wide characters, text under an arrow, a chain on one row',
    text: `
客户端               网关                 数据库
  │                   │                     │
  │ 打开「会话」      │                     │
  ├──────────────────►│                     │
  │                   │                     │
  │ forward           │                     │
  │──────────────────►│────────────────────►│
  │  { token }        │                     │
  │                   │                     │
`,
    participants: '客户端|网关|数据库',
    arrows: ['客户端 ->网关: 打开「会话」', '客户端 ->网关: forward / { token }', '网关 ->数据库'],
    said: ['ASC122'],
  },
  {
    family: 'boxes without tees, lifelines that waver by a column, long labels',
    text: `
+--------+            +--------+
|  User  |            |  Shop  |
+--------+            +--------+
    |                      |
    | I want to buy this   |
    |--------------------->|
    |                     |
    |   you have paid      |
    |<- - - - - - - - - - -|
    |                      |
`,
    participants: 'User|Shop',
    arrows: ['User ->Shop: I want to buy this', 'Shop -->User: you have paid'],
  },
  {
    family: 'crossing messages, whose sending and receipt stand on rows of their own',
    text: `
┌─┐        ┌─┐
│A│        │B│
└┬┘        └┬┘
 │          │
 │───┐      │
 │second    │
 │─────────>│
 │   │      │
 │first     │
 │   └─────>│
 │          │
 │third     │
 │<─────────│
┌┴┐        ┌┴┐
│A│        │B│
└─┘        └─┘
`,
    participants: 'A|B',
    arrows: ['A ->B: first', 'A ->B: second', 'B ->A: third'],
    received: [{ after: 1, nth: 0 }, undefined, undefined],
  },
  {
    family: 'three messages on their way at once, received in the opposite order',
    text: `
┌─┐         ┌─┐
│A│         │B│
└┬┘         └┬┘
 │────┐      │
 │──┐ │      │
 │ the third │
 │──────────>│
 │  │ │      │
 │ the second│
 │  └───────>│
 │    │      │
 │ the first │
 │    └─────>│
┌┴┐         ┌┴┐
│A│         │B│
└─┘         └─┘
`,
    participants: 'A|B',
    arrows: ['A ->B: the first', 'A ->B: the second', 'A ->B: the third'],
    received: [{ after: 2, nth: 1 }, { after: 2, nth: 0 }, undefined],
  },
  {
    family: 'two messages that cross, each sent before the other is received',
    text: `
┌─┐         ┌─┐
│A│         │B│
└┬┘         └┬┘
 │───┐       │
 │   │   ┌───│
 │   │   │   │
 │   there   │
 │   └──────>│
 │       │   │
 │   back│   │
 │<──────┘   │
 │           │
`,
    participants: 'A|B',
    arrows: ['A ->B: there', 'B ->A: back'],
    received: [
      { after: 1, nth: 0 },
      { after: 1, nth: 1 },
    ],
  },
  {
    family: 'a frame that begins while a message is on its way: no order that a diagram could say',
    text: `
  ┌─┐         ┌─┐
  │A│         │B│
  └┬┘         └┬┘
   │───┐       │
   │   │       │
┌─ opt [ok] ──────┐
│  │ second    │  │
│  │──────────>│  │
│  │   │       │  │
│  │ first     │  │
│  │   └──────>│  │
│  │           │  │
└─────────────────┘
   │           │
`,
    participants: 'A|B',
    arrows: ['A ->B: second', 'A ->B: first'],
    tree: [['opt', ['ok', ['par', ['', 0], ['', 1]]]]],
    said: ['ASC127'],
  },
  {
    family: 'a box drawn around participants, crossed by an arrow',
    text: `
┌─ Inner ─────────┐
│ ┌───┐     ┌───┐ │     ┌───┐
│ │ A │     │ B │ │     │ C │
│ └─┬─┘     └─┬─┘ │     └─┬─┘
│   │ x       │   │       │
│   ├────────►│   │       │
│   │         │   │       │
│   │         │ y │       │
│   │         ├───┼──────►│
│   │         │   │       │
└─────────────────┘       │
`,
    participants: 'A|B|C',
    arrows: ['A ->B: x', 'B ->C: y'],
    said: ['ASC144'],
  },
  {
    family: 'states in the place of a lifeline, breaks, arrows that end at them',
    text: `
.--------.         .-------.
| Sensor |         | Judge |
'---+----'         '---+---'
    |                  |
 time(a)               |
    |                  |
    ~                  ~
    |                  |
    |<--nonce----- time(b)
    |                  |
 [sign it]             |
    |                  |
    +--evidence{x}---->|
    |    {time(a)}     |
    |                  |
`,
    participants: 'Sensor|Judge',
    arrows: ['Judge ->Sensor: nonce', 'Sensor ->Judge: evidence{x} / {time(a)}'],
    said: ['ASC122'],
  },
  {
    family: 'heads of bars only, shafts that begin on the lifeline, state boxes, a legend above',
    text: `
          B2 = second B
       |-----|         |---|          |---|        |----|
       |ANNIE|         |BEN|          |CAT|        |DAVE|
       |-----|         |---|          |---|        |----|
          |              |              |            |
          -----HELLO----->              -----HELLO--->
          |              |              |            |
    (~~~~~~~~~~~)        |              |            |
    (  WAITING  )        |              |            |
    (~~~~~~~~~~~)        |              |            |
          |              |              |            |
          <---------------BYE-----------------------
          |              |              |            |
`,
    participants: 'ANNIE|BEN|CAT|DAVE',
    arrows: ['ANNIE ->BEN: HELLO', 'CAT ->DAVE: HELLO', 'DAVE ->ANNIE: BYE'],
    said: ['ASC141', 'ASC125', 'ASC128'],
  },
  {
    family: 'rows off by one, arrows between the heads, local actions, payloads under arrows',
    text: `
┌──────┐    ┌───────┐    ┌────────┐
│ User │───>│  App  │───>│ Ledger │
└──────┘    └───────┘    └────────┘
   │            │             │
   │ 1. pay     │             │
   │────────────>             │
   │  { card }  │             │
   │            │ 2. book      │
   │            │─────────────>│
   │            │<─────────────│
   │            │  3. file it │
   │            │             │
   │            │          4. seal
   │            │             │
   │ 5. paid    │             │
   │<───────────│             │
   │            │             │
`,
    participants: 'User|App|Ledger',
    arrows: ['User ->App: 1. pay / { card }', 'App ->Ledger: 2. book', 'Ledger ->App', 'App ->User: 5. paid'],
    said: ['ASC142', 'ASC142', 'ASC122', 'ASC143', 'ASC143'],
  },
  {
    family: 'a remark in parentheses between call and return, an arrow with two heads that begins on the right',
    text: `
┌─────┐         ┌────┐
│ Job │         │ DB │
└──┬──┘         └─┬──┘
   │ ask          │
   │─────────────>│
   │ (think       │
   │  twice)      │
   │<─────────────│
   │              │
   │ sync         │
   │◄────────────►┤
   │              │
`,
    participants: 'Job|DB',
    arrows: ['Job ->DB: ask', 'DB ->Job', 'DB ->Job: sync', 'Job ->DB: sync'],
    tree: [0, 1, ['par', ['', 2], ['', 3]]],
    said: ['ASC143', 'ASC118'],
  },
  {
    family: 'bars of hashes, loops of dots',
    text: `
+-------+     +-----+
| Alice |     | Bob |
+---+---+     +--+--+
    |            |
    | request    |
    +----------->|
    |            #
    | reply      #
    |<...........#
    |            |
    | think      |
    +..+         |
    |  |         |
    |..+         |
    |            |
`,
    participants: 'Alice|Bob',
    arrows: ['Alice ->Bob: request', 'Bob -->Alice: reply', 'Alice -- none Alice: think'],
  },
  {
    family: 'a title in a box of its own',
    text: `
┌───────────────────────────────┐
│          How to pay           │
└───────────────────────────────┘

   Client              Server
     │                    │
     │  1. ask            │
     │ ──────────────────>│
     │                    │
`,
    participants: 'Client|Server',
    arrows: ['Client ->Server: 1. ask'],
  },
  {
    family: 'a drawing over two pages of an RFC',
    text: `
      Left                 Right
        |                    |
        |  HELLO             |
        |------------------->|
        |                    |

Writer, et al.               Standards Track                    [Page 12]
\f
RFC 9999                     Saying Hello                    October 2025

        |                    |
        |  BYE               |
        |<-------------------|
        |                    |
`,
    participants: 'Left|Right',
    arrows: ['Left ->Right: HELLO', 'Right ->Left: BYE'],
  },
  {
    family: 'loops of dashes whose corners fall on gaps, on the row of another arrow, on both sides',
    text: `
//         ┌─────┐        ┌──────┐       ┌───────┐
//         │ Key │        │ Page │       │ Store │
//         └─────┘        └──────┘       └───────┘
//            │              │               │
//            │   1. pick    │               │
//       ─ ─ ─│◀ ─ ─ ─ ─ ─ ─ │               │
//  try │     │              │               │
//            │  3. picked   │               │
//      └ ─ ─▶│─ ─ ─ ─ ─ ─ ─▶│               │
//            │              │  4. keep      │
//            │              │─ ─ ─ ─ ─ ─ ─ ▶│─ ─ ─
//            │              │               │     │ 5. look
//            │              │               │         twice
//            │              │               │◀─ ─ ┘
//            │              │               │
`,
    participants: 'Key|Page|Store',
    arrows: [
      'Page -->Key: 1. pick',
      'Key -->Key: try',
      'Key -->Page: 3. picked',
      'Page -->Store: 4. keep',
      'Store -->Store: 5. look / twice',
    ],
  },
  {
    family:
      'numbers in shafts, which go on behind them or show between words; text under them belongs to the upper one',
    text: `
┌──────┐               ┌──────┐
│ Shop │               │ Bank │
└──┬───┘               └──┬───┘
   │─(1)─── charge ──────▶│
   │   { card, sum }      │
   │◀─(2)─── done─now ────│
   │                      │
`,
    participants: 'Shop|Bank',
    arrows: ['Shop ->Bank: (1) charge / { card, sum }', 'Bank ->Shop: (2) done now'],
    said: ['ASC122'],
  },
  {
    family: 'a remark in the middle, set apart from the label below it, which hugs a lifeline',
    text: `
 Left                                    Right
  |                                        |
  | BYE 1                                  |
  |--------------------------------------->|
  |         more may still come            |
  |                                 BYE 2  |
  |<---------------------------------------|
  |                                        |
`,
    participants: 'Left|Right',
    arrows: ['Left ->Right: BYE 1', 'Right ->Left: BYE 2'],
    said: ['ASC143'],
  },
  {
    family: 'TABs, a lifeline that wavers from its first row on, states under the last row',
    text: 'Left                            Right\n\t | hi                   |\n\t |--------------------->|\n\t | ho                  |\n\t |<--------------------|\n CLOSED                        CLOSED\n',
    participants: 'Left|Right',
    arrows: ['Left ->Right: hi', 'Right ->Left: ho'],
    said: ['ASC141'],
  },
];

interface Family {
  readonly family: string;
  readonly text: string;
  readonly arrows: readonly string[];
  readonly said?: readonly string[];
}

/** What people draw by hand between two or three participants, kind by kind. */
const BY_HAND: readonly Family[] = [
  {
    family: 'labels right under their arrows, throughout',
    text: `
  Client          Server
    |               |
    |-------------->|
    |    GET /      |
    |<--------------|
    |    200        |
    |-------------->|
    |    POST /x    |
`,
    arrows: ['Client ->Server: GET /', 'Server ->Client: 200', 'Client ->Server: POST /x'],
    said: ['ASC122', 'ASC122', 'ASC122'],
  },
  {
    family: "a label between two arrows that may be either one's",
    text: `
  Client          Server
    |               |
    |-------------->|
    |    GET /      |
    |<--------------|
    |               |
`,
    arrows: ['Client ->Server', 'Server ->Client: GET /'],
    said: ['ASC148'],
  },
  {
    family: 'labels and numbers in the margins',
    text: `
      Alice            Bob
        |               |
 1.     |-------------->|   hello
 2.     |<--------------|   hi
`,
    arrows: ['Alice ->Bob: hello', 'Bob ->Alice: hi'],
    said: ['ASC142', 'ASC122', 'ASC122'],
  },
  {
    family: 'lines of colons',
    text: `
  Client          Server
    :               :
    : at: once      :
    :-------------->:
    :               :
    : 12:30         :
    :<--------------:
`,
    arrows: ['Client ->Server: at: once', 'Server ->Client: 12:30'],
  },
  {
    family: 'lines that break, with dots or colons',
    text: `
   A             B
   |             |
   |---- x ----->|
  ...           ...
   |<--- y ------|
   :             :
   |---- z ----->|
`,
    arrows: ['A ->B: x', 'B ->A: y', 'A ->B: z'],
  },
  {
    family: 'double heads, double shafts, waves',
    text: `
 Alice              Bob
   |                 |
   | call            |
   |--------------->>|
   |<<=== done ======|
   |~~~~ poke ~~~~~~>|
   |                 |
`,
    arrows: ['Alice ->Bob: call', 'Bob ->Alice: done', 'Alice ->Bob: poke'],
    said: ['ASC149'],
  },
  {
    family: 'dashed and dotted shafts with their labels in them',
    text: `
   A             B
   |             |
   |- - - x - - >|
   |<- - y - - - |
   |<.... z .....|
   |             |
`,
    arrows: ['A -->B: x', 'B -->A: y', 'B -->A: z'],
  },
  {
    family: 'plus signs at both ends, and filled, double and long heads',
    text: `
 +-----------+      +-----------+
 |  Service  |      |  Service  |
 |     A     |      |     B     |
 +-----+-----+      +-----+-----+
       |  call            |
       +----------------->+
       |                  |
       |  done            |
       +<-----------------+
       |====== twice ====⇒|
       |◄----- back ------|
       |------ away -----➜|
`,
    arrows: [
      'Service A ->Service B: call',
      'Service B ->Service A: done',
      'Service A ->Service B: twice',
      'Service B ->Service A: back',
      'Service A ->Service B: away',
    ],
  },
  {
    family: 'bars drawn as little boxes, or as brackets in the place of the line',
    text: `
   A             B            C
   |             |            |
   |             |            |
   |---- x ---->+-+           |
   |            | |-- y ---->[#]
   |            | |<-- z ----[#]
   |<--- w -----+-+           |
   |             |            |
   |             |            |
`,
    arrows: ['A ->B: x', 'B ->C: y', 'C ->B: z', 'B ->A: w'],
  },
  {
    family: 'heads with double lines',
    text: `
╔════════╗        ╔════════╗
║ Client ║        ║ Server ║
╚═══╤════╝        ╚═══╤════╝
    │   request       │
    │────────────────▶│
    │                 │
`,
    arrows: ['Client ->Server: request'],
  },
  {
    family: 'lines that begin as arrows down, a free row under the names',
    text: `
   Server          Client
  (primary)

     v               v
     |               |
     |<--- renew ----|
     |               |
`,
    arrows: ['Client ->Server (primary): renew'],
    said: ['ASC142', 'ASC142'],
  },
];

const IN_COMMENTS: readonly (readonly [string, (row: string) => string, string, string])[] = [
  ['SQL', (row) => `-- ${row}`, '', ''],
  ['Rust', (row) => `//! ${row}`, '', ''],
  ['Lisp', (row) => `;;; ${row}`, '', ''],
  ['TeX', (row) => `%% ${row}`, '', ''],
  ['shell', (row) => `# ${row}`, '', ''],
  ['Java', (row) => ` * ${row}`, '/**\n', '\n */'],
  ['Python', (row) => `    ${row}`, '    """\n', '\n    """'],
];

describe('drawings of other families', () => {
  test.each(CASES)('$family', ({ text, participants, arrows, tree, received, said }) => {
    const { value, diagnostics } = read(text);
    expect(value.participants.map(({ label }) => label).join('|')).toBe(participants);
    expect(arrowsOf(value)).toEqual(arrows);
    expect(treeOf(value)).toEqual(tree ?? arrows.map((_, index) => index));
    expect(value.messages.map((message) => message.received)).toEqual(received ?? arrows.map(() => undefined));
    expect(diagnostics.map(({ code }) => code)).toEqual(said ?? []);
  });

  test.each(BY_HAND)('$family', ({ text, arrows, said }) => {
    const { value, diagnostics } = read(text);
    expect(arrowsOf(value)).toEqual(arrows);
    expect(value.notes).toEqual([]);
    expect(diagnostics.map(({ code }) => code)).toEqual(said ?? []);
  });

  test.each(IN_COMMENTS)('in a comment of %s', (_, row, before, after) => {
    const rows = ['User         Shop', ' |             |', ' |-- order --->|', ' |             |', ' |<- paid -----|'];
    const { value, diagnostics } = read(`${before}${rows.map(row).join('\n')}${after}`);
    expect(value.participants.map(({ label }) => label)).toEqual(['User', 'Shop']);
    expect(arrowsOf(value)).toEqual(['User ->Shop: order', 'Shop ->User: paid']);
    expect(diagnostics).toEqual([]);
  });

  test('places count UTF-16 code units of the original line, not columns', () => {
    const text =
      '    客户           网关\n     │             │\n     │ 🚀 开始 x   │\n     │────────────>│\n     │             │\n     │ 好          │\n     │<────────────│\n';
    const { value } = read(text);
    expect(value.messages.map(({ text: label }) => label)).toEqual(['🚀 开始 x', '好']);
    for (const { text: label, at } of value.messages) {
      expect(
        text
          .split('\n')
          [at.line - 1]!.slice(at.column - 1)
          .startsWith(label),
      ).toBe(true);
    }
  });
});

describe('one cell that is missing in a drawing of any family', () => {
  const DRAWN = new Set(Array.from("|-+<>.,'`_=/│─┐┘└┌├┤┬┴┼═╌►◄╭╮╰╯▶◀"));
  /** Every so many cells of all drawings, one after the other. */
  const STRIDE = 5;
  /** Most errors of one cause, and how seldom there are more. */
  const FEW = 2;
  const SHARE_MAX = 0.015;

  test(`is seldom told more than ${FEW} times`, () => {
    const erased = CASES.flatMap(({ text }) => {
      const rows = text.split('\n').map((row) => Array.from(row));
      return rows.flatMap((row, index) =>
        row.flatMap((glyph, column) => (DRAWN.has(glyph) ? [{ rows, index, row: row.with(column, ' ') }] : [])),
      );
    }).filter((_, index) => index % STRIDE === 0);
    const counts = erased.map(({ rows, index, row }) => {
      const text = rows.with(index, row).map((glyphs) => glyphs.join(''));
      return read(text.join('\n')).diagnostics.filter(({ severity }) => severity === 'error').length;
    });
    expect(counts.length).toBeGreaterThan(300);
    expect(counts.filter((count) => count > FEW).length / counts.length).toBeLessThan(SHARE_MAX);
  });
});
