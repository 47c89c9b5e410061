import { describe, expect, test } from '@jest/globals';
import { looksLikeAscii, seemsDrawn } from './index.ts';
import { arrows, isRefused, read, said } from './what-is-read.ts';

const FLIGHTS = `
      Phone                                       Tower

Who ^ Hello
    | + name*
    v + a_very_long_way_to_say_who
      + keys                  -------->
                                                  Hello  ^ Who
                                                + name*  v
                              <--------          {Done}
      {Done}                  - - - ->
      [Talk]                  <------->          [Song]

             *  is optional, and stands here to be left out
`;

const STUBS = `
        Peer A                                     Peer B

    1.  CLOSED                                     LISTEN

    2.  CALLING   --> <NR=1><CTL=HELLO>        --> CALLED

    3.  (Hang up)
        TALKING   <-- <NR=7><CTL=HELLO,YES>    <-- CALLED

    4.  TALKING   --> <NR=2><CTL=YES>          --> TALKING

    5.  CLOSED
`;

describe('two columns of text with arrows in the gutter', () => {
  test('a flight is all rows of one column since the last arrow; brackets beside it say nothing', () => {
    expect(arrows(FLIGHTS)).toEqual([
      'Phone -> Tower: Hello / + name* / + a_very_long_way_to_say_who / + keys',
      'Tower -> Phone: Hello / + name* / {Done}',
      'Phone --> Tower: {Done}',
      'Phone -> Tower: [Talk]',
      'Tower -> Phone: [Song]',
    ]);
    expect(said(FLIGHTS)).toEqual(['ASC142 4:5', 'ASC142 8:58', 'ASC118 12:31', 'ASC141 14:14', 'ASC141 14:17']);
    expect(read(FLIGHTS).value.items.length).toBe(4);
  });

  test('a message is placed at the first row of its flight', () => {
    expect(read(FLIGHTS).value.messages.map(({ at }) => at.line)).toEqual([4, 8, 11, 12, 12]);
  });

  test('two stubs that point the same way are one arrow, and states are notes', () => {
    expect(arrows(STUBS)).toEqual([
      'Peer A -> Peer B: <NR=1><CTL=HELLO>',
      'Peer B -> Peer A: <NR=7><CTL=HELLO,YES>',
      'Peer A -> Peer B: <NR=2><CTL=YES>',
    ]);
    expect(said(STUBS)).toEqual(['ASC143 4:9']);
    expect(read(STUBS).value.notes.map(({ text, participants }) => `${participants.join()}: ${text}`)).toEqual([
      'Peer A: CLOSED',
      'Peer B: LISTEN',
      'Peer A: CALLING',
      'Peer B: CALLED',
      'Peer A: (Hang up)',
      'Peer A: TALKING',
      'Peer B: CALLED',
      'Peer A: TALKING',
      'Peer B: TALKING',
      'Peer A: CLOSED',
    ]);
  });

  test('names may be underlined, and a title may stand above them', () => {
    const text = FLIGHTS.replace('Tower\n', 'Tower\n      =====                                       =====').replace(
      /^/,
      'A call\n',
    );
    expect(arrows(text)).toEqual(arrows(FLIGHTS));
    expect(read(text).value.title).toBe('A call');
  });

  test('are known as drawings in a document', () => {
    expect(looksLikeAscii(FLIGHTS)).toBe(true);
    expect(looksLikeAscii(STUBS)).toBe(true);
  });
});

describe('two columns of text are refused', () => {
  interface Refusal {
    readonly why: string;
    readonly text: string;
    readonly at: string;
  }
  const REFUSALS: readonly Refusal[] = [
    {
      why: 'where an arrow is still in flight',
      text: STUBS.replace('--> CALLED', '...       '),
      at: 'ASC111 6:19',
    },
    {
      why: 'where stubs point in two ways',
      text: STUBS.replace('--> CALLED', '<-- CALLED'),
      at: 'ASC111 6:19',
    },
    {
      why: 'where one stub is missing',
      text: STUBS.replace('--> CALLED', '    CALLED'),
      at: 'ASC111 6:19',
    },
    {
      why: 'where a flight at the end has no arrow',
      text: FLIGHTS.replace('[Talk]                  <------->          [Song]', '[Talk]'),
      at: 'ASC120 12:7',
    },
    {
      why: 'where the text of the other side has no arrow',
      text: FLIGHTS.replace('<--------          {Done}', '-------->          {Done}'),
      at: 'ASC120 8:51',
    },
    {
      why: 'where a text stands in neither column',
      text: FLIGHTS.replace('      {Done}                  -', '                {Done}        -'),
      at: 'ASC120 11:17',
    },
  ];

  test.each(REFUSALS)('$why', ({ text, at }) => {
    expect(said(text)).toContain(at);
    expect(isRefused(text)).toBe(true);
    expect(looksLikeAscii(text)).toBe(false);
    expect(seemsDrawn(text)).toBe(true);
  });
});

test.each([
  ['one arrow', 'Client                  Server\n\nhello        -------->\n'],
  ['prose', 'this leads to            that\n\na --> b and c --> d, which is e\n'],
  ['a table of arrows', 'old                      new\nfoo  -->  bar  -->  baz  --> qux\nx    -->  y\n'],
])('%s is no such drawing', (_, text) => {
  expect(looksLikeAscii(text)).toBe(false);
});
